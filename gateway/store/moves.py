"""A chat that has got another id, with all that is stored of it."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Protocol


@dataclass(frozen=True, slots=True)
class MovedChats:
    """What was moved: the group itself, and each of its topics."""

    keys: Mapping[str, str]  # from the session keys that there were to the present ones
    turns: frozenset[str]  # the ids of those that have not ended
    waiting: Sequence[str]  # the events, as JSON, that nothing has become of yet, in their order


class MoveStore(Protocol):
    """Moves chats. Raises `StoreError`."""

    async def move(self, platform: str, chat_id: str, new_chat_id: str) -> MovedChats:
        """Let all that is stored of a group be of its new id, in one go; again is nothing.

        Of what the new one had, the open session is ended in favour of the moved one.
        """
