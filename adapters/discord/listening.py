"""Gets the client's events and hands them over, those of one channel one after the other.

Also what has to be fetched or done before a message can be handed over: an unknown channel, the
channel's last messages, a thread for the question. What events mean is `inbound.py`'s business.
"""

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from dataclasses import replace
from datetime import timedelta
from weakref import WeakValueDictionary

import discord
import structlog

from adapters.base import (
    Address,
    ChatKind,
    Deleted,
    Edited,
    Event,
    Inbound,
    Observed,
    Reaction,
    Sender,
)
from adapters.discord.desk import Desk
from adapters.discord.inbound import Hearing, observed, sender_of, to_edited, to_inbound
from adapters.discord.places import Place, address_of, channel_id_of
from config.discord import DiscordSettings

LONGEST_THREAD_NAME = 100  # Discord, "Start Thread from Message"
EDIT_IS_NEWS = timedelta(minutes=10)
MOST_CHANNELS = 10_000  # of which is remembered that they were read before

_THREADS_ARE_BEGUN_IN = (discord.TextChannel,)

_log = structlog.get_logger(__name__)

Receive = Callable[[Event], Awaitable[None]]


class Listener:
    """One client's ears. `receive` may be set at any time before the client starts."""

    def __init__(self, client: discord.Client, settings: DiscordSettings, desk: Desk) -> None:
        self.receive: Receive | None = None
        self._client = client
        self._settings = settings
        self._hearing = Hearing.of(settings)
        self._desk = desk
        self._lanes: WeakValueDictionary[int, asyncio.Lock] = WeakValueDictionary()
        self._running: set[asyncio.Task[object]] = set()
        self._read_before: dict[int, None] = {}
        self._edits: dict[int, str] = {}
        for handler in (
            self.on_message,
            self.on_raw_message_edit,
            self.on_raw_message_delete,
            self.on_raw_bulk_message_delete,
            self.on_raw_reaction_add,
            self.on_raw_reaction_remove,
        ):
            client.event(handler)

    async def close(self) -> None:
        """Give up what is still being handed over: a closed gateway takes nothing more."""
        for task in self._running:
            task.cancel()
        if self._running:
            await asyncio.wait(self._running)

    async def hand_over(self, event: Event) -> None:
        """Give an event to the gateway, behind those of its channel that came before."""
        async with self._lane(channel_id_of(event.address)):
            await self._give(event)

    async def on_message(self, message: discord.Message) -> None:
        """A message was written."""
        me = self._client.user
        if me is None:
            return
        async with self._lane(message.channel.id):
            message.channel = await self._known(message.channel)  # type: ignore[assignment]  # what it is, instead of its id alone
            heard = to_inbound(message, me, self._hearing)
            if heard is None:
                return
            if heard.is_addressed and heard.address.kind is ChatKind.GROUP:
                heard = await self._prepared(heard, message)
            await self._give(heard)

    async def on_raw_message_edit(self, update: discord.RawMessageUpdateEvent) -> None:
        """A message has changed, or Discord has put a preview under it."""
        me = self._client.user
        edited_at = update.message.edited_at
        if me is None or edited_at is None or discord.utils.utcnow() - edited_at > EDIT_IS_NEWS:
            return
        async with self._lane(update.channel_id):
            update.message.channel = await self._known(update.message.channel)  # type: ignore[assignment]  # as above
            edited = to_edited(update.message, me, self._hearing)
            if edited is not None and self._is_new_edit(edited):
                await self._give(edited)

    async def on_raw_message_delete(self, gone: discord.RawMessageDeleteEvent) -> None:
        """A message was deleted."""
        await self._deleted(gone.channel_id, gone.guild_id, [gone.message_id])

    async def on_raw_bulk_message_delete(self, gone: discord.RawBulkMessageDeleteEvent) -> None:
        """Many messages were deleted at once."""
        await self._deleted(gone.channel_id, gone.guild_id, sorted(gone.message_ids))

    async def on_raw_reaction_add(self, reaction: discord.RawReactionActionEvent) -> None:
        """Somebody reacted."""
        await self._reaction(reaction, is_added=True)

    async def on_raw_reaction_remove(self, reaction: discord.RawReactionActionEvent) -> None:
        """Somebody took a reaction back."""
        await self._reaction(reaction, is_added=False)

    async def _reaction(self, reaction: discord.RawReactionActionEvent, *, is_added: bool) -> None:
        me = self._client.user
        if me is None or reaction.user_id == me.id:
            return
        if reaction.message_author_id not in (None, me.id):
            return  # feedback is what stands under our own messages
        who: discord.abc.User | None = reaction.member or self._client.get_user(reaction.user_id)
        place = await self._place(reaction.channel_id, reaction.guild_id)
        if who is None and isinstance(place, discord.DMChannel):
            who = place.recipient
        user_id = str(reaction.user_id)
        sender = Sender(user_id, user_id) if who is None else sender_of(who)
        when = discord.utils.time_snowflake(discord.utils.utcnow())
        sign = "+" if is_added else "-"
        event = Reaction(
            event_id=f"{reaction.message_id}:{reaction.user_id}:{reaction.emoji}:{sign}:{when}",
            address=address_of(place),
            sender=sender,
            message_id=str(reaction.message_id),
            emoji=reaction.emoji.name or "",
            is_added=is_added,
        )
        await self.hand_over(event)

    async def _deleted(self, channel_id: int, guild_id: int | None, message_ids: list[int]) -> None:
        address = address_of(await self._place(channel_id, guild_id))
        for message_id in message_ids:
            await self.hand_over(Deleted(f"{message_id}:deleted", address, str(message_id)))

    async def _prepared(self, heard: Inbound, message: discord.Message) -> Inbound:
        """With what came before it, and a thread for the answer, for those who may talk."""
        wants_thread = self._settings.auto_thread and isinstance(
            message.channel, _THREADS_ARE_BEGUN_IN
        )
        wants_past = self._settings.backfill > 0 and message.channel.id not in self._read_before
        if not (wants_thread or wants_past):
            return heard
        if not await self._desk.may_talk(heard.address, heard.sender):
            return heard
        if wants_past:
            before = await self._before(message)
            heard = replace(heard, context=(*before, *heard.context))
        if wants_thread:
            heard = replace(heard, address=await self._thread(heard, message))
        return heard

    async def _before(self, message: discord.Message) -> tuple[Observed, ...]:
        """The channel's last messages, oldest first, down to the last one of ours."""
        me = self._client.user
        found: list[Observed] = []
        try:
            async for earlier in message.channel.history(
                limit=self._settings.backfill, before=message
            ):
                if me is not None and earlier.author.id == me.id:
                    break
                if (said := observed(earlier)) is not None:
                    found.append(said)
        except discord.HTTPException as error:
            _log.info("a channel's past can't be read", channel=message.channel.id, why=error.text)
        self._read_before[message.channel.id] = None
        if len(self._read_before) > MOST_CHANNELS:
            del self._read_before[next(iter(self._read_before))]
        return tuple(reversed(found))

    async def _thread(self, heard: Inbound, message: discord.Message) -> Address:
        """A new thread under the question; the channel itself if none can be begun there."""
        name = " ".join(heard.text.split())[:LONGEST_THREAD_NAME] or "Question"
        try:
            return address_of(await message.create_thread(name=name))
        except discord.HTTPException as error:
            _log.info("a thread can't be begun", channel=message.channel.id, why=error.text)
            return heard.address

    async def _known(self, place: Place) -> Place:
        """The channel itself, where the client has only its id: a thread has to be told apart."""
        if isinstance(place, discord.PartialMessageable) and place.guild_id is not None:
            return await self._fetched(place)
        return place

    async def _place(self, channel_id: int, guild_id: int | None) -> Place:
        known = self._client.get_channel(channel_id)
        if known is not None:
            return known
        partial = self._client.get_partial_messageable(channel_id, guild_id=guild_id)
        return await self._known(partial)

    async def _fetched(self, place: discord.PartialMessageable) -> Place:
        try:
            return await self._client.fetch_channel(place.id)
        except discord.HTTPException:
            return place

    def _is_new_edit(self, edited: Edited) -> bool:
        """Whether this is not the preview that Discord puts under a text edited a moment ago."""
        message_id = int(edited.message.message_id or 0)
        if self._edits.get(message_id) == edited.event_id:
            return False
        self._edits[message_id] = edited.event_id
        if len(self._edits) > MOST_CHANNELS:
            del self._edits[next(iter(self._edits))]
        return True

    async def _give(self, event: Event) -> None:
        if self.receive is None:
            _log.warning("an event came before anybody listened", event_id=event.event_id)
            return
        await self.receive(event)

    @asynccontextmanager
    async def _lane(self, channel_id: int) -> AsyncIterator[None]:
        """One at a time in each channel, in the order in which they came (the lock is fair)."""
        task = asyncio.current_task()
        lock = self._lanes.get(channel_id)
        if lock is None:
            lock = self._lanes[channel_id] = asyncio.Lock()
        if task is not None:
            self._running.add(task)
        try:
            async with lock:
                yield
        finally:
            if task is not None:
                self._running.discard(task)
