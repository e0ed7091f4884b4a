"""Tool calls of a turn: who may make them, in which order they run, and what they may call."""

import asyncio
from dataclasses import replace
from typing import Any

import pytest

from adapters.base import Sender
from config.tools import ToolSettings
from gateway.masking import Mask
from gateway.tools.tool import Risk, ToolContext, tool, tools_of
from gateway.tools.toolbox import Toolbox
from tests.fakes.model_server import KEY
from tests.gateway.chats.small_gateway import SmallGateway, Start

BOB = Sender("2", "Bob")


class Bench:
    """Tools that note what happens to them."""

    def __init__(self) -> None:
        self.log: list[str] = []
        self.is_looking = asyncio.Event()
        self.together = asyncio.Barrier(2)

    @tool()
    async def look(self, context: ToolContext, at: str) -> str:
        """Looks, and waits for another who looks at the same time."""
        self.is_looking.set()
        async with asyncio.timeout(30):
            await self.together.wait()
        return f"saw {at}"

    @tool(risk=Risk.WRITE, is_parallel=False)
    async def write(self, context: ToolContext, text: str) -> str:
        """Writes, a little at a time."""
        for letter in text:
            self.log.append(letter)
            await asyncio.sleep(0)
        return "written"

    @tool(risk=Risk.EXECUTE)
    async def execute(self, context: ToolContext) -> str:
        """Calls another tool from inside."""
        inner = await context.run_tool("write", {"text": "x"})
        odd = await context.run_tool("write", {})
        return f"{inner.content}, {odd.content}"

    @property
    def box(self) -> Toolbox:
        return Toolbox(tools_of(self, "own"))


def told(gateway: SmallGateway, index: int = -1) -> list[str]:
    """The host's tools that the model was told of."""
    own = {"memory", "todo", "clarify"}
    names = [one["function"]["name"] for one in gateway.request(index).get("tools", [])]
    return [name for name in names if name not in own]


def results(gateway: SmallGateway) -> list[str]:
    messages = gateway.request()["messages"]
    return [message["content"] for message in messages if message["role"] == "tool"]


async def converse(gateway: SmallGateway, *calls: tuple[str, Any], chat: str = "1") -> None:
    """One turn in which the model makes these calls at once."""
    gateway.model.enqueue(tool_calls=list(calls))
    gateway.model.enqueue(text="done")
    await gateway.platform.say("please", chat=None if chat == "1" else chat)
    await gateway.platform.until_shown("done", chat=chat)


async def test_calls_that_allow_it_run_beside_each_other(start: Start) -> None:
    async with start(toolbox=Bench().box) as gateway:
        await converse(gateway, ("look", {"at": "a"}), ("look", {"at": "b"}))
        assert results(gateway) == ["saw a", "saw b"]


async def test_calls_that_do_not_run_in_their_order(start: Start) -> None:
    bench = Bench()
    async with start(toolbox=bench.box) as gateway:
        await converse(gateway, ("write", {"text": "abc"}), ("write", {"text": "def"}))
    assert "".join(bench.log) == "abcdef"


async def test_a_call_from_inside_a_tool_is_a_call_like_any_other(start: Start) -> None:
    bench = Bench()
    async with start(toolbox=bench.box) as gateway:
        await converse(gateway, ("execute", {}))
        (content,) = results(gateway)
    assert "written" in content
    assert "`text`: Field required" in content
    async with start(toolbox=bench.box, tools={"rules": [{"deny": ["write"]}]}) as gateway:
        await gateway.platform.say("/new")
        await gateway.platform.until(lambda s: "new conversation" in s.last)
        await converse(gateway, ("execute", {}))
        (content,) = results(gateway)
    assert "There is no tool 'write' here" in content
    assert bench.log == ["x"]


async def test_an_agent_is_told_of_what_its_chat_may_use(start: Start) -> None:
    rules = [{"users": [2], "allow": ["*"]}, {"deny": ["execute", "write"]}]
    async with start(toolbox=Bench().box, tools={"rules": rules}) as gateway:
        gateway.model.enqueue(text="hello")
        await gateway.platform.say("hi")
        await gateway.platform.until_shown("hello")
        assert told(gateway) == ["look"]
        gateway.model.enqueue(text="hello Bob")
        await gateway.platform.say("hi", sender=BOB)
        await gateway.platform.until_shown("hello Bob", chat="2")
        assert told(gateway) == ["look", "write", "execute"]


