"""What waits in one chat, in its order: messages, and whatever else has its place among them.

What belongs together is given out together; which messages do is `joining`'s decision. Nothing here
is stored: the rows of the messages are, until something has become of each.
"""

import asyncio
import contextlib
import time
from collections import deque
from collections.abc import Awaitable, Callable, Iterable, Sequence
from dataclasses import dataclass, field, replace

from adapters.base import Inbound
from gateway.chats.joining import Piece, continues, gathered, is_same, joined, wait_s
from gateway.store.journal import OpenTurn

Job = Callable[[], Awaitable[object]]
"""Something other than a message that has its place in the order of a chat's work."""


@dataclass(frozen=True, slots=True)
class Waiting:
    """A message in the inbox."""

    message: Inbound
    since: float = field(default_factory=time.perf_counter)
    stored: OpenTurn | None = None  # the turn had begun before the gateway was restarted
    joined: tuple[Inbound, ...] = ()  # others that `message` was made of

    @property
    def is_plain(self) -> bool:
        """Whether a person said it and nothing has been done about it."""
        return self.message.command is None and self.stored is None


class Inbox:
    """A chat's inbox."""

    def __init__(self) -> None:
        self._items: deque[Waiting | Job] = deque()
        self._changed = asyncio.Event()

    def __len__(self) -> int:
        return len(self._items)

    @property
    def messages(self) -> list[Waiting]:
        """The messages in it."""
        return [item for item in self._items if isinstance(item, Waiting)]

    @property
    def jobs(self) -> list[Job]:
        """What else is in it."""
        return [item for item in self._items if not isinstance(item, Waiting)]

    def put(self, item: Waiting | Job) -> None:
        """Let something wait behind all else."""
        self._items.append(item)
        self._changed.set()

    def put_first(self, messages: Iterable[Waiting]) -> None:
        """Let messages wait before all else, in their order."""
        self._items.extendleft(reversed(list(messages)))
        self._changed.set()

    async def next(self, window_s: float) -> Waiting | Job | None:
        """Take out what comes first, with all that belongs to it.

        None if it was dropped while its other pieces were waited for. The inbox is not empty.
        """
        head = self._items[0]
        if not isinstance(head, Waiting) or not head.is_plain:
            return self._items.popleft()
        while (left_s := wait_s(self._pieces(window_s), window_s, time.perf_counter())) > 0:
            self._changed.clear()
            with contextlib.suppress(TimeoutError):
                async with asyncio.timeout(left_s):
                    await self._changed.wait()
            if not self._items or self._items[0] is not head:
                return None
        pieces = self._gather(window_s)
        self._items = deque(item for item in self._items if item not in pieces)
        messages = [piece.message for piece in pieces]
        return replace(pieces[0], message=joined(messages), joined=tuple(messages[1:]))

    def expects(self, message: Inbound, window_s: float) -> bool:
        """Whether a message would be one with some that wait."""
        piece = Piece(message, time.perf_counter())
        return any(
            continues([Piece(item.message, item.since)], piece, window_s)
            for item in self.messages
            if item.is_plain
        )

    def change(self, message: Inbound) -> Inbound | None:
        """Put a changed message in the place of what it was; returns what waits now, if it does."""
        for place, item in enumerate(self._items):
            if isinstance(item, Waiting) and item.is_plain and is_same(item.message, message):
                changed = _in_place_of(item.message, message)
                self._items[place] = replace(item, message=changed)
                self._changed.set()
                return changed
        return None

    def drop(self, message_id: str) -> Inbound | None:
        """Take out the message of that id, if it waits."""
        for item in self.messages:
            if item.is_plain and item.message.message_id == message_id:
                self._items.remove(item)
                self._changed.set()
                return item.message
        return None

    def clear(self) -> list[Inbound]:
        """Drop the messages; what else was asked for is still done."""
        dropped = self.messages
        self._items = deque(item for item in self._items if not isinstance(item, Waiting))
        self._changed.set()
        return [item.message for item in dropped]

    def _pieces(self, window_s: float) -> list[Piece]:
        return [Piece(item.message, item.since) for item in self._gather(window_s)]

    def _gather(self, window_s: float) -> Sequence[Waiting]:
        plain = [item for item in self.messages if item.is_plain]
        pieces = [Piece(item.message, item.since) for item in plain]
        return [plain[place] for place in gathered(pieces, window_s)]


def _in_place_of(was: Inbound, message: Inbound) -> Inbound:
    """What a message that waits is now. It may have been a change already, of an answered one."""
    is_whole_album = was.is_redone and was.album_id is not None
    return replace(
        message,
        event_id=was.event_id,
        context=was.context,
        is_redone=was.is_redone,
        attachments=was.attachments if is_whole_album else message.attachments,
    )
