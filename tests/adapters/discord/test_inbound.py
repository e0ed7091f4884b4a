"""What people do on Discord, as the gateway hears of it; over discord.py's real machinery."""

import asyncio
from dataclasses import replace

import discord
import pytest

from adapters.base import (
    Address,
    Attachment,
    ChatKind,
    Deleted,
    Edited,
    Inbound,
    MediaKind,
    Part,
    Reaction,
    Sender,
)
from tests.adapters.discord.world import listening


async def test_a_direct_message_is_always_for_the_bot_and_needs_no_reply_reference() -> None:
    async with listening() as world:
        message = await world.ada.send_dm("hello")
        assert world.last == Inbound(
            event_id=str(message.id),
            address=Address("discord", str(message.channel.id), ChatKind.DIRECT),
            sender=Sender(str(world.ada.id), "Ada"),
            text="hello",
            message_id=str(message.id),
        )


async def test_a_mention_is_taken_out_and_the_answer_will_be_a_reply() -> None:
    async with listening() as world:
        message = await world.ada.send(world.channel, f"{world.name}, what is this?")
        assert world.last.text == "what is this?"
        assert world.last.is_addressed
        assert world.last.chat_title == "Garden #general"
        assert world.last.address == Address(
            "discord", str(world.channel.id), ChatKind.GROUP, reply_to=str(message.id)
        )


@pytest.mark.parametrize(
    ("written", "read"),
    [
        ("{me} /new", "/new"),
        ("tell me {me}", "tell me"),
        ("{me}", "{me}"),
        ("is {me} right?", "is @{bot} right?"),
        ("{me} greet {bob} <:wave:123456789012345678>", "greet @Bob :wave:"),
    ],
)
async def test_names_take_the_place_of_ids(written: str, read: str) -> None:
    async with listening() as world:
        names = {"me": world.name, "bob": world.bob.mention, "bot": world.me.display_name}
        await world.ada.send(world.channel, written.format(**names))
        expected = read.format(**names)
        assert world.last.text == (f"@{world.me.display_name}" if read == "{me}" else expected)


async def test_a_message_that_is_for_nobody_is_heard_and_not_addressed() -> None:
    async with listening() as world:
        await world.ada.send(world.channel, "lunch?")
        assert not world.last.is_addressed


async def test_a_reply_to_the_bot_is_for_it_and_carries_what_it_answers() -> None:
    async with listening() as world:
        place = world.env.bot.get_channel(world.channel.id)
        assert isinstance(place, discord.TextChannel)
        ours = await place.send("Red or blue?")
        await world.ada.send(world.channel, "blue", reply_to=ours)
        assert world.last.is_addressed
        assert world.last.quoted_text == "Red or blue?"


async def test_a_reply_to_somebody_else_is_not_for_the_bot() -> None:
    async with listening() as world:
        said = await world.bob.send(world.channel, "I like blue")
        await world.ada.send(world.channel, "me too", reply_to=said)
        assert not world.last.is_addressed
        assert world.last.quoted_text == "I like blue"


@pytest.mark.parametrize("is_free", [True, False])
async def test_in_a_free_channel_everything_is_for_the_bot(*, is_free: bool) -> None:
    async with listening(require_mention=not is_free) as world:
        await world.ada.send(world.channel, "hello")
        assert world.last.is_addressed is is_free


async def test_a_thread_is_a_chat_of_its_own_under_its_channel() -> None:
    async with listening() as world:
        place = world.env.bot.get_channel(world.channel.id)
        assert isinstance(place, discord.TextChannel)
        thread = await place.create_thread(name="Cats", type=discord.ChannelType.public_thread)
        (handle,) = world.channel.threads
        await world.ada.send(handle, "what about cats?")
        assert world.last.is_addressed  # the bot is in this thread
        assert world.last.address.chat_id == str(world.channel.id)
        assert world.last.address.thread_id == str(thread.id)
        assert world.last.chat_title == "Garden #general: Cats"


async def test_a_post_of_a_forum_is_a_chat_of_its_own_and_is_answered_there() -> None:
    async with listening() as world:
        forum = world.guild.create_forum_channel("help")
        place = world.env.bot.get_channel(forum.id)
        assert isinstance(place, discord.ForumChannel)
        made = await place.create_thread(name="Lost cat", content="Who has seen it?")
        (post,) = forum.threads
        await world.ada.send(post, "it is grey")
        said = world.last
        assert said.is_addressed  # it began this post
        assert (said.address.chat_id, said.address.thread_id) == (
            str(forum.id),
            str(made.thread.id),
        )
        assert said.chat_title == "Garden #help: Lost cat"
        await world.adapter.send(said.address, Part("I have not"))
        last = post.last_message
        assert last is not None
        assert last.content == "I have not"


async def test_threads_are_not_followed_if_the_settings_say_so() -> None:
    async with listening(follow_threads=False) as world:
        place = world.env.bot.get_channel(world.channel.id)
        assert isinstance(place, discord.TextChannel)
        await place.create_thread(name="Cats", type=discord.ChannelType.public_thread)
        await world.ada.send(world.channel.threads[0], "what about cats?")
        assert not world.last.is_addressed


async def test_a_question_gets_a_thread_and_its_creation_starts_nothing() -> None:
    async with listening(auto_thread=True) as world:
        await world.ada.send(world.channel, f"{world.name} why is the sky blue?")
        (heard,) = world.heard
        assert isinstance(heard, Inbound)
        (thread,) = world.channel.threads
        assert thread.name == "why is the sky blue?"
        assert heard.address.thread_id == str(thread.id)
        assert heard.address.reply_to is None
        await world.ada.send(thread, "and at night?")
        assert world.last.address == replace(heard.address, reply_to=world.last.message_id)
        assert world.last.is_addressed


