"""Commands in the background, the whole way: they end with their conversation and the gateway."""

import signal
from pathlib import Path

import pytest

from config.settings import Settings
from gateway.shell import bubblewrap
from tests.end_to_end.process import running
from tests.end_to_end.serving import MakeSettings, Serve
from tests.end_to_end.settings_files import model_section
from tests.fakes.model_server import ModelServer
from tests.fakes.telegram import FakeTelegram, Person

WHY_NOT = bubblewrap.why_not()
pytestmark = pytest.mark.skipif(WHY_NOT is not None, reason=str(WHY_NOT))


@pytest.fixture
def settings(make_settings: MakeSettings, ada: Person) -> Settings:
    return make_settings(  # noqa: S604 - a section of the settings
        telegram={"owners": (ada.id,)},
        tools={"rules": ({"roles": ("owner",), "allow": ("shell",)},)},
        shell={"ask_about": "destructive"},
    )


def is_running(command: str) -> bool:
    """Whether a process of this machine runs exactly that."""
    wanted = command.replace(" ", "\0").encode() + b"\0"
    for path in Path("/proc").glob("[0-9]*/cmdline"):
        try:
            if path.read_bytes() == wanted:
                return True
        except OSError:  # it has just ended
            continue
    return False


async def begin(telegram: FakeTelegram, model: ModelServer, ada: Person, command: str) -> None:
    """Have the command run in the background."""
    model.enqueue(tool_calls=[("terminal", {"command": command, "background": True})])
    model.enqueue(text="It goes on.")
    telegram.people.say(ada, "begin")
    await telegram.wait_for(lambda: telegram.replies(ada)[-1:] and says(telegram, ada, "goes on"))
    await telegram.wait_for(lambda: is_running(command))


def says(telegram: FakeTelegram, person: Person, text: str) -> bool:
    return text in telegram.replies(person)[-1].text


async def test_a_command_ends_with_its_conversation(
    settings: Settings, serve: Serve, telegram: FakeTelegram, model: ModelServer, ada: Person
) -> None:
    command = "sleep 987654.25"
    async with serve(settings):
        await begin(telegram, model, ada, command)
        telegram.people.say(ada, "/new")
        await telegram.wait_for(lambda: not is_running(command))
        model.enqueue(tool_calls=[("process", {"action": "list"})])
        model.enqueue(text="Nothing is left.")
        telegram.people.say(ada, "what runs?")
        await telegram.wait_for(lambda: says(telegram, ada, "Nothing is left."))
        assert "runs in the background" in model.requests[-1].body["messages"][-1]["content"]


async def test_a_command_ends_with_the_gateway(
    settings: Settings, serve: Serve, telegram: FakeTelegram, model: ModelServer, ada: Person
) -> None:
    command = "sleep 987654.75"
    async with serve(settings):
        await begin(telegram, model, ada, command)
    assert not is_running(command)


async def test_a_command_ends_with_a_gateway_that_is_killed(
    tmp_path: Path, telegram: FakeTelegram, model: ModelServer, ada: Person
) -> None:
    (tmp_path / "hermes.yaml").write_text(
        f"""
telegram: {{token: "{telegram.token}", base_url: "{telegram.base_url}", owners: [{ada.id}]}}
{model_section(model)}tools: {{rules: [{{roles: [owner], allow: [shell]}}]}}
shell: {{ask_about: destructive}}
"""
    )
    command = "sleep 987654.5"
    async with running("run", cwd=tmp_path) as gateway:
        await begin(telegram, model, ada, command)
        gateway.send_signal(signal.SIGKILL)
        await gateway.wait()
        await telegram.wait_for(lambda: not is_running(command))
