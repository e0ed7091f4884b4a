"""What happens to messages and chats: edits, reactions, moves, the bot's coming and going."""

from structlog.testing import capture_logs

from adapters.base import ChatKind
from tests.adapters.telegram.serving import Serving
from tests.fakes.telegram import FakeTelegram, Person, media
from tests.fakes.telegram.world import Json


async def test_what_is_wanted_is_named_and_nothing_else(
    fake: FakeTelegram, ada: Person, serving: Serving
) -> None:
    fake.people.say(ada, "hello")
    await serving.inbound()
    assert fake.updates.allowed == [
        "message",
        "edited_message",
        "callback_query",
        "message_reaction",
        "my_chat_member",
        "stopped_message_generation",
    ]


async def test_an_edit_brings_the_message_as_it_is_now(
    fake: FakeTelegram, ada: Person, serving: Serving
) -> None:
    message = fake.people.say(ada, "helo")
    first = await serving.inbound()
    fake.people.rewrite(message, "hello")
    edited = await serving.edited(1)
    assert edited.message.text == "hello"
    assert edited.message.message_id == first.message_id == str(message.id)
    assert edited.event_id != first.event_id
    assert edited.address == first.address


async def test_an_edited_caption_is_an_edit_with_its_photo(
    fake: FakeTelegram, ada: Person, serving: Serving
) -> None:
    message = fake.people.send(ada, media.photo(fake.files), "wat?")
    fake.people.rewrite(message, "what?")
    edited = await serving.edited(1)
    assert (edited.message.text, len(edited.message.attachments)) == ("what?", 1)


async def test_a_moving_live_location_is_no_edit(
    fake: FakeTelegram, ada: Person, serving: Serving
) -> None:
    message = fake.people.send(ada, media.location(52.5, 13.4, live_s=900))
    message.content = media.location(52.6, 13.4, live_s=900)
    fake.people.rewrite(message, "")
    fake.people.say(ada, "on my way")
    assert (await serving.inbound(1)).text == "on my way"


async def test_reactions_are_told_one_by_one_added_and_taken_away(
    fake: FakeTelegram, ada: Person, serving: Serving
) -> None:
    message = fake.people.say(fake.world.bot, "Soup.", chat=fake.world.chats[ada.id])
    await serving.inbound()
    fake.people.react(ada, message, "👍")
    fake.people.react(ada, message, "🔥", "❤")
    first = await serving.reaction(1)
    assert (first.emoji, first.is_added, first.message_id) == ("👍", True, str(message.id))
    assert first.address.chat_id == first.sender.id == str(ada.id)
    rest = [await serving.reaction(number) for number in (2, 3, 4)]
    assert [(one.emoji, one.is_added) for one in rest] == [
        ("👍", False),
        ("🔥", True),
        ("❤", True),
    ]
    assert len({one.event_id for one in (first, *rest)}) == 4


async def test_an_anonymous_reaction_is_that_of_its_chat(
    fake: FakeTelegram, ada: Person, serving: Serving
) -> None:
    """Case 31, for reactions."""
    group = fake.people.group("Kitchen")
    fake.people.say(ada, "hello", chat=group)
    await serving.inbound()  # before the first poll nobody has asked for reactions
    fake.updates.put(
        "message_reaction",
        {
            "chat": group.to_json(),
            "message_id": 5,
            "actor_chat": group.to_json(),
            "date": 1,
            "old_reaction": [],
            "new_reaction": [
                {"type": "custom_emoji", "custom_emoji_id": "5"},
                {"type": "emoji", "emoji": "👍"},
            ],
        },
    )
    reaction = await serving.reaction(1)
    assert (reaction.sender.id, reaction.emoji) == (str(group.id), "👍")


async def test_a_group_that_becomes_a_supergroup_is_one_move(
    fake: FakeTelegram, ada: Person, serving: Serving
) -> None:
    """Case 27: told in the old chat and in the new, with the same id."""
    group = fake.people.group("Kitchen", kind="group")
    new = fake.people.migrate(group, ada)
    fake.people.say(ada, "@hermes_test_bot still there?", chat=new)
    first, second = await serving.moved(0), await serving.moved(1)
    assert first == second
    assert (first.address.chat_id, first.new_chat_id) == (str(group.id), str(new.id))
    assert first.address.kind is ChatKind.GROUP
    assert (await serving.inbound(2)).address.chat_id == str(new.id)


async def test_being_added_removed_and_blocked_is_logged_and_no_event(
    fake: FakeTelegram, ada: Person, serving: Serving
) -> None:
    """Case 35: being added to a group is no permission, and nothing to answer."""
    group = fake.people.group("Kitchen")
    with capture_logs() as logs:
        fake.people.add_bot(group, by=ada)
        fake.people.kick(group, by=ada)
        fake.people.block(ada)
        fake.people.unblock(ada)
        fake.people.say(ada, "hello")
        await serving.inbound()
    said = [(entry["event"], entry["by"]) for entry in logs if entry.get("by")]
    assert said == [
        ("The bot was added to a chat", ada.id),
        ("The bot was removed from a chat", ada.id),
        ("The bot was blocked", ada.id),
        ("The bot was unblocked", ada.id),
    ]


async def test_service_messages_are_no_events(
    fake: FakeTelegram, ada: Person, serving: Serving
) -> None:
    group = fake.people.group("Kitchen", is_forum=True)
    happened: list[Json] = [
        {"new_chat_title": "Cellar"},
        {"new_chat_members": [ada.to_json()]},
        {"left_chat_member": ada.to_json()},
        {"group_chat_created": True},
        {"forum_topic_created": {"name": "Cats", "icon_color": 1}},
        {"message_auto_delete_timer_changed": {"message_auto_delete_time": 60}},
        {"video_chat_started": {}},
    ]
    for content in happened:
        fake.people.service(ada, content, chat=group)
    fake.people.say(ada, "hello")
    assert (await serving.inbound()).text == "hello"
