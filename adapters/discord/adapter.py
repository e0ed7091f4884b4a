"""The Discord adapter: one bot, over one client.

Its parts do the work (see the package's docstring); here are the client's start, life and end. The
client may also be started by somebody else: `listen`, then start `client`.
"""

import asyncio
import time
from collections import OrderedDict
from collections.abc import AsyncGenerator, Awaitable, Callable, Sequence
from contextlib import aclosing
from typing import TypeVar

import aiohttp
import discord
import structlog

from adapters.base import (
    Address,
    Attachment,
    Event,
    Mark,
    OutgoingFile,
    Part,
    Pulse,
    RateLimits,
    Style,
    Unreachable,
)
from adapters.discord import downloads, rendering, sending
from adapters.discord.clients import make_client
from adapters.discord.commands import SlashCommand, build
from adapters.discord.components import chosen_class, pressed_class
from adapters.discord.connecting import Pace, connect
from adapters.discord.desk import ClosedDesk, Desk
from adapters.discord.errors import TokenRefused, intent_refused, translated
from adapters.discord.interacting import Interactions
from adapters.discord.invite import invite_link
from adapters.discord.listening import Listener
from adapters.discord.pacing import MESSAGES, Pacer
from adapters.discord.places import PLATFORM, channel_id_of
from adapters.discord.syncing import sync
from adapters.discord.waiting import Waiting
from config.discord import DiscordSettings

MAX_SILENCE_S = 120.0  # heartbeats come every 41 s
TYPING_LASTS_S = 8.0  # Discord shows it for ten
MOST_CHANNELS = 1_000  # of which is remembered when they were told last
MOST_MARKS = 10_000  # messages whose mark is remembered, so that the next takes its place

_Key = TypeVar("_Key")
_Value = TypeVar("_Value")

_log = structlog.get_logger(__name__)