async def test_in_a_group_each_person_uses_only_what_is_theirs(start: Start) -> None:
    bench = Bench()
    rules = [{"users": [2], "allow": ["write"]}, {"deny": ["write"]}]
    async with start(toolbox=bench.box, tools={"rules": rules}) as gateway:
        await converse(gateway, ("write", {"text": "a"}), chat="-100")
        assert "write" in told(gateway)
        assert "not for the person who asks" in results(gateway)[0]
        gateway.model.enqueue(tool_calls=[("write", {"text": "b"})])
        gateway.model.enqueue(text="done for Bob")
        await gateway.platform.say("please", sender=BOB, chat="-100")
        await gateway.platform.until_shown("done for Bob", chat="-100")
    assert bench.log == ["b"]


async def test_a_policy_that_is_read_again_holds_for_the_next_call(start: Start) -> None:
    bench = Bench()
    async with start(toolbox=bench.box) as gateway:
        gateway.model.enqueue(tool_calls=[("look", {"at": "a"})])
        await gateway.platform.say("please")
        await bench.is_looking.wait()
        strict = ToolSettings.model_validate({"rules": [{"deny": ["write"]}]})
        gateway.host.settings = gateway.host.settings.model_copy(update={"tools": strict})
        gateway.model.enqueue(tool_calls=[("write", {"text": "a"})])
        gateway.model.enqueue(text="done")
        await bench.together.wait()
        await gateway.platform.until_shown("done")
        assert "not for the person who asks" in results(gateway)[-1]
    assert bench.log == []


async def test_who_speaks_into_the_turn_of_another_does_not_get_their_rights(
    start: Start,
) -> None:
    bench = Bench()
    rules = [{"users": [1], "allow": ["write"]}, {"deny": ["write"]}]
    async with start(
        toolbox=bench.box, tools={"rules": rules}, busy="steer", clarify_timeout_s=20
    ) as gateway:
        gateway.model.enqueue(tool_calls=[("look", {"at": "a"})])
        await gateway.platform.say("please", chat="-100")
        await bench.is_looking.wait()
        await gateway.platform.say("and write", sender=BOB, chat="-100")
        gateway.model.enqueue(tool_calls=[("write", {"text": "b"})])
        gateway.model.enqueue(text="done")
        await gateway.platform.until(lambda s: "part of" in s.last or "into" in s.last, "-100")
        await bench.together.wait()
        await gateway.platform.until_shown("done", chat="-100")
        assert "not for the person who asks" in results(gateway)[-1]
        gateway.model.enqueue(tool_calls=[("write", {"text": "a"})])
        gateway.model.enqueue(text="done for Alice")
        await gateway.platform.say("and now", chat="-100")
        await gateway.platform.until_shown("done for Alice", chat="-100")
    assert bench.log == ["a"]


@pytest.mark.parametrize("toolset", ["people", "time"])
async def test_nobody_acts_in_the_name_of_whose_answer_they_speak_into(
    start: Start, toolset: str
) -> None:
    # A job that Bob has made in Alice's answer would run with Alice's rights alone.
    bench = Bench()
    tools = [
        replace(one, toolset=toolset) if one.name == "write" else one for one in bench.box.all()
    ]
    async with start(toolbox=Toolbox(tools), busy="steer", clarify_timeout_s=20) as gateway:
        gateway.model.enqueue(tool_calls=[("look", {"at": "a"})])
        await gateway.platform.say("please", chat="-100")
        await bench.is_looking.wait()
        await gateway.platform.say("and write", sender=BOB, chat="-100")
        gateway.model.enqueue(tool_calls=[("write", {"text": "b"})])
        gateway.model.enqueue(text="done")
        await gateway.platform.until(lambda s: "into" in s.last, "-100")
        await bench.together.wait()
        await gateway.platform.until_shown("done", chat="-100")
        assert "in one person's name" in results(gateway)[-1]
        assert bench.log == []
        gateway.model.enqueue(tool_calls=[("write", {"text": "a"})])
        gateway.model.enqueue(text="done for Alice")
        await gateway.platform.say("and now", chat="-100")
        await gateway.platform.until_shown("done for Alice", chat="-100")
    assert bench.log == ["a"]


async def test_what_a_tool_says_about_its_progress_holds_no_secret(start: Start) -> None:
    class Talkative:
        def __init__(self) -> None:
            self.may_end = asyncio.Event()

        @tool()
        async def work(self, context: ToolContext) -> str:
            """Works."""
            context.report(f"with {KEY}, and on and on " + "x" * 1_000)
            await self.may_end.wait()
            return "worked"

    talkative = Talkative()
    toolbox = Toolbox(tools_of(talkative, "own"), lambda: Mask([KEY]))
    async with start(toolbox=toolbox, activity_after_s=0, tool_activity="full") as gateway:
        gateway.model.enqueue(tool_calls=[("work", {})])
        gateway.model.enqueue(text="done")
        await gateway.platform.say("please")
        screen = await gateway.platform.until(lambda s: "with " in s.last)
        assert KEY not in screen.last
        assert len(screen.last) < 300
        talkative.may_end.set()
        await gateway.platform.until_shown("done")
