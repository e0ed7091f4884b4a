"""Shows that an answer is being made, for as long as it is."""

import asyncio

import structlog

from adapters.base import Adapter, AdapterError, Address

INTERVAL_S = 4.0
"""Telegram shows it for 5 seconds (Bot API, sendChatAction); Discord for 10."""

_log = structlog.get_logger()


async def keep_typing(adapter: Adapter, address: Address) -> None:
    """Show it at once and again and again, until cancelled."""
    while True:
        try:
            await adapter.typing(address)
        except AdapterError as error:  # of no consequence: the answer itself will tell
            _log.debug("typing not shown", error=str(error))
        await asyncio.sleep(INTERVAL_S)
