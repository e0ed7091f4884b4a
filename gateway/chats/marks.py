"""How far a person's message has come, shown by reactions to it, one after the other.

Whether that is wanted is a setting; a platform without reactions shows nothing. Of no consequence:
what fails is left out.
"""

import asyncio

import structlog

from adapters.base import Adapter, AdapterError, Inbound, Mark

_log = structlog.get_logger()


class Marks:
    """The marks of one message."""

    def __init__(self, adapter: Adapter, message: Inbound, *, is_wanted: bool) -> None:
        self._adapter = adapter
        self._address = message.address
        self._message_id = message.message_id or message.address.reply_to
        self._is_wanted = is_wanted and message.scheduled is None
        self._in_turn = asyncio.Lock()  # first come, first served: the last mark is the one to stay

    async def put(self, mark: Mark) -> None:
        """Put a mark in place of the one before."""
        if not self._is_wanted or self._message_id is None:
            return
        async with self._in_turn:
            try:
                await self._adapter.mark(self._address, self._message_id, mark)
            except AdapterError as error:
                _log.debug("message not marked", mark=mark.value, error=str(error))
