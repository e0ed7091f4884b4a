"""Where something happens on Discord, as the addresses that the gateway knows. Pure.

A thread is addressed under the channel it belongs to, so whoever may talk in a channel may talk in
its threads; posts of a forum are threads of it.
"""

import discord

from adapters.base import Address, ChatKind

PLATFORM = "discord"

Place = (
    discord.abc.GuildChannel
    | discord.abc.PrivateChannel
    | discord.Thread
    | discord.PartialMessageable
)


def address_of(place: Place, reply_to: int | None = None) -> Address:
    """The address of a channel, a thread or a direct chat.

    With one person it is plain what is being answered, so only groups get a reply reference.
    """
    thread_id = None
    chat_id = place.id
    if isinstance(place, discord.Thread):
        chat_id, thread_id = place.parent_id, str(place.id)
    kind = ChatKind.DIRECT if is_direct(place) else ChatKind.GROUP
    is_reply = reply_to is not None and kind is ChatKind.GROUP
    return Address(
        platform=PLATFORM,
        chat_id=str(chat_id),
        kind=kind,
        thread_id=thread_id,
        reply_to=str(reply_to) if is_reply else None,
    )


def is_direct(place: Place) -> bool:
    """Whether one person alone reads along."""
    if isinstance(place, discord.PartialMessageable):
        return place.guild_id is None
    return isinstance(place, discord.DMChannel)


def channel_id_of(address: Address) -> int:
    """The id of the channel or thread that is written to."""
    return int(address.thread_id or address.chat_id)


def family_of(place: Place) -> tuple[int, ...]:
    """The ids that settings may name a place by: its own, and its parent's."""
    if isinstance(place, discord.Thread):
        return (place.id, place.parent_id)
    return (place.id,)


def title_of(place: Place) -> str | None:
    """What people call it: `Server #channel`, `Server #channel: thread`; None for a direct chat."""
    if isinstance(place, discord.Thread):
        parent = f" #{place.parent.name}" if place.parent else ""
        return f"{place.guild.name}{parent}: {place.name}"
    if isinstance(place, discord.abc.GuildChannel):
        return f"{place.guild.name} #{place.name}"
    return None