class DiscordAdapter:
    """Direct chats and servers. Raises `TokenRefused` at once if there is no token."""

    name = PLATFORM
    opens_forms = True
    limits = RateLimits(total=MESSAGES)  # for those of a route the client waits by itself
    hint = (
        "Discord shows Markdown: bold, italics, strikethrough, ||spoilers||, links, code, lists, "
        "quotes and three levels of headings; tables only if they are narrow."
    )

    def __init__(
        self,
        settings: DiscordSettings,
        *,
        commands: Sequence[SlashCommand] = (),
        desk: Desk | None = None,
        pace: Pace | None = None,
        patience_s: float = 30,
    ) -> None:
        if settings.token is None:
            raise TokenRefused("discord.token is not set: get one from the developer portal")
        self.edit_interval_s = settings.edit_interval_s
        self.pulse = Pulse(MAX_SILENCE_S)
        self.client: discord.AutoShardedClient = make_client(settings)
        self._settings = settings
        self._token = settings.token
        self._pace = pace or Pace()
        self._pacer = Pacer()
        self._typed_at: OrderedDict[int, float] = OrderedDict()
        self._patience_s = patience_s
        self._is_usable = asyncio.Event()
        self._syncing: asyncio.Task[object] | None = None
        desk = desk or ClosedDesk()
        self._listener = Listener(self.client, settings, desk)
        self._waiting = Waiting()
        interactions = Interactions(self.client, self._listener, desk, self._waiting)
        self._tree = discord.app_commands.CommandTree(self.client)
        for command in build(commands, interactions.handlers):
            self._tree.add_command(command)
        self.client.add_dynamic_items(
            pressed_class(interactions.pressed), chosen_class(interactions.pressed)
        )
        self.client.event(interactions.on_interaction)
        self._marks: OrderedDict[tuple[str, str], Mark] = OrderedDict()
        self._downloads: aiohttp.ClientSession | None = None
        self.client.event(self.on_socket_raw_receive)
        self.client.event(self.on_ready)
        self.client.event(self.setup_hook)

    def listen(self, receive: Callable[[Event], Awaitable[None]]) -> None:
        """Say who is to be told of events, before the client starts."""
        self._listener.receive = receive

    async def run(self, receive: Callable[[Event], Awaitable[None]]) -> None:
        """Serve until cancelled; then the connections are closed and nothing can be sent.

        Raises `TokenRefused` and `IntentRefused`. Whatever else fails is waited out.
        """
        self.listen(receive)
        try:
            await connect(self.client, self._token.get_secret_value(), self._pace)
        finally:
            await self.close()

    async def close(self) -> None:
        """Let go of all connections; `run` does it at its end. Closing twice is fine."""
        if self._syncing is not None:
            self._syncing.cancel()
        await self.client.close()
        await self._listener.close()
        await self._waiting.close()
        if self._downloads is not None:
            await self._downloads.close()

    async def check(self) -> str:
        """Ask Discord whose token this is and whether it may read, and close.

        The answer is the bot's name, and the link that takes it into a server.
        """
        try:
            with translated():
                await self.client.login(self._token.get_secret_value())
                about = await self.client.application_info()
        finally:
            await self.close()
        flags = about.flags
        may_read = flags.gateway_message_content or flags.gateway_message_content_limited
        if self._settings.message_content and not may_read:
            raise intent_refused(about.id)
        return f"{about.name}; {invite_link(about.id)} takes it into a server"

    def render(self, markdown: str, style: Style = Style.ANSWER) -> Sequence[Part]:
        """The final form of a text, in parts of at most 2000 code points."""
        return rendering.render(markdown, style)

    def preview(self, markdown: str) -> Sequence[Part]:
        """The form of a text that still grows."""
        return rendering.preview(markdown)

    def render_files(self, files: Sequence[OutgoingFile]) -> Sequence[Part]:
        """Up to ten files of any kind in one message. Blocks."""
        return [
            part for album in sending.albums_of(files) for part in rendering.render_album(album)
        ]

    async def send(self, address: Address, part: Part) -> tuple[str, ...]:
        """Show a new message and return its id."""
        client = await self._usable()
        await self._waiting.end(address)
        self._typed_at.pop(channel_id_of(address), None)  # a message ends it
        return (await sending.send(client, address, part),)

    async def edit(self, address: Address, message_id: str, part: Part) -> None:
        """Replace a message. An edit that changes nothing is a success."""
        await sending.edit(await self._usable(), address, message_id, part)

    async def delete(self, address: Address, message_id: str) -> None:
        """Take a message of ours away. One that is already gone is a success."""
        await sending.delete(await self._usable(), address, message_id)

    async def typing(self, address: Address) -> None:
        """Show for ten seconds that an answer is being made; no more often than is needed."""
        now, channel_id = time.monotonic(), channel_id_of(address)
        if now - self._typed_at.get(channel_id, -TYPING_LASTS_S) < TYPING_LASTS_S:
            return
        if self._pacer.is_busy:
            return
        self._typed_at[channel_id] = now
        _hold_to(self._typed_at, MOST_CHANNELS)
        await sending.typing(await self._usable(), address)

    async def mark(self, address: Address, message_id: str, mark: Mark | None) -> None:
        """React to a message, in place of the last mark of ours that is remembered."""
        key = (address.chat_id, message_id)
        old = self._marks.pop(key, None)
        client = await self._usable()
        if mark is not None:
            await sending.react(client, address, message_id, mark)
        if old is not None and old is not mark:
            await self._pacer.enter()
            await sending.take_back(client, address, message_id, old)
        if mark is not None:
            self._marks[key] = mark
            _hold_to(self._marks, MOST_MARKS)

    async def find(self, address: Address, button_data: str) -> str | None:
        """The id of the newest message of ours with such a button, if it is among the last ones."""
        return await sending.find(await self._usable(), address, button_data)

    async def download(self, attachment: Attachment) -> AsyncGenerator[bytes, None]:
        """The bytes of a file that came in."""
        if self._downloads is None:
            self._downloads = aiohttp.ClientSession(proxy=self.client.http.proxy)
        pieces = downloads.download(await self._usable(), self._downloads, attachment)
        async with aclosing(pieces):
            async for piece in pieces:
                yield piece

    async def setup_hook(self) -> None:
        """The client has logged in: from now on something can be sent."""
        self._is_usable.set()

    async def on_ready(self) -> None:
        """The client is connected; again after each connection that could not be resumed."""
        # A reconnect costs nothing of the day's quota.
        if self._syncing is None and not self.client.is_closed():
            self._syncing = asyncio.current_task()
            await sync(self.client, self._tree, self._settings.command_servers)

    async def _usable(self) -> discord.Client:
        """The client, as soon as it has logged in and one more call is not too much."""
        if self.client.is_closed():
            raise Unreachable("Discord is no longer being served")
        try:
            async with asyncio.timeout(self._patience_s):
                await self._is_usable.wait()
        except TimeoutError:
            raise Unreachable("the bot has not logged in to Discord yet") from None
        await self._pacer.enter()
        return self.client

    async def on_socket_raw_receive(self, _message: str) -> None:
        """Anything at all has come from Discord, if only the answer to a heartbeat."""
        self.pulse.beat()


def _hold_to(remembered: OrderedDict[_Key, _Value], size: int) -> None:
    """Forget what is oldest."""
    while len(remembered) > size:
        remembered.popitem(last=False)
