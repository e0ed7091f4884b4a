"""The queue of updates: "Getting updates" with offsets, long polling, and one poller at a time."""

import asyncio
import itertools
from collections.abc import Callable, Iterator
from typing import Any

from tests.fakes.telegram.errors import ApiError
from tests.fakes.telegram.parameters import integer
from tests.fakes.telegram.world import Json

_CONFLICT = (
    "Conflict: terminated by other getUpdates request; "
    "make sure that only one bot instance is running"
)
_WEBHOOK_IS_SET = (
    "Conflict: can't use getUpdates method while webhook is active; "
    "use deleteWebhook to delete the webhook first"
)
_ON_REQUEST_ONLY = {"chat_member", "message_reaction", "message_reaction_count"}
LONGEST_POLL_S = 50


class Changes:
    """Lets coroutines wait until something is so; `notify` after each change."""

    def __init__(self) -> None:
        self._waiting: set[asyncio.Future[None]] = set()

    def notify(self) -> None:
        """Something has changed: all who wait look again."""
        for waiter in self._waiting:
            if not waiter.done():
                waiter.set_result(None)

    async def until(self, condition: Callable[[], Any]) -> Any:
        """Wait until the condition gives something true; returns that."""
        while not (result := condition()):
            waiter = asyncio.get_running_loop().create_future()
            self._waiting.add(waiter)
            try:
                await waiter
            finally:
                self._waiting.discard(waiter)
        return result


class UpdateQueue:
    """Updates that were not yet acknowledged."""

    def __init__(self, changes: Changes, first_id: int = 1000) -> None:
        self.pending: list[Json] = []
        self.webhook_url = ""
        self.allowed: list[str] = []  # empty: all but those on request
        self.is_closed = False
        self._changes = changes
        self._ids: Iterator[int] = itertools.count(first_id)
        self.polls = 0  # calls of getUpdates so far

    def begin_ids_at(self, first_id: int) -> None:
        """Another row of ids, as after a week without updates (`Update.update_id`)."""
        self._ids = itertools.count(first_id)

    def put(self, kind: str, content: Json) -> int | None:
        """Queue an update; None if the bot does not want this kind. Returns its id."""
        wanted = kind in self.allowed if self.allowed else kind not in _ON_REQUEST_ONLY
        if not wanted:
            return None
        update_id = next(self._ids)
        self.pending.append({"update_id": update_id, kind: content})
        self._changes.notify()
        return update_id

    async def get(self, arguments: Json) -> list[Json]:
        """`getUpdates`. Raises `ApiError` 409."""
        if self.webhook_url:
            raise ApiError(409, _WEBHOOK_IS_SET)
        if "allowed_updates" in arguments:
            self.allowed = list(arguments["allowed_updates"])
        self._forget(integer(arguments, "offset"))
        limit = min(max(integer(arguments, "limit", 100), 1), 100)
        timeout_s = min(max(integer(arguments, "timeout"), 0), LONGEST_POLL_S)
        self.polls += 1
        mine = self.polls
        self._changes.notify()

        def is_over() -> bool:
            return bool(self.pending or self.is_closed or mine != self.polls)

        try:
            async with asyncio.timeout(timeout_s):
                await self._changes.until(is_over)
        except TimeoutError:
            return []
        if mine != self.polls:
            raise ApiError(409, _CONFLICT)
        return self.pending[:limit]

    def take_away(self, update_id: int) -> None:
        """It has been taken, over the webhook."""
        self._forget(update_id + 1)

    def _forget(self, offset: int) -> None:
        if offset < 0:
            self.pending = self.pending[offset:]
        else:
            self.pending = [one for one in self.pending if one["update_id"] >= offset]
        self._changes.notify()
