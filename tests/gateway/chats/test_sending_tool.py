"""The tool that sends files, in whole turns."""

from pathlib import Path
from typing import Any

import pytest

from adapters.base import Ambiguous
from gateway.chats.lost_replies import NOT_HEARD, NOTICE
from gateway.tools.sending import SendingTools
from gateway.tools.tool import tools_of
from gateway.tools.toolbox import Toolbox
from gateway.workspace.workspace import Workspaces
from tests.fakes.hanging import hanging_at
from tests.fakes.platform import FakePlatform
from tests.gateway.chats.small_gateway import SmallGateway, Start
from tests.gateway.chats.test_outgoing_files import seen


@pytest.fixture
def workspace(tmp_path: Path) -> Path:
    root = Workspaces(tmp_path / "workspaces").of("telegram:dm:1").prepare()
    (root / "a plan.txt").write_text("the plan")
    (root / "folder").mkdir()
    return root


def box() -> Toolbox:
    return Toolbox(tools_of(SendingTools(), "files"))


def told(gateway: SmallGateway) -> str:
    """What the model was told of the call."""
    messages: list[dict[str, Any]] = gateway.request()["messages"]
    return str([message["content"] for message in messages if message["role"] == "tool"][-1])


async def test_a_file_is_sent_before_the_answer(start: Start, workspace: Path) -> None:
    async with start(toolbox=box()) as gateway:
        gateway.model.enqueue(
            tool_calls=[("send_file", {"path": "a plan.txt", "caption": "Our [plan](x)"})]
        )
        gateway.model.enqueue(text="There it is.")
        await gateway.platform.say("the plan, please")
        screen = await gateway.platform.until_shown("There it is.")
        assert seen(screen) == ["<a plan.txt>", "There it is."]
        assert list(screen.files.values()) == [b"the plan"]
        assert next(iter(screen.messages.values())).text == "Our plan (x)"
        assert "was sent" in told(gateway)


@pytest.mark.parametrize("path", ["folder", "missing.txt", "../secret", "/etc/passwd"])
async def test_what_can_not_be_sent_is_told_to_the_model_and_not_to_the_person(
    start: Start, workspace: Path, path: str
) -> None:
    async with start(toolbox=box()) as gateway:
        gateway.model.enqueue(tool_calls=[("send_file", {"path": path})])
        gateway.model.enqueue(text="Sorry.")
        await gateway.platform.say("the plan, please")
        screen = await gateway.platform.until_shown("Sorry.")
        assert screen.texts == ["Sorry."]
        assert "was sent" not in told(gateway)


async def test_a_file_in_doubt_is_taken_for_sent_and_can_be_shown_again(
    start: Start, workspace: Path
) -> None:
    async with start(toolbox=box()) as gateway:
        gateway.platform.fail("send", Ambiguous("timed out"))
        gateway.model.enqueue(tool_calls=[("send_file", {"path": "a plan.txt"})])
        gateway.model.enqueue(text="There it is.")
        await gateway.platform.say("the plan, please")
        screen = await gateway.platform.until_shown(NOT_HEARD, "There it is.")
        await gateway.platform.press("Show it again")
        await gateway.platform.until(lambda s: len(s.messages) == 3)
        assert seen(screen)[-1] == "<a plan.txt>"


async def test_a_call_that_a_kill_cuts_off_while_it_sends_sends_nothing_twice(
    start: Start, workspace: Path
) -> None:
    platform = FakePlatform()
    async with start(toolbox=box(), platform=platform) as first:
        with hanging_at(platform, arrives=True) as has_come:
            first.model.enqueue(tool_calls=[("send_file", {"path": "a plan.txt"})])
            await platform.say("the plan, please")
            await has_come.wait()
    async with start(toolbox=box(), platform=platform) as second:
        second.model.enqueue(text="There it is.")
        screen = await platform.until_shown(NOTICE, "There it is.")
        assert seen(screen) == ["<a plan.txt>", NOTICE, "There it is."]
        assert "was sent" in told(second)
