"""Calls that put a part on the screen, change it or take it away.

Each raises the errors of adapters/base/errors.py. The client itself waits for rate limits, and
tries what the server failed at again; each message carries a nonce by which Discord knows it again
("Create Message", enforce_nonce), so a send that may have arrived is safely tried once more.
"""

import asyncio
import secrets
from collections.abc import Callable, Coroutine, Sequence
from contextlib import suppress
from typing import Any

import aiohttp
import discord

from adapters.base import Address, Ambiguous, ChatGone, Mark, OutgoingFile, Part, Rejected, Style
from adapters.base.albums import Item, together
from adapters.discord.components import is_under, view_of
from adapters.discord.errors import (
    INTERACTION_IS_OVER,
    MISSING_PERMISSIONS,
    UNKNOWN_MESSAGE,
    translated,
)
from adapters.discord.interactions import Pass
from adapters.discord.places import channel_id_of
from adapters.discord.rendering import Card

PATIENCE_S = 45.0  # for one call, the client's own waits included
SEND_TRIES = 2
DEFAULT_FILE_BYTES = 10 * 1024 * 1024  # Discord, "Uploading Files"; more in boosted servers
MOST_FILES = 10  # of one message
LARGEST_FILES_BYTES = 24 * 1024 * 1024  # together: a request may have 25 MiB ("Create Message")
LONGEST_DESCRIPTION = 1_024  # of an attachment ("Attachment Object")
LOOK_BACK = 50  # messages among which one of ours is looked for

MARKS = {Mark.SEEN: "👀", Mark.DONE: "✅", Mark.FAILED: "❌"}
_COLOURS = {
    Style.QUESTION: discord.Colour.blurple(),
    Style.APPROVAL: discord.Colour.orange(),
    Style.STATUS: discord.Colour.light_grey(),
}
_MAY_HAVE_ARRIVED = (TimeoutError, aiohttp.ServerDisconnectedError, aiohttp.ClientOSError)


async def send(client: discord.Client, address: Address, part: Part) -> str:
    """Show a new message; returns its id. A reply to a deleted message becomes a plain one."""
    leave = Pass.in_address(address)
    if leave is not None and (leave.is_private or not leave.is_over(discord.utils.utcnow())):
        message_id = await _follow_up(client, leave, part)
        if message_id is not None:
            return message_id
    return await _send(client, address, part)


async def edit(client: discord.Client, address: Address, message_id: str, part: Part) -> None:
    """Replace a message, its buttons included."""
    changes: dict[str, Any] = {"content": None, "embeds": [], "view": None, **_content(part)}
    leave = Pass.in_address(address)
    now = discord.utils.utcnow()
    with translated():
        async with asyncio.timeout(PATIENCE_S):
            if leave is not None and not leave.is_over(now):
                webhook = _webhook(client, leave)
                await webhook.edit_message(int(message_id), **changes)
            elif leave is not None and leave.is_private:
                raise ChatGone("it is too late to change what only one person sees")
            else:
                await _message(client, address, message_id).edit(**changes)


async def delete(client: discord.Client, address: Address, message_id: str) -> None:
    """Take a message away; one that is gone already is fine."""
    leave = Pass.in_address(address)
    with translated():
        async with asyncio.timeout(PATIENCE_S):
            try:
                if leave is not None and not leave.is_over(discord.utils.utcnow()):
                    await _webhook(client, leave).delete_message(int(message_id))
                else:
                    await _message(client, address, message_id).delete()
            except discord.NotFound as error:
                if error.code != UNKNOWN_MESSAGE:
                    raise


async def typing(client: discord.Client, address: Address) -> None:
    """Show "is typing…" for ten seconds, or until the next message."""
    with translated():
        await client.get_partial_messageable(channel_id_of(address)).typing()


async def react(client: discord.Client, address: Address, message_id: str, mark: Mark) -> None:
    """Put our reaction under a message."""
    with translated():
        await _message(client, address, message_id).add_reaction(MARKS[mark])


async def take_back(client: discord.Client, address: Address, message_id: str, mark: Mark) -> None:
    """Take an earlier reaction of ours away."""
    with translated():
        if client.user is not None:
            message = _message(client, address, message_id)
            await message.remove_reaction(MARKS[mark], client.user)


async def find(client: discord.Client, address: Address, button_data: str) -> str | None:
    """The id of the newest message of ours with such a button."""
    with translated():
        async for message in _channel(client, address).history(limit=LOOK_BACK):
            if is_under(message, button_data):
                return str(message.id)
    return None


