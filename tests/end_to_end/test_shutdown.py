"""SIGTERM in the middle of an answer: it may end, or goes on after the next start."""

import signal
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.end_to_end.process import running
from tests.end_to_end.settings_files import model_section
from tests.fakes.model_server import ModelServer
from tests.fakes.telegram import FakeTelegram, Person

Configure = Callable[[float], Path]


@pytest.fixture
def configure(tmp_path: Path, telegram: FakeTelegram, model: ModelServer, ada: Person) -> Configure:
    """Write a configuration with that time of grace; gives its folder."""

    def write(grace_s: float) -> Path:
        (tmp_path / "hermes.yaml").write_text(
            f"{model_section(model)}"
            f"telegram:\n  token: {telegram.token}\n  base_url: {telegram.base_url}\n"
            f"  allowed_users: [{ada.id}]\n  edit_interval_s: 0.05\n"
            "  chat_messages_per_s: 1000\n"
            f"chats:\n  shutdown_grace_s: {grace_s}\n"
        )
        return tmp_path

    return write


def texts(telegram: FakeTelegram, person: Person) -> list[str]:
    return [message.text for message in telegram.replies(person)]


async def test_an_answer_that_is_nearly_there_ends_before_the_gateway_does(
    configure: Configure, telegram: FakeTelegram, model: ModelServer, ada: Person
) -> None:
    folder = configure(30)
    drip = model.enqueue(text="Once upon a time there was the end.", gated=True)
    async with running("run", "--dev", cwd=folder) as gateway:
        telegram.people.say(ada, "a story please")
        await drip.started.wait()
        gateway.send_signal(signal.SIGTERM)
        telegram.people.say(ada, "and another one")
        drip.release(100)
        assert await gateway.wait() == 0
    assert texts(telegram, ada) == ["Once upon a time there was the end."]
    model.enqueue(text="Another one.")
    async with running("run", "--dev", cwd=folder):
        await telegram.wait_for(lambda: "Another one." in texts(telegram, ada))
    assert len(telegram.replies(ada)) == 2


async def test_an_answer_that_takes_longer_goes_on_after_the_next_start(
    configure: Configure, telegram: FakeTelegram, model: ModelServer, ada: Person
) -> None:
    folder = configure(0.1)
    drip = model.enqueue(text="never comes", gated=True)
    async with running("run", "--dev", cwd=folder) as gateway:
        telegram.people.say(ada, "one")
        await drip.started.wait()
        telegram.people.say(ada, "two")
        gateway.send_signal(signal.SIGTERM)
        assert await gateway.wait() == 0
    for answer in ("answer to one", "answer to two"):
        model.enqueue(text=answer)
    async with running("run", "--dev", cwd=folder):
        await telegram.wait_for(lambda: "answer to two" in texts(telegram, ada))
    assert texts(telegram, ada) == ["answer to one", "answer to two"]
