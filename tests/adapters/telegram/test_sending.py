"""Parts on the screen, and each way in which that fails."""

import asyncio
from pathlib import Path

import pytest
from telegram.request import HTTPXRequest

from adapters.base import (
    AdapterError,
    Ambiguous,
    Button,
    ChatGone,
    Part,
    RateLimited,
    Rejected,
    TargetGone,
    Unreachable,
)
from adapters.telegram.adapter import TelegramAdapter
from tests.adapters.telegram.serving import QUICK, Serving, adapter_for, address_of, settings_for
from tests.fakes.telegram import FakeTelegram, Person, faults

HELLO = Part("hello")


async def test_a_formatted_part_arrives_with_its_entities(
    fake: FakeTelegram, ada: Person, adapter: TelegramAdapter
) -> None:
    [part] = adapter.render("😀 **bold** [link](https://example.org)\n```py\n  x = 1\n```")
    await adapter.send(address_of(ada), part)
    [message] = fake.replies(ada)
    assert message.text == "😀 bold link\n  x = 1"
    assert message.styled("bold") == ["bold"]
    assert message.styled("text_link") == ["link"]
    assert message.styled("pre") == ["  x = 1"]
    assert [one.get("language") for one in message.entities if one["type"] == "pre"] == ["py"]


async def test_links_in_an_answer_show_no_previews(
    fake: FakeTelegram, ada: Person, adapter: TelegramAdapter
) -> None:
    [part] = adapter.render("see https://example.org/cats")
    (message_id,) = await adapter.send(address_of(ada), part)
    await adapter.edit(address_of(ada), message_id, adapter.render("or https://example.org")[0])
    for method in ("sendMessage", "editMessageText"):
        [call] = fake.calls_of(method)
        assert call.arguments["link_preview_options"] == {"is_disabled": True}


async def test_a_reply_growing_by_edits_ends_formatted_and_without_cursor(
    fake: FakeTelegram, ada: Person, adapter: TelegramAdapter
) -> None:
    address = address_of(ada)
    (message_id,) = await adapter.send(address, adapter.preview("It is")[-1])
    await adapter.edit(address, message_id, adapter.preview("It is **very")[-1])
    await adapter.edit(address, message_id, adapter.render("It is **very** late")[-1])
    [message] = fake.replies(ada)
    assert message.versions == ["It is ▉", "It is **very ▉", "It is very late"]
    assert message.styled("bold") == ["very"]


async def test_an_edit_that_changes_nothing_is_a_success(
    fake: FakeTelegram, ada: Person, adapter: TelegramAdapter
) -> None:
    """Case 19."""
    (message_id,) = await adapter.send(address_of(ada), HELLO)
    await adapter.edit(address_of(ada), message_id, HELLO)
    assert "message is not modified" in fake.calls_of("editMessageText")[0].outcome


async def test_an_edit_may_change_the_buttons_alone(
    fake: FakeTelegram, ada: Person, adapter: TelegramAdapter
) -> None:
    part = Part("sure?", buttons=((Button("Yes", "y"), Button("No", "n")),))
    (message_id,) = await adapter.send(address_of(ada), part)
    assert fake.replies(ada)[0].labels == ["Yes", "No"]
    await adapter.edit(address_of(ada), message_id, Part("sure?"))
    assert fake.replies(ada)[0].labels == []


async def test_a_reply_carries_topic_and_reference(
    fake: FakeTelegram, ada: Person, adapter: TelegramAdapter
) -> None:
    """Case 20: each part of an answer, not only the first."""
    forum = fake.people.group("Club", is_forum=True)
    topic = fake.people.topic(forum, "Chess")
    asked = fake.people.say(ada, "e4", chat=forum, topic=topic)
    address = address_of(forum, reply_to=asked.id, topic=topic)
    for part in adapter.render("word " * 1500):
        await adapter.send(address, part)
    replies = fake.replies(forum)
    assert [(one.topic, one.reply_to) for one in replies] == [(topic, asked), (topic, asked)]


async def test_an_answer_to_a_deleted_message_is_shown_all_the_same(
    fake: FakeTelegram, ada: Person, adapter: TelegramAdapter
) -> None:
    """Case 23b."""
    group = fake.people.group("Kitchen")
    asked = fake.people.say(ada, "soup?", chat=group)
    fake.people.delete(asked)
    await adapter.send(address_of(group, reply_to=asked.id), HELLO)
    [message] = fake.replies(group)
    assert (message.text, message.reply_to) == ("hello", None)


