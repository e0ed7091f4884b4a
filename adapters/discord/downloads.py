"""Files that people sent. Their addresses run out after a day; the message gives new ones."""

from collections.abc import AsyncGenerator

import aiohttp
import discord

from adapters.base import Attachment, Rejected, TargetGone
from adapters.discord.errors import translate

_PIECE_BYTES = 65_536
_CONNECT_S = 10
_READ_S = 30
_RUN_OUT = frozenset({403, 404})


async def download(
    client: discord.Client, session: aiohttp.ClientSession, attachment: Attachment
) -> AsyncGenerator[bytes, None]:
    """The bytes of a file, a piece at a time."""
    where, _, url = attachment.ref.partition(" ")
    channel_id, message_id, file_id = (int(part) for part in where.split("/"))
    timeout = aiohttp.ClientTimeout(total=None, sock_connect=_CONNECT_S, sock_read=_READ_S)
    try:
        for is_last in (False, True):
            async with session.get(url, timeout=timeout) as response:
                if response.status == 200:
                    async for piece in response.content.iter_chunked(_PIECE_BYTES):
                        yield piece
                    return
                if is_last or not message_id or response.status not in _RUN_OUT:
                    raise Rejected(f"the file can't be had: status {response.status}")
            url = await _new_address(client, channel_id, message_id, file_id)
    except (TimeoutError, discord.DiscordException, aiohttp.ClientError) as error:
        raise translate(error) from error


async def _new_address(
    client: discord.Client, channel_id: int, message_id: int, file_id: int
) -> str:
    message = await client.get_partial_messageable(channel_id).fetch_message(message_id)
    files = [
        *message.attachments,
        *(f for one in message.message_snapshots for f in one.attachments),
    ]
    for file in files:
        if file.id == file_id:
            return file.url
    raise TargetGone("the file is no longer in its message")
