"""A simulated Discord with a client of ours in it, and what the client's listener handed over.

simcord runs discord.py's real machinery, logs the client in itself, and waits after each thing that
a person does until the client has done all that follows from it.
"""

import asyncio
import mimetypes
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, field

import discord
import simcord
from pydantic import SecretStr

from adapters.base import Address, ChatKind, Event, Inbound, Sender
from adapters.discord.adapter import DiscordAdapter
from adapters.discord.commands import SlashCommand
from config.discord import DiscordSettings

mimetypes.init()  # simcord would read the system's tables when the first file is sent
TOKEN = SecretStr("MTIz.not-a-real.token")

COMMANDS = (
    SlashCommand("new", "begin a new conversation"),
    SlashCommand("status", "show what this is", is_private=True),
    SlashCommand("model", "choose a model", "name"),
    SlashCommand("queue", "say something that waits", "text"),
)


@dataclass
class OpenDesk:
    """A gateway that lets everybody in but those with these ids."""

    shut_out: set[str] = field(default_factory=set)
    offered: Sequence[tuple[str, str]] = ()
    gate: asyncio.Event | None = None  # what it waits for before it says anything

    async def may_talk(self, address: Address, sender: Sender) -> bool:
        if self.gate is not None:
            await self.gate.wait()
        return sender.id not in self.shut_out

    async def suggestions(
        self, address: Address, sender: Sender, command: str
    ) -> Sequence[tuple[str, str]]:
        return () if sender.id in self.shut_out else self.offered


@dataclass
class World:
    """A server with one channel and two people, and everything that was heard."""

    env: simcord.Env
    adapter: DiscordAdapter
    desk: OpenDesk
    heard: list[Event]
    guild: simcord.GuildHandle
    channel: simcord.ChannelHandle
    ada: simcord.MemberActor
    bob: simcord.MemberActor

    @property
    def me(self) -> discord.ClientUser:
        """The bot."""
        user = self.env.bot.user
        assert user is not None
        return user

    @property
    def name(self) -> str:
        """How people call the bot in a text."""
        return f"<@{self.me.id}>"

    @property
    def here(self) -> Address:
        """The channel."""
        return Address("discord", str(self.channel.id), ChatKind.GROUP)

    @property
    def last(self) -> Inbound:
        """The last that was heard, which must be a message."""
        event = self.heard[-1]
        assert isinstance(event, Inbound)
        return event


@asynccontextmanager
async def listening(
    commands: Sequence[SlashCommand] = COMMANDS, **settings: object
) -> AsyncIterator[World]:
    """A world in which the bot listens."""
    wanted = DiscordSettings.model_validate({"token": TOKEN, **settings})
    desk = OpenDesk()
    adapter = DiscordAdapter(wanted, commands=commands, desk=desk)
    heard: list[Event] = []

    async def receive(event: Event) -> None:
        heard.append(event)

    adapter.listen(receive)
    async with simcord.run(adapter.client, shard_count=1) as env:
        yield world_of(env, adapter, desk, heard)


def world_of(
    env: simcord.Env, adapter: DiscordAdapter, desk: OpenDesk, heard: list[Event]
) -> World:
    """People and places."""
    guild = env.create_guild("Garden")
    channel = guild.create_text_channel("general")
    ada, bob = (guild.add_member(env.create_user(name)) for name in ("Ada", "Bob"))
    return World(env, adapter, desk, heard, guild, channel, ada, bob)