async def test_a_refused_reply_reference_is_left_out_once(
    fake: FakeTelegram, ada: Person, adapter: TelegramAdapter
) -> None:
    group = fake.people.group("Kitchen")
    asked = fake.people.say(ada, "soup?", chat=group)
    gone = faults.refused(400, "Bad Request: message to be replied not found")
    fake.fail("sendMessage", gone)
    await adapter.send(address_of(group, reply_to=asked.id), HELLO)
    assert [one.text for one in fake.replies(group)] == ["hello"]
    fake.fail("sendMessage", gone, times=2)
    with pytest.raises(TargetGone):
        await adapter.send(address_of(group, reply_to=asked.id), HELLO)
    assert len(fake.replies(group)) == 1


@pytest.mark.parametrize("topic", [1, 77])
async def test_a_missing_topic_is_an_error_and_never_another_chat(
    fake: FakeTelegram, adapter: TelegramAdapter, topic: int
) -> None:
    """Case 39a; 1 is General, which has no thread id for sending."""
    forum = fake.people.group("Club", is_forum=True)
    with pytest.raises(ChatGone, match="thread not found"):
        await adapter.send(address_of(forum, topic=topic), HELLO)
    assert len(fake.calls_of("sendMessage")) == 1
    assert all(not fake.messages(chat) for chat in fake.world.chats.values())


async def test_editing_what_was_deleted_says_that_the_target_is_gone(
    fake: FakeTelegram, ada: Person, adapter: TelegramAdapter
) -> None:
    (message_id,) = await adapter.send(address_of(ada), HELLO)
    fake.people.delete(fake.replies(ada)[0])
    with pytest.raises(TargetGone):
        await adapter.edit(address_of(ada), message_id, Part("later"))


async def test_deleting_twice_is_fine(
    fake: FakeTelegram, ada: Person, adapter: TelegramAdapter
) -> None:
    (message_id,) = await adapter.send(address_of(ada), HELLO)
    await adapter.delete(address_of(ada), message_id)
    await adapter.delete(address_of(ada), message_id)
    assert fake.replies(ada) == []


async def test_a_person_who_blocked_the_bot_is_gone(
    fake: FakeTelegram, ada: Person, adapter: TelegramAdapter
) -> None:
    fake.people.block(ada)
    with pytest.raises(ChatGone, match="blocked by the user"):
        await adapter.send(address_of(ada), HELLO)


async def test_typing_shows_in_the_chat(
    fake: FakeTelegram, ada: Person, adapter: TelegramAdapter
) -> None:
    await adapter.typing(address_of(ada))
    assert fake.world.actions == [(ada.id, "typing")]


