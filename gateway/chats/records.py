"""What a session's agent wants kept, on its way into the store and back.

History and memory are stored in the agent's order, and before anything that came with them is
shown as final: what a person has read is never forgotten. When that is written is `journal`'s
business.
"""

import json
from collections.abc import Sequence
from typing import Any

from gateway.chats.messages import Line
from gateway.sessions import MemoryOwners
from gateway.store.base import MemoryKind, Message, Store
from gateway.store.journal import Entry, HistoryChanged, MemoryChanged

AgentNotes = dict[MemoryKind, str]
"""The memory texts as an agent knows them: as it was told at its start, and changed since."""

KEPT = frozenset({"history", "memory_update"})
"""The types of the messages that are for the store."""


class Records:
    """The place in the store of a chat's open session. Not to be used before `open`."""

    def __init__(self, store: Store, chat: str, owners: MemoryOwners) -> None:
        self.session_id = ""
        self.has_noted = False  # the agent has changed its notes
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

    def entries(self, messages: Sequence[Line], notes: AgentNotes) -> list[Entry]:
        """What is to be written because of what the agent said, who knew these notes before."""
        found: list[Entry] = []
        known = dict(notes)
        for message in messages:
            if message["type"] == "memory_update":
                self.has_noted = True
                found += self._changed(message, known)
            elif message["type"] == "history":
                said, length = tuple(message.get("messages") or ()), message.get("length", 0)
                found.append(HistoryChanged(self.session_id, message["op"], said, length))
        return found

    def _changed(self, update: Line, known: AgentNotes) -> list[Entry]:
        """The notes that are others now; `known` follows."""
        owners = self._owners
        of_kind: dict[MemoryKind, str] = {"memory": owners.memory, "user": owners.user}
        changed: list[Entry] = []
        for kind, owner in of_kind.items():
            if update[kind] != known[kind]:
                changed.append(MemoryChanged(kind, owner, update[kind], known[kind]))
                known[kind] = update[kind]
        return changed


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
