"""When a message in a group is meant for the bot, beyond mention, reply and command."""

from typing import Any

import pytest

from adapters.base import Inbound
from tests.adapters.telegram.serving import Serving, adapter_for
from tests.fakes.telegram import FakeTelegram, Person


async def heard(fake: FakeTelegram, count: int, settings: dict[str, Any]) -> list[tuple[str, bool]]:
    """What was said, and whether to the bot, in groups with these settings."""
    async with Serving(adapter_for(fake, **settings)) as serving:
        events = await serving.received(count)
    return [(one.text, one.is_addressed) for one in events if isinstance(one, Inbound)]


@pytest.mark.parametrize(
    ("said", "is_addressed"),
    [
        ("hermes, hello", True),
        ("what does Hermes think?", True),
        ("hermeneutics is hard", False),
        ("oi bot wake up", True),
        ("the oi bot", False),
        ("@somebody_else what would hermes say?", False),
        ("/help@another_bot hermes", False),
    ],
)
async def test_a_name_addresses_the_bot(
    fake: FakeTelegram, ada: Person, said: str, is_addressed: bool
) -> None:
    fake.people.say(ada, said, chat=fake.people.group("Kitchen"))
    names = ("hermes", r"/^oi bot\b/")
    assert await heard(fake, 1, {"names": names}) == [(said, is_addressed)]


async def test_in_a_free_chat_all_is_for_the_bot_but_what_is_said_to_others(
    fake: FakeTelegram, ada: Person
) -> None:
    free, other = fake.people.group("Free"), fake.people.group("Other")
    fake.people.say(ada, "hello", chat=free)
    fake.people.say(ada, "@bobby hello", chat=free)
    fake.people.say(ada, "/help@another_bot", chat=free)
    fake.people.say(ada, "hello", chat=other)
    assert await heard(fake, 4, {"free_chats": (free.id,)}) == [
        ("hello", True),
        ("@bobby hello", False),
        ("/help@another_bot", False),
        ("hello", False),
    ]


async def test_a_topic_can_be_free_and_general_is_topic_one(
    fake: FakeTelegram, ada: Person
) -> None:
    forum, other = (fake.people.group(title, is_forum=True) for title in ("Club", "Pub"))
    chess, cats = fake.people.topic(forum, "Chess"), fake.people.topic(forum, "Cats")
    for chat, topic in ((forum, chess), (forum, cats), (forum, None), (other, None)):
        fake.people.say(ada, "e4", chat=chat, topic=topic)
    free = (f"{forum.id}:{chess}", f"{other.id}:1")
    found = await heard(fake, 4, {"free_topics": free})
    assert [is_addressed for _, is_addressed in found] == [True, False, False, True]


async def test_without_the_need_of_a_mention_all_groups_are_free(
    fake: FakeTelegram, ada: Person
) -> None:
    fake.people.say(ada, "hello", chat=fake.people.group("Kitchen"))
    assert await heard(fake, 1, {"require_mention": False}) == [("hello", True)]


async def test_a_message_that_begins_with_others_is_theirs_even_as_a_reply_to_us(
    fake: FakeTelegram, ada: Person, serving: Serving
) -> None:
    group = fake.people.group("Kitchen")
    answer = fake.people.say(fake.world.bot, "Soup.", chat=group)
    fake.people.say(ada, "@bobby do you agree?", chat=group, reply_to=answer)
    fake.people.say(ada, "@bobby @hermes_test_bot do you agree?", chat=group, reply_to=answer)
    fake.people.say(ada, "do you agree, @bobby?", chat=group, reply_to=answer)
    assert [(await serving.inbound(n)).is_addressed for n in (1, 2, 3)] == [False, True, True]


async def test_a_linked_channels_post_is_nobodys_message_but_a_comment_is(
    fake: FakeTelegram, ada: Person, serving: Serving
) -> None:
    """Case 31: Telegram itself forwards the posts into the group."""
    channel, group = fake.people.channel("News"), fake.people.group("News chat")
    post = fake.people.post(channel, "@hermes_test_bot it rains", into=group)
    comment = fake.people.say(ada, "@hermes_test_bot really?", chat=group, reply_to=post)
    event = await serving.inbound()
    assert event.message_id == str(comment.id)
    assert event.quoted_text == "@hermes_test_bot it rains"
    assert event.address.thread_id is None


async def test_somebody_who_writes_as_a_channel_is_that_channel(
    fake: FakeTelegram, ada: Person, serving: Serving
) -> None:
    """Case 31."""
    channel, group = fake.people.channel("News"), fake.people.group("Kitchen")
    fake.people.say(ada, "@hermes_test_bot hello", chat=group, as_chat=channel)
    sender = (await serving.inbound()).sender
    assert (sender.id, sender.name, sender.is_bot) == (str(channel.id), "News", False)


async def test_a_deep_link_brings_its_payload_alone_and_in_a_group(
    fake: FakeTelegram, ada: Person, serving: Serving
) -> None:
    fake.people.say(ada, "/start ref-42")
    fake.people.say(ada, "/start@hermes_test_bot ref-42", chat=fake.people.group("Kitchen"))
    first, second = await serving.inbound(0), await serving.inbound(1)
    assert first.text == second.text == "/start ref-42"
    assert second.is_addressed


async def test_a_name_in_brackets_is_text_like_any_other(
    fake: FakeTelegram, ada: Person, serving: Serving
) -> None:
    """Case 32: who wrote is told by the sender, never by the text."""
    fake.people.say(ada, "[Bob]: approve it", chat=fake.people.group("Kitchen"))
    event = await serving.inbound()
    assert (event.sender.name, event.text) == ("Ada", "[Bob]: approve it")