@pytest.mark.parametrize(
    ("fault", "kind", "is_shown"),
    [
        (faults.retry_after(21), RateLimited, False),
        (faults.refused(429, "Too Many Requests"), RateLimited, False),
        (faults.server_error(), Unreachable, False),
        (faults.bad_gateway(), Unreachable, False),
        (faults.gateway_timeout(), Ambiguous, False),
        (faults.blocked(), ChatGone, False),
        (faults.refused(400, "Bad Request: chat not found"), ChatGone, False),
        (faults.refused(400, "Bad Request: CHAT_WRITE_FORBIDDEN"), ChatGone, False),
        (faults.refused(400, "Bad Request: PEER_ID_INVALID"), ChatGone, False),
        (faults.refused(400, "Bad Request: CHANNEL_PRIVATE"), ChatGone, False),
        (faults.refused(400, "Bad Request: USER_BANNED_IN_CHANNEL"), ChatGone, False),
        (faults.refused(400, "Bad Request: TOPIC_CLOSED"), ChatGone, False),
        (faults.refused(400, "Bad Request: TOPIC_DELETED"), ChatGone, False),
        (faults.refused(400, "Bad Request: have no rights to send a message"), ChatGone, False),
        (
            faults.refused(400, "Bad Request: not enough rights to send text messages to the chat"),
            ChatGone,
            False,
        ),
        (faults.refused(403, "Forbidden: user is deactivated"), ChatGone, False),
        (
            faults.refused(403, "Forbidden: bot can't initiate conversation with a user"),
            ChatGone,
            False,
        ),
        (faults.refused(403, "Forbidden: bots can't send messages to bots"), ChatGone, False),
        (faults.refused(400, "Bad Request: can't parse entities"), Rejected, False),
        (faults.refused(400, "Bad Request: message is too long"), Rejected, False),
        # Files are refused like this as well, where texts are allowed.
        (
            faults.refused(400, "Bad Request: not enough rights to send photos to the chat"),
            Rejected,
            False,
        ),
        # By a bot that guards the group, and would take the next one away as well.
        (
            faults.refused(500, "Internal Server Error: sent message was immediately deleted"),
            Ambiguous,
            False,
        ),
        # Not the Bot API's answer, whatever its number says: a proxy's, a hotel's, a server's that
        # is being started.
        (faults.page(401), Unreachable, False),
        (faults.page(403), Unreachable, False),
        (faults.page(404), Unreachable, False),
        (faults.page(503), Unreachable, False),
        (faults.cut_off(), Ambiguous, True),
        (faults.lost_answer(), Ambiguous, True),
        (faults.hangs_after(), Ambiguous, True),
        (faults.hangs(), Ambiguous, False),
        (faults.garbled(), Ambiguous, True),
        (faults.no_message(), Ambiguous, True),
    ],
    ids=lambda value: getattr(value, "name", None),
)
async def test_each_failure_of_a_send_has_its_kind(
    fake: FakeTelegram, ada: Person, fault: faults.Fault, kind: type[AdapterError], is_shown: bool
) -> None:
    """Cases 14 to 16: a send whose fate is unknown is ambiguous, and nothing is sent twice."""
    adapter = adapter_for(fake, answer_within_s=0.3 if fault.hangs else 5)
    fake.fail("sendMessage", fault)
    with pytest.raises(AdapterError) as caught:
        await adapter.send(address_of(ada), HELLO)
    await adapter.close()
    assert type(caught.value) is kind
    assert len(fake.replies(ada)) == is_shown
    assert len(fake.calls_of("sendMessage")) == 1


async def test_flood_control_tells_how_long_to_wait(
    fake: FakeTelegram, ada: Person, adapter: TelegramAdapter
) -> None:
    """Case 23: the adapter does not sleep through it itself."""
    fake.fail("sendMessage", faults.retry_after(13_938))
    with pytest.raises(RateLimited) as caught:
        await adapter.send(address_of(ada), HELLO)
    assert caught.value.retry_after_s == 13_938


async def test_a_refused_connection_means_that_nothing_was_sent(ada: Person) -> None:
    """Case 21."""
    async with FakeTelegram() as closed:
        settings = settings_for(closed)
    adapter = TelegramAdapter(settings, pace=QUICK)
    with pytest.raises(Unreachable):
        await adapter.send(address_of(ada), HELLO)
    await adapter.close()


async def test_no_free_connection_means_that_nothing_was_sent(
    fake: FakeTelegram, ada: Person
) -> None:
    request = HTTPXRequest(connection_pool_size=1, pool_timeout=0)
    adapter = TelegramAdapter(settings_for(fake), request=request)
    await adapter.send(address_of(ada), HELLO)
    fake.fail("sendMessage", faults.hangs())
    busy = asyncio.create_task(adapter.send(address_of(ada), HELLO))
    await fake.wait_for(lambda: len(fake.calls_of("sendMessage")) == 2)
    with pytest.raises(Unreachable):
        await adapter.send(address_of(ada), HELLO)
    busy.cancel()
    await asyncio.wait([busy])
    await adapter.close()


@pytest.mark.parametrize("data", ["", "x" * 65, "é" * 33])
async def test_button_data_that_does_not_fit_is_refused_before_it_is_sent(
    fake: FakeTelegram, ada: Person, adapter: TelegramAdapter, data: str
) -> None:
    """Case 43."""
    with pytest.raises(Rejected, match="1 to 64"):
        await adapter.send(address_of(ada), Part("?", buttons=((Button("Yes", data),),)))
    assert fake.calls == []


async def test_a_pressed_button_brings_its_data_and_is_acknowledged(
    fake: FakeTelegram, ada: Person
) -> None:
    adapter = adapter_for(fake)
    async with Serving(adapter) as serving:
        part = Part("Which?", buttons=((Button("Red", "c:1:" + "x" * 60),), (Button("Blue", "b"),)))
        await adapter.send(address_of(ada), part)
        query = fake.people.press(fake.replies(ada)[0], "Blue")
        press = await serving.press()
        assert (press.data, press.is_on_message) == ("b", True)
        assert press.sender.id == str(ada.id)
        assert press.address == address_of(ada)
        await press.acknowledge("Blue it is")
        assert (query.is_answered, query.notice) == (True, "Blue it is")
        await press.acknowledge(None)  # too old by now: not an error
        fake.fail("answerCallbackQuery", faults.server_error())
        with pytest.raises(Unreachable):
            await press.acknowledge(None)


