"""When something breaks in a turn: the person is told, nothing stored is lost, the others go on."""

import json
import re
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager

import pytest

from adapters.base import ChatGone
from gateway.runtime.native import NativeInstance
from gateway.tools.tool import ToolContext, tool, tools_of
from gateway.tools.toolbox import Toolbox
from tests.fakes.platform import CURSOR
from tests.gateway.chats.small_gateway import SmallGateway, Start, is_settled

HTML = "<html><body>502 Bad Gateway</body></html>"


@asynccontextmanager
async def full_disk(gateway: SmallGateway) -> AsyncIterator[None]:
    """While it lasts, SQLite has no room for another page, as on a disk that is full."""
    async with gateway.store._database.reading() as connection:
        ((pages,),) = await connection.execute_fetchall("PRAGMA page_count")
        await connection.execute_fetchall(f"PRAGMA max_page_count = {pages}")
    yield
    async with gateway.store._database.reading() as connection:
        await connection.execute_fetchall("PRAGMA max_page_count = 1000000")


async def test_an_answer_that_can_not_be_stored_is_not_shown_as_final(
    gateway: SmallGateway,
) -> None:
    gateway.model.enqueue(text="an answer worth keeping")
    await gateway.platform.say("first")
    await gateway.platform.until_shown("an answer worth keeping")
    drip = gateway.model.enqueue(text="x" * 20_000, gated=True)
    await gateway.platform.say("y" * 20_000)
    await drip.started.wait()
    async with full_disk(gateway):
        drip.release(10_000)
        screen = await gateway.platform.until(lambda s: "no room left" in s.last)
    assert re.search(r"\(error [0-9a-f]{6}\)$", screen.last)
    gateway.model.enqueue(text="there is room again")
    await gateway.platform.say("and now?")
    await gateway.platform.until_shown("there is room again")
    contents = [message["content"] for message in await gateway.history()]
    assert contents[:2] == ["first", "an answer worth keeping"]
    assert contents[-2].endswith("and now?")
    assert contents[-1] == "there is room again"
    roles = [message["role"] for message in await gateway.history()]
    assert roles == ["user", "assistant", "user", "assistant"]


async def test_a_change_that_can_not_be_stored_is_not_lost_without_a_word(
    gateway: SmallGateway,
) -> None:
    gateway.model.enqueue(text="an answer")
    message = await gateway.platform.say("first")
    await gateway.platform.until_shown("an answer")
    await gateway.chats.idle("telegram:dm:1")
    async with full_disk(gateway):
        await gateway.platform.change(message, "y" * 20_000)
        await gateway.platform.until(lambda s: "no room left" in s.last)


async def test_commands_work_on_a_full_disk(gateway: SmallGateway) -> None:
    async with full_disk(gateway):
        for n in range(200):  # until the last page is full
            await gateway.platform.say("/help", event_id=f"{n}" * 50)
        screen = await gateway.platform.until(lambda s: "/stop" in s.last)
    assert all("/stop" in text for text in screen.texts)


@pytest.mark.parametrize(
    "answer",
    [
        {"body": HTML},
        {"status": 500, "body": HTML},
        {"text": "half of an answ", "cut_after": 2},
        {"body": {"error": {"message": "overloaded", "type": "server_error"}}},
        {"body": b""},
    ],
    ids=["HTML", "500", "half a stream", "an error object", "nothing"],
)
async def test_a_model_server_that_fails_costs_one_honest_message(
    gateway: SmallGateway, answer: dict[str, object]
) -> None:
    gateway.model.enqueue(**answer)  # type: ignore[arg-type]
    await gateway.platform.say("hello")
    screen = await gateway.platform.until(is_settled)
    assert len(screen.texts) == 1
    assert "html" not in screen.texts[0].lower()
    gateway.model.enqueue(text="back again")
    await gateway.platform.say("once more")
    await gateway.platform.until_shown("back again")
    roles = [message["role"] for message in await gateway.history()]
    assert roles == ["user", "assistant"] * 2


async def test_half_a_stream_that_is_made_again_is_shown_once(start: Start) -> None:
    async with start(llm={"tries": 2}) as gateway:
        gateway.model.enqueue(text="Once upon a time", cut_after=3)
        gateway.model.enqueue(text="Once upon another time")
        await gateway.platform.say("a story")
        screen = await gateway.platform.until_shown("Once upon another time")
    assert screen.texts == ["Once upon another time"]


async def test_a_model_server_that_hangs_holds_up_nobody_else(gateway: SmallGateway) -> None:
    hanging = gateway.model.enqueue(raw=[], then="hang")
    await gateway.platform.say("hello")
    await hanging.started.wait()
    gateway.model.enqueue(text="quick as ever")
    await gateway.platform.say("hello", chat="-100")
    await gateway.platform.until_shown("quick as ever", chat="-100")
    assert gateway.platform.screens["1"].texts == []


