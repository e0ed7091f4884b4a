"""Files that people sent: asked for by their id, then read from the Bot API's file address."""

from collections.abc import AsyncIterator

from telegram import Bot

from adapters.base import Attachment
from adapters.telegram.errors import translated

_PIECE_BYTES = 65_536


async def download(bot: Bot, attachment: Attachment) -> AsyncIterator[bytes]:
    """The bytes of a file, a piece at a time. Telegram lets bots have up to 20 MB."""
    with translated(bot.token):
        file = await bot.get_file(attachment.ref)
        content = await file.download_as_bytearray()
    for start in range(0, len(content), _PIECE_BYTES):
        yield bytes(content[start : start + _PIECE_BYTES])