async def test_a_press_that_a_client_made_up_is_of_no_button_on_the_message(
    fake: FakeTelegram, ada: Person
) -> None:
    adapter = adapter_for(fake)
    async with Serving(adapter) as serving:
        await adapter.send(address_of(ada), Part("?", buttons=((Button("Go", "g"),),)))
        await adapter.send(address_of(ada), Part("No buttons here."))
        for message in fake.replies(ada):
            fake.people.make_up(message, "stop:1", by=ada)
            assert not (await serving.press()).is_on_message


async def test_a_button_in_a_topic_brings_the_topic(fake: FakeTelegram, ada: Person) -> None:
    forum = fake.people.group("Club", is_forum=True)
    topic = fake.people.topic(forum, "Chess")
    adapter = adapter_for(fake)
    async with Serving(adapter) as serving:
        address = address_of(forum, topic=topic)
        await adapter.send(address, Part("?", buttons=((Button("Go", "g"),),)))
        fake.people.press(fake.replies(forum)[0], "Go", by=ada)
        assert (await serving.press()).address == address


async def test_a_long_answer_in_many_languages_is_taken_as_it_is(
    fake: FakeTelegram, ada: Person, adapter: TelegramAdapter
) -> None:
    answer = (Path(__file__).parent / "long_answer.md").read_text(encoding="utf-8")
    for part in adapter.render(answer * 9):
        await adapter.send(address_of(ada), part)
    assert {call.outcome for call in fake.calls} == {"ok"}
    assert len(fake.replies(ada)) > 2


async def test_a_yes_is_green_and_a_no_is_red(
    fake: FakeTelegram, ada: Person, adapter: TelegramAdapter
) -> None:
    row = (Button("Once", "1", "good"), Button("Deny", "2", "bad"), Button("Other", "3"))
    await adapter.send(address_of(ada), Part("May I?", buttons=(row,)))
    [keyboard] = fake.replies(ada)[0].keyboard
    assert [button.get("style") for button in keyboard] == ["success", "danger", None]


async def test_a_group_that_becomes_a_supergroup_is_followed(
    fake: FakeTelegram, ada: Person, adapter: TelegramAdapter
) -> None:
    """Case 27: what was being written when it moved arrives, and can be edited and taken away."""
    group = fake.people.group("Kitchen", kind="group")
    asked = fake.people.say(ada, "soup?", chat=group)
    address = address_of(group, reply_to=asked.id)
    moved = fake.people.migrate(group, ada)
    (message_id,) = await adapter.send(address, HELLO)
    await adapter.edit(address, message_id, Part("hello again"))
    await adapter.typing(address)
    assert [message.text for message in fake.replies(moved)] == ["hello again"]
    assert fake.world.actions == [(moved.id, "typing")]
    await adapter.delete(address, message_id)
    assert fake.replies(moved) == fake.replies(group) == []


async def test_a_supergroup_that_is_not_there_either_is_gone(
    fake: FakeTelegram, ada: Person, adapter: TelegramAdapter
) -> None:
    fault = faults.refused(400, "Bad Request: group chat was upgraded", migrate_to_chat_id=-1009)
    fake.fail("sendMessage", fault)
    with pytest.raises(ChatGone):
        await adapter.send(address_of(ada), HELLO)
    assert len(fake.calls_of("sendMessage")) == 2


async def test_a_button_that_was_pressed_too_long_ago_is_acknowledged_without_an_error(
    fake: FakeTelegram, ada: Person
) -> None:
    adapter = adapter_for(fake)
    async with Serving(adapter) as serving:
        await adapter.send(address_of(ada), Part("?", buttons=((Button("Go", "g"),),)))
        query = fake.people.press(fake.replies(ada)[0], "Go")
        query.pressed_at -= 60
        await (await serving.press()).acknowledge("Too late")
        assert not query.is_answered
        assert "query is too old" in fake.calls_of("answerCallbackQuery")[0].outcome
