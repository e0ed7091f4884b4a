"""What a session's agent wants kept."""

from collections.abc import AsyncIterator
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

from gateway.chats.records import AgentNotes, Records, last_todos
from gateway.sessions import MemoryOwners
from gateway.store.sqlite import SqliteStore


@pytest.fixture
async def store(tmp_path: Path) -> AsyncIterator[SqliteStore]:
    """An empty store."""
    async with await SqliteStore.open(tmp_path / "hermes.db", now=lambda: datetime.now(UTC)) as one:
        yield one


@pytest.fixture
async def records(store: SqliteStore) -> Records:
    """The records of one chat."""
    made = Records(store, "console", MemoryOwners(memory="console", user="console:local"))
    await made.open()
    return made


def nothing() -> AgentNotes:
    """The notes of an agent that knows none."""
    return {"memory": "", "user": ""}


def history(op: str, *contents: str, **fields: Any) -> dict[str, Any]:
    messages = [{"role": "user", "content": content} for content in contents]
    return {"type": "history", "op": op, "messages": messages, **fields}


async def test_history_follows_the_agents_operations(store: SqliteStore, records: Records) -> None:
    await store.journal.write(
        records.entries([history("append", "a", "b"), history("append", "c")], nothing())
    )
    await store.journal.write(records.entries([history("truncate", length=2)], nothing()))
    assert [m["content"] for m in await records.history()] == ["a", "b"]
    await store.journal.write(records.entries([history("replace", "x")], nothing()))
    assert [m["content"] for m in await records.history()] == ["x"]


async def test_memory_goes_to_its_two_owners(store: SqliteStore, records: Records) -> None:
    await store.journal.write(
        records.entries(
            [{"type": "memory_update", "memory": "of the chat", "user": "of the person"}],
            nothing(),
        )
    )
    assert await records.memory() == ("of the chat", "of the person")


def call(name: str, call_id: str) -> dict[str, Any]:
    function = {"name": name, "arguments": "{}"}
    return {"role": "assistant", "tool_calls": [{"id": call_id, "function": function}]}


def result(call_id: str, content: str) -> dict[str, Any]:
    return {"role": "tool", "tool_call_id": call_id, "content": content}


def test_the_task_list_is_found_in_the_last_answer_of_its_tool() -> None:
    told = [
        *(call("todo", "c1"), result("c1", '{"todos": [{"id": "1"}]}')),
        *(call("todo", "c2"), result("c2", '{"todos": [{"id": "2"}]}')),
        *(call("memory", "c3"), result("c3", '{"todos": "not a list of tasks"}')),
        *(call("todo", "c4"), result("c4", "Error: no such task")),
    ]
    assert last_todos(told) == [{"id": "2"}]
    assert last_todos([]) == []
