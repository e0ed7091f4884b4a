"""What a session's agent wants kept, on its way into the store and back.

History and memory are stored in the agent's order, and before anything that came with them is
shown as final: what a person has read is never forgotten.
"""

import json
from collections.abc import Sequence
from typing import Any

import structlog

from gateway.chats.messages import Line
from gateway.sessions import MemoryOwners
from gateway.store.base import Message, Store

_log = structlog.get_logger()

KEPT = frozenset({"history", "memory_update"})
"""The types of the messages that are for the store."""


class Records:
    """The place in the store of a chat's open session. Not to be used before `open`."""

    def __init__(self, store: Store, chat: str, owners: MemoryOwners) -> None:
        self.session_id = ""
        self._store = store
        self._chat = chat
        self._owners = owners

    async def open(self) -> None:
        """Find the session that is open now, or begin one. Raises `StoreError`."""
        self.session_id = (await self._store.current_session(self._chat)).id

    async def history(self) -> list[Message]:
        """All that was said in this session."""
        return await self._store.history(self.session_id)

    async def memory(self) -> tuple[str, str]:
        """The notes on the chat and on the person."""
        owners = self._owners
        return (
            await self._store.memory("memory", owners.memory),
            await self._store.memory("user", owners.user),
        )

    async def keep(self, messages: Sequence[Line]) -> None:
        """Store what the agent said is to be stored. Raises `StoreError`."""
        for message in messages:
            if message["type"] == "memory_update":
                await self._store.set_memory("memory", self._owners.memory, message["memory"])
                await self._store.set_memory("user", self._owners.user, message["user"])
            elif message["op"] == "append":
                await self._store.append_messages(self.session_id, message["messages"])
            elif message["op"] == "replace":
                await self._store.replace_messages(self.session_id, message["messages"])
            elif message["op"] == "truncate":
                await self._store.truncate_messages(self.session_id, message["length"])
            else:
                _log.warning("unknown history operation", op=message["op"])


def last_todos(history: Sequence[Message]) -> list[Any]:
    """The task list as the last answer of the `todo` tool had it: a new agent goes on with it."""
    calls = {
        call["id"]
        for message in history
        for call in message.get("tool_calls") or ()
        if call["function"]["name"] == "todo"
    }
    for message in reversed(history):
        if message.get("role") == "tool" and message.get("tool_call_id") in calls:
            try:
                todos = json.loads(message["content"])["todos"]
            except (ValueError, KeyError, TypeError):  # an error result, or cut short
                continue
            return todos if isinstance(todos, list) else []
    return []