async def test_a_stranger_gets_no_thread() -> None:
    async with listening(auto_thread=True) as world:
        world.desk.shut_out.add(str(world.bob.id))
        await world.bob.send(world.channel, f"{world.name} hello")
        assert world.channel.threads == []
        assert world.last.address.thread_id is None


async def test_what_was_said_before_is_context_once_and_for_members_only() -> None:
    async with listening(backfill=10) as world:
        world.desk.shut_out.add(str(world.bob.id))
        await world.ada.send(world.channel, "I have a cat")
        await world.bob.send(world.channel, "and I a dog")
        await world.bob.send(world.channel, f"{world.name} which is better?")
        assert not world.last.context
        await world.ada.send(world.channel, f"{world.name} which is better?")
        said = [(one.sender.name, one.text) for one in world.last.context]
        assert said[:2] == [("Ada", "I have a cat"), ("Bob", "and I a dog")]
        await world.ada.send(world.channel, f"{world.name} well?")
        assert not world.last.context


async def test_a_message_that_has_to_wait_is_not_overtaken_in_its_channel() -> None:
    async with listening(backfill=5) as world:
        gate = world.desk.gate = asyncio.Event()
        other = world.guild.create_text_channel("other")
        for number, place in enumerate((world.channel, world.channel, other)):
            world.env.backend.create_message(place.id, world.ada.id, f"{world.name} {number}")
        await asyncio.sleep(0)
        gate.set()
        await world.env.settle()
        texts = [one.text for one in world.heard if isinstance(one, Inbound)]
        assert texts.index("0") < texts.index("1")
        assert sorted(texts) == ["0", "1", "2"]


async def test_files_come_with_what_they_are_found_by() -> None:
    async with listening() as world:
        message = await world.ada.send(world.channel, "look", attachments=[("notes.txt", b"12345")])
        (attachment,) = message.attachments
        assert world.last.attachments == (
            Attachment(
                kind=MediaKind.FILE,
                ref=f"{message.channel.id}/{message.id}/{attachment.id} {attachment.url}",
                name="notes.txt",
                media_type=world.last.attachments[0].media_type,
                size_bytes=5,
            ),
        )


async def test_a_forwarded_message_is_not_the_persons_own_words() -> None:
    async with listening() as world:
        original = await world.bob.send(world.channel, "the key is under the mat")
        other = world.guild.create_text_channel("other")
        await world.ada.forward(original, other)
        assert world.last.text == "the key is under the mat"
        assert world.last.forwarded_from == "#general"


async def test_an_edit_says_what_the_message_is_now() -> None:
    async with listening() as world:
        message = await world.ada.send(world.channel, "helo")
        await world.ada.edit(message, "hello")
        edited = world.heard[-1]
        assert isinstance(edited, Edited)
        assert edited.message.text == "hello"
        assert edited.message.message_id == str(message.id)
        assert edited.event_id != str(message.id)


async def test_a_pin_or_a_preview_is_no_edit() -> None:
    async with listening() as world:
        keepers = world.guild.create_role(
            "Keepers", permissions=discord.Permissions(manage_messages=True)
        )
        eve = world.guild.add_member(world.env.create_user("Eve"), roles=[keepers])
        message = await eve.send(world.channel, "hello")
        await eve.edit(message, "hello!")
        before = list(world.heard)
        await eve.set_pinned(message, True)
        assert world.heard == before


async def test_a_deletion_names_the_message() -> None:
    async with listening() as world:
        message = await world.ada.send(world.channel, "oops")
        await world.ada.delete(message)
        address = Address("discord", str(world.channel.id), ChatKind.GROUP)
        assert world.heard[-1] == Deleted(f"{message.id}:deleted", address, str(message.id))


async def test_a_reaction_to_the_bot_is_feedback_and_comes_with_the_roles_of_its_author() -> None:
    async with listening() as world:
        place = world.env.bot.get_channel(world.channel.id)
        assert isinstance(place, discord.TextChannel)
        ours = await place.send("Done.")
        await world.ada.react(ours, "👍")
        added = world.heard[-1]
        assert isinstance(added, Reaction)
        assert (added.emoji, added.message_id, added.is_added) == ("👍", str(ours.id), True)
        assert str(world.guild.default_role.id) in added.sender.roles
        await world.ada.unreact(ours, "👍")
        removed = world.heard[-1]
        assert isinstance(removed, Reaction)
        assert not removed.is_added
        assert removed.event_id != added.event_id


async def test_roles_are_told_by_id_and_everybody_has_the_servers() -> None:
    async with listening() as world:
        gardeners = world.guild.create_role("Gardeners")
        eve = world.guild.add_member(world.env.create_user("Eve"), roles=[gardeners])
        await eve.send(world.channel, "hello")
        assert set(world.last.sender.roles) == {str(world.guild.id), str(gardeners.id)}


async def test_a_webhook_is_a_bot_with_an_id_of_its_own() -> None:
    async with listening() as world:
        webhook = world.guild.create_webhook(world.channel, "CI")
        await webhook.send(f"{world.name} build failed")
        assert world.last.sender == Sender(str(webhook.id), "CI", is_bot=True)


async def test_case_38_without_the_intent_direct_messages_and_mentions_can_be_read() -> None:
    async with listening(message_content=False) as world:
        await world.ada.send(world.channel, "not for the bot")
        assert world.heard == []  # it came empty
        await world.ada.send(world.channel, f"{world.name} for the bot")
        assert world.last.text == "for the bot"
        await world.ada.send_dm("for the bot, too")
        assert world.last.text == "for the bot, too"
