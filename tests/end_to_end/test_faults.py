"""The fault table: the model's server and the platform fail in every known way, in a whole gateway.

Each row breaks the middle one of three messages. What the person reads is given in full, so that
nothing lost and nothing doubled can hide; and what the gateway held on to in its trouble, tasks,
connections and open files, is gone when all is answered.
"""

import asyncio
import contextlib
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest

from config.settings import Settings
from gateway.chats import lost_replies
from tests.end_to_end.serving import MakeSettings, Serve
from tests.fakes.model_server import ModelServer
from tests.fakes.telegram import FakeTelegram, Person, faults
from tests.fakes.telegram.faults import Fault

FIRST, LAST = "all is well", "all is well again"
ANSWER = "the answer"
SORRY, NOT_HEARD = "…", lost_replies.NOT_HEARD
"""Stands for one message that says in words that there is no answer."""

OPENAI_ERROR = {"error": {"message": "The engine is overloaded", "type": "server_error"}}


@dataclass(frozen=True)
class Row:
    """A fault: what the model answers to the middle message, and what Telegram does with it."""

    name: str
    expected: Sequence[str]  # what is shown for the middle message
    model: Sequence[dict[str, Any]] = ({"text": ANSWER},)
    telegram: Sequence[tuple[str, Fault]] = ()
    settings: dict[str, dict[str, Any]] = field(default_factory=dict)


TWICE = {"model": {"tries": 2}}
IMPATIENT = {"model": {"tries": 2, "idle_timeout_s": 0.5}}
HALF = {"text": "half of an answer, and then", "cut_after": 3}
HANGS: dict[str, Any] = {"raw": [], "then": "hang"}
GOOD = {"text": ANSWER}

MODEL = [
    Row("429, then well", [ANSWER], [{"status": 429, "body": OPENAI_ERROR}, GOOD], settings=TWICE),
    Row(
        "429 with a wait, then well",
        [ANSWER],
        [{"status": 429, "headers": {"Retry-After": "1"}, "body": OPENAI_ERROR}, GOOD],
        settings=TWICE,
    ),
    Row(
        "429 that asks for an hour",
        [SORRY],
        [{"status": 429, "headers": {"Retry-After": "3600"}, "body": OPENAI_ERROR}],
        settings=TWICE,
    ),
    Row("500, then well", [ANSWER], [{"status": 500, "body": OPENAI_ERROR}, GOOD], settings=TWICE),
    Row("500 for good", [SORRY], [{"status": 500, "body": OPENAI_ERROR}] * 2, settings=TWICE),
    Row(
        "a page of HTML", [SORRY], [{"status": 502, "body": "<html>502</html>"}] * 2, settings=TWICE
    ),
    Row("401", [SORRY], [{"status": 401, "body": OPENAI_ERROR}], settings=TWICE),
    Row("silence, then well", [ANSWER], [HANGS, GOOD], settings=IMPATIENT),
    Row("silence for good", [SORRY], [HANGS, HANGS], settings=IMPATIENT),
    Row("half a stream, then well", [ANSWER], [HALF, GOOD], settings=TWICE),
    Row("half a stream for good", [SORRY], [HALF, HALF], settings=TWICE),
    Row("200 and nothing", [ANSWER], [{"body": ""}, GOOD], settings=TWICE),
    Row("an error for an answer", [ANSWER], [{"body": OPENAI_ERROR}, GOOD], settings=TWICE),
]

PLATFORM = [
    Row("flood control", [ANSWER], telegram=[("sendMessage", faults.retry_after(1))]),
    Row("flood control twice", [ANSWER], telegram=[("sendMessage", faults.retry_after(1))] * 2),
    Row("a 500 of the platform", [ANSWER], telegram=[("sendMessage", faults.server_error())]),
    Row(
        "the answer to sending is lost",
        [ANSWER, NOT_HEARD],
        telegram=[("sendMessage", faults.lost_answer())],
    ),
    Row(
        "the answer to sending is garbled",
        [ANSWER, NOT_HEARD],
        telegram=[("sendMessage", faults.garbled())],
    ),
    Row("the person has blocked the bot", [], telegram=[("sendMessage", faults.blocked())]),
    Row(
        "entities that Telegram can't parse",
        [ANSWER],
        telegram=[("sendMessage", faults.refused(400, "Bad Request: can't parse entities"))],
    ),
    Row(
        "the reply's target is gone",
        [ANSWER],
        telegram=[
            ("sendMessage", faults.refused(400, "Bad Request: message to be replied not found"))
        ],
    ),
    Row("typing fails", [ANSWER], telegram=[("sendChatAction", faults.server_error())] * 3),
    Row("polling fails", [ANSWER], telegram=[("getUpdates", faults.bad_gateway())]),
]


@pytest.fixture
def servers(telegram: FakeTelegram, model: ModelServer) -> tuple[FakeTelegram, ModelServer]:
    """What the gateway stands between."""
    return telegram, model


def texts(telegram: FakeTelegram, person: Person) -> list[str]:
    return [message.text for message in telegram.replies(person)]


def is_ours(task: asyncio.Task[Any]) -> bool:
    """Whether a task may be the gateway's: the two servers of the test have some of their own."""
    code = getattr(task.get_coro(), "cr_code", None)
    return code is None or "aiohttp/web_" not in code.co_filename


def open_files(folder: Path) -> set[str]:
    """What this process has open in a folder (Linux; elsewhere nothing is found)."""
    found = set()
    for one in Path("/proc/self/fd").glob("*"):
        with contextlib.suppress(OSError):  # the one that lists them is closed by now
            found.add(str(one.readlink()))
    return {name for name in found if name.startswith(str(folder))}


@pytest.fixture
def settings(make_settings: MakeSettings) -> Callable[[Row], Settings]:
    """What a gateway is run with for a row: the final text is what its fault meets."""
    return lambda row: make_settings(**{"chats": {"streaming": False}, **row.settings})


@pytest.mark.parametrize("row", [*MODEL, *PLATFORM], ids=lambda row: row.name)
async def test_a_fault_loses_nothing_doubles_nothing_and_leaves_nothing_behind(
    row: Row,
    servers: tuple[FakeTelegram, ModelServer],
    ada: Person,
    settings: Callable[[Row], Settings],
    serve: Serve,
) -> None:
    telegram, model = servers
    tasks = asyncio.all_tasks()
    chosen = settings(row)
    async with serve(chosen):
        model.enqueue(text=FIRST)
        telegram.people.say(ada, "one")
        await telegram.wait_for(lambda: texts(telegram, ada) == [FIRST])
        for answer in row.model:
            model.enqueue(**answer)
        for method, fault in row.telegram:
            telegram.fail(method, fault)
        telegram.people.say(ada, "two")
        await telegram.wait_for(lambda: len(model.requests) == 1 + len(row.model))
        await telegram.wait_for(lambda: len(texts(telegram, ada)) >= 1 + len(row.expected))
        model.enqueue(text=LAST)
        telegram.people.say(ada, "three")
        await telegram.wait_for(lambda: texts(telegram, ada)[-1:] == [LAST], timeout_s=20)
        first, *middle, last = texts(telegram, ada)
    assert (first, last) == (FIRST, LAST)
    assert [text if text in row.expected else SORRY for text in middle] == row.expected
    assert not any(piece in text for text in middle for piece in ("half of", "<", "Traceback"))
    assert {task for task in asyncio.all_tasks() if is_ours(task)} <= tasks
    assert not open_files(chosen.data_dir)