async def _send(client: discord.Client, address: Address, part: Part) -> str:
    channel_id = channel_id_of(address)
    reference: Any = None
    if address.reply_to is not None:
        reference = discord.MessageReference(
            message_id=int(address.reply_to), channel_id=channel_id, fail_if_not_exists=False
        )
    nonce = secrets.randbits(63)

    async def attempt() -> str:
        arguments = await _arguments(part, _limit_of(client, channel_id))
        message = await _channel(client, address).send(
            **arguments, reference=reference, nonce=nonce
        )
        return str(message.id)

    with translated():
        try:
            return await _tried(attempt, SEND_TRIES)
        except discord.Forbidden as error:
            if error.code == MISSING_PERMISSIONS and part.files:
                raise Rejected("the bot may not send files here") from error
            raise


async def _follow_up(client: discord.Client, leave: Pass, part: Part) -> str | None:
    """Answer an interaction; None if that is over and others may see the answer."""
    with translated():
        try:
            if leave.is_over(discord.utils.utcnow()):
                raise ChatGone("it is too late for an answer that only one person sees")

            async def attempt() -> str:
                arguments = await _arguments(part, DEFAULT_FILE_BYTES)
                arguments["ephemeral"] = leave.is_private
                message = await _webhook(client, leave).send(**arguments, wait=True)
                return str(message.id)

            return await _tried(attempt, 1)  # there is no nonce here
        except discord.HTTPException as error:
            # A message is unknown if the acknowledgement was taken away before the answer came.
            if error.code not in {*INTERACTION_IS_OVER, UNKNOWN_MESSAGE}:
                raise
            if leave.is_private:
                raise ChatGone("Discord takes no more answers to this") from error
            return None


async def _tried(attempt: Callable[[], Coroutine[Any, Any, str]], tries: int) -> str:
    for is_last in (*[False] * (tries - 1), True):
        try:
            async with asyncio.timeout(PATIENCE_S):
                return await attempt()
        except _MAY_HAVE_ARRIVED as error:
            is_unsent = isinstance(error, aiohttp.ClientConnectorError)
            if is_last or is_unsent:
                raise
        except (KeyError, TypeError, ValueError) as error:
            raise Ambiguous(f"Discord's answer is not a message: {error!r}") from error
    raise Ambiguous("it was not tried")


async def _arguments(part: Part, limit_bytes: int) -> dict[str, Any]:
    """What a new message is sent with."""
    files = await asyncio.to_thread(_opened, part.files, limit_bytes)
    # An answer is not a page's advertisement.
    made = {**_content(part), "suppress_embeds": not isinstance(part.payload, Card)}
    return {**made, "files": files} if files else made


def _content(part: Part) -> dict[str, Any]:
    """What new and edited messages have in common."""
    made: dict[str, Any] = {}
    if isinstance(part.payload, Card):
        colour = _COLOURS.get(part.payload.style)
        made["embeds"] = [discord.Embed(description=part.text, colour=colour)]
    else:
        made["content"] = part.text
    view = view_of(part)
    if view is not None:
        made["view"] = view
    return made


def albums_of(files: Sequence[OutgoingFile]) -> list[tuple[OutgoingFile, ...]]:
    """The files in their order, as many together as one message takes. Blocks.

    One that may be too large is alone, so that it takes nothing else along.
    """
    return together(map(_item, files), MOST_FILES, LARGEST_FILES_BYTES)


def _item(file: OutgoingFile) -> Item:
    size = 0
    with suppress(OSError):  # said in words when it is sent
        size = file.path.stat().st_size
    return Item(file, "file" if 0 < size <= DEFAULT_FILE_BYTES else None, size)


def _opened(files: Sequence[OutgoingFile], limit_bytes: int) -> list[discord.File]:
    """The files, open; the client closes them. Blocks. Raises `Rejected`."""
    made: list[discord.File] = []
    try:
        made.extend(_open(file, limit_bytes) for file in files)
    except Rejected:
        for one in made:
            one.close()
        raise
    return made


def _open(file: OutgoingFile, limit_bytes: int) -> discord.File:
    try:
        size = file.path.stat().st_size
        if size > limit_bytes:
            raise Rejected(
                f"the file has {size / 2**20:.1f} MB; {limit_bytes // 2**20} are allowed here"
            )
        said = file.caption[:LONGEST_DESCRIPTION] or None
        return discord.File(file.path, file.name, description=said)
    except OSError as error:
        raise Rejected(f"{file.name} can't be read: {error.strerror}") from error


def _limit_of(client: discord.Client, channel_id: int) -> int:
    guild = getattr(client.get_channel(channel_id), "guild", None)
    return guild.filesize_limit if guild is not None else DEFAULT_FILE_BYTES


def _channel(client: discord.Client, address: Address) -> discord.PartialMessageable:
    return client.get_partial_messageable(channel_id_of(address))


def _message(client: discord.Client, address: Address, message_id: str) -> discord.PartialMessage:
    return _channel(client, address).get_partial_message(int(message_id))


def _webhook(client: discord.Client, leave: Pass) -> discord.Webhook:
    webhook = discord.Webhook.partial(leave.application_id, leave.token, client=client)
    webhook.type = discord.WebhookType.application  # others can't send what one person sees
    return webhook