async def test_an_agent_that_breaks_is_replaced_and_knows_what_was_said(
    gateway: SmallGateway,
) -> None:
    gateway.model.enqueue(text="blue, I see")
    await gateway.platform.say("my colour is blue")
    await gateway.platform.until_shown("blue, I see")
    gateway.pool._places.idle["telegram:dm:1"].instance = broken()
    await gateway.platform.say("what is it?")
    screen = await gateway.platform.until(lambda s: "lost my thread" in s.last)
    assert "Traceback" not in screen.last
    gateway.model.enqueue(text="it is blue")
    await gateway.platform.say("what is it?")
    await gateway.platform.until_shown("it is blue")
    assert "my colour is blue" in str(gateway.request()["messages"])


def broken() -> NativeInstance:
    """An agent that has come to its end."""
    instance = NativeInstance("telegram:dm:1")
    instance.close()
    return instance


async def test_a_tool_with_a_defect_is_a_result_that_tells_nothing_of_its_insides(
    start: Start,
) -> None:
    class Defective:
        @tool()
        async def weather(self, context: ToolContext) -> str:
            """The weather."""
            raise ZeroDivisionError("in the barometer")

    async with start(toolbox=Toolbox(tools_of(Defective(), "own"))) as gateway:
        gateway.model.enqueue(tool_calls=[("weather", {})])
        gateway.model.enqueue(text="I can't tell")
        await gateway.platform.say("weather?")
        await gateway.platform.until_shown("I can't tell")
        result = gateway.request()["messages"][-1]["content"]
        assert re.search(r"weather broke down \(error [0-9a-f]{6}\)", result)
        assert "barometer" not in result


class OddAgents:
    """A runtime whose agents answer each step with the same lines, whatever they are told."""

    name = "odd"
    artefact = "odd"

    def __init__(self, *answers: dict[str, object]) -> None:
        self._lines = [json.dumps(answer) for answer in answers]

    def start(self, chat: str) -> "OddAgents":
        return self

    def step(self, lines: Sequence[str]) -> list[str]:
        return self._lines

    def memory_bytes(self) -> int:
        return 1

    def rest(self) -> int:
        return 1

    def close(self) -> None: ...


@pytest.mark.parametrize(
    "answers",
    [
        [],
        [{"type": "error", "message": "I give up", "code": "internal", "fatal": True}],
        [{"type": "history", "op": "append", "messages": []}, {"type": "unheard_of"}],
    ],
    ids=["silent", "fatal", "waiting for nothing"],
)
async def test_an_agent_that_breaks_the_protocol_ends_its_turn_and_nothing_else(
    start: Start, answers: list[dict[str, object]]
) -> None:
    async with start(runtime=OddAgents(*answers)) as gateway:
        for n in range(2):
            await gateway.platform.say("hello")
            await gateway.platform.until(lambda s, n=n: len(s.texts) == n + 1)  # type: ignore[misc]
        texts = gateway.platform.screens["1"].texts
        assert gateway.pool.stats().warm == 0
    assert all("went wrong" in text for text in texts)


async def test_an_agent_that_does_not_stop_is_thrown_away(start: Start) -> None:
    kwargs: dict[str, object] = {"model": "m", "messages": [{"role": "user", "content": "hello"}]}
    asking: dict[str, object] = {"type": "api_request", "request_id": "r1", "kwargs": kwargs}
    async with start(runtime=OddAgents(asking)) as gateway:
        answer = gateway.model.enqueue(text="never mind", gated=True)
        await gateway.platform.say("hello")
        await answer.started.wait()
        await gateway.platform.say("/stop")
        await gateway.platform.until(lambda s: "went wrong" in s.last)


async def test_what_was_streamed_before_a_failure_stays_readable(gateway: SmallGateway) -> None:
    drip = gateway.model.enqueue(text="Once upon a time there was", gated=True)
    await gateway.platform.say("a story")
    drip.release(3)
    await gateway.platform.until_shown("Once upon a ti" + CURSOR)
    await gateway.store.close()
    drip.release(20)
    screen = await gateway.platform.until(is_settled)
    assert screen.texts[0].startswith("Once upon a time there was\n\nI can't get at")


async def test_a_chat_that_is_gone_does_not_stop_the_turn(gateway: SmallGateway) -> None:
    gateway.model.enqueue(text="nobody will read this")
    gateway.platform.fail("send", *[ChatGone("blocked")] * 3)
    await gateway.platform.say("hello")
    await gateway.chats.idle("telegram:dm:1")
    contents = [message["content"] for message in await gateway.history()]
    assert contents == ["hello", "nobody will read this"]
