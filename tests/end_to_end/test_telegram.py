"""Telegram, the whole way: real client, real agents in Wasm, and back to the screen."""

import asyncio
from collections.abc import AsyncIterator
from functools import partial

import pytest

from gateway import app, logs
from tests.end_to_end.serving import MakeSettings, Serve
from tests.fakes.model_server import ModelServer
from tests.fakes.telegram import FakeTelegram, Person, faults

LONG_STORY = "Once upon a time there was a gateway. " * 10


def last_text(telegram: FakeTelegram, person: Person) -> str:
    replies = telegram.replies(person)
    return replies[-1].text if replies else ""


def says(telegram: FakeTelegram, person: Person, text: str) -> bool:
    return text in last_text(telegram, person)


@pytest.fixture
async def editing_gateway(serve: Serve, make_settings: MakeSettings) -> AsyncIterator[None]:
    """A gateway that shows no drafts."""
    async with serve(make_settings(telegram={"drafts": False})):
        yield


@pytest.mark.usefixtures("gateway")
async def test_a_question_gets_an_answer_that_grows_as_a_draft(
    telegram: FakeTelegram, model: ModelServer, ada: Person
) -> None:
    drip = model.enqueue(text=LONG_STORY + "**The end.**", gated=True)
    telegram.people.say(ada, "tell me a story")
    drip.release(8)
    [draft] = await telegram.wait_for(lambda: telegram.world.drafts)
    assert draft.can_stop
    assert telegram.replies(ada) == []
    first = draft.text
    drip.release(20)
    await telegram.wait_for(lambda: len(draft.text) > len(first))
    drip.release(200)
    (message,) = await telegram.wait_for(lambda: telegram.replies(ada))
    assert message.text.endswith("The end.")
    assert message.styled("bold") == ["The end."]
    assert (message.labels, len(message.versions)) == ([], 1)
    assert (telegram.world.drafts, draft.is_shown) == ([draft], False)
    assert telegram.calls_of("sendChatAction")


@pytest.mark.usefixtures("editing_gateway")
async def test_without_drafts_an_answer_grows_by_edits(
    telegram: FakeTelegram, model: ModelServer, ada: Person
) -> None:
    drip = model.enqueue(text=LONG_STORY + "**The end.**", gated=True)
    telegram.people.say(ada, "tell me a story")
    drip.release(8)
    growing = await telegram.wait_for(lambda: telegram.replies(ada))
    assert growing[0].labels == ["Stop"]
    first = growing[0].text
    drip.release(20)
    await telegram.wait_for(lambda: len(telegram.replies(ada)[0].text) > len(first))
    drip.release(200)
    await telegram.wait_for(lambda: last_text(telegram, ada).endswith("The end."))
    (message,) = telegram.replies(ada)
    assert message.styled("bold") == ["The end."]
    assert message.labels == []
    assert len(message.versions) >= 3
    assert telegram.world.drafts == []


@pytest.mark.usefixtures("gateway")
async def test_a_button_answers_the_agents_question(
    telegram: FakeTelegram, model: ModelServer, ada: Person
) -> None:
    question = {"question": "Which city?", "choices": ["Berlin", "Paris"]}
    model.enqueue(tool_calls=[("clarify", question)])
    model.enqueue(text="Paris is booked.")
    telegram.people.say(ada, "book a trip")
    asked = await telegram.wait_for(
        lambda: [m for m in telegram.replies(ada) if m.labels == ["Berlin", "Paris", "Other"]]
    )
    query = telegram.people.press(asked[0], "Paris")
    await telegram.wait_for(lambda: last_text(telegram, ada) == "Paris is booked.")
    await telegram.wait_for(lambda: asked[0].labels == [])
    assert query.is_answered
    assert asked[0].text == "Which city?\n\n→ Paris"
    assert "Paris" in str(model.requests[-1].body["messages"][-1]["content"])


async def test_a_button_that_was_pressed_while_the_gateway_was_down_answers_after_the_start(
    telegram: FakeTelegram,
    model: ModelServer,
    ada: Person,
    *,
    serve: Serve,
    make_settings: MakeSettings,
) -> None:
    """Cases 39 and 40: nothing is lost without a word, and it is seen that something goes on."""
    model.enqueue(tool_calls=[("clarify", {"question": "Which?", "choices": ["Berlin", "Paris"]})])
    async with serve(make_settings()):
        telegram.people.say(ada, "book a trip")
        asked = await telegram.wait_for(
            lambda: [m for m in telegram.replies(ada) if "Paris" in m.labels]
        )
    query = telegram.people.press(asked[0], "Paris")
    typed_before = len(telegram.calls_of("sendChatAction"))
    drip = model.enqueue(text="Paris is booked.", gated=True)
    async with serve(make_settings()):
        await drip.started.wait()
        await telegram.wait_for(lambda: len(telegram.calls_of("sendChatAction")) > typed_before)
        await telegram.wait_for(lambda: query.is_answered)
        drip.release(100)
        await telegram.wait_for(lambda: last_text(telegram, ada) == "Paris is booked.")
        # The very one that was pressed, unless the end came before its id was written down.
        shown = [message.text for message in telegram.replies(ada)]
        assert "Which?\n\n→ Paris" in shown


@pytest.mark.usefixtures("gateway")
async def test_a_stranger_gets_nothing_not_even_typing(
    telegram: FakeTelegram, model: ModelServer, ada: Person
) -> None:
    eve = telegram.people.person("Eve")
    telegram.people.say(eve, "/start")
    telegram.people.say(eve, "hello?")
    group = telegram.people.group("Eve's group")
    telegram.people.say(eve, "@hermes_test_bot hello?", chat=group)
    model.enqueue(text="hello Ada")
    telegram.people.say(ada, "hello")
    await telegram.wait_for(lambda: last_text(telegram, ada) == "hello Ada")
    assert telegram.replies(eve) == []
    assert telegram.replies(group) == []
    chats = {str(call.arguments.get("chat_id")) for call in telegram.calls_of("sendChatAction")}
    assert chats == {str(ada.id)}
    assert len(model.requests) == 1


@pytest.mark.usefixtures("gateway")
async def test_stop_in_mid_stream_keeps_what_was_said(
    telegram: FakeTelegram, model: ModelServer, ada: Person
) -> None:
    drip = model.enqueue(text=LONG_STORY, gated=True)
    telegram.people.say(ada, "tell me a story")
    drip.release(10)
    await telegram.wait_for(lambda: telegram.world.drafts)
    telegram.people.say(ada, "/stop")
    await telegram.wait_for(lambda: last_text(telegram, ada).endswith("(stopped)"))
    (message,) = telegram.replies(ada)
    assert message.text.startswith("Once upon a time")
    assert message.labels == []


@pytest.mark.usefixtures("gateway")
async def test_the_button_under_a_draft_does_the_same(
    telegram: FakeTelegram, model: ModelServer, ada: Person
) -> None:
    drip = model.enqueue(text=LONG_STORY, gated=True)
    telegram.people.say(ada, "tell me a story")
    drip.release(10)
    (draft,) = await telegram.wait_for(lambda: telegram.world.drafts)
    telegram.people.stop(draft)
    await telegram.wait_for(lambda: last_text(telegram, ada).endswith("(stopped)"))
    (message,) = telegram.replies(ada)
    assert message.text.startswith("Once upon a time")


@pytest.mark.usefixtures("editing_gateway")
async def test_the_stop_button_does_the_same(
    telegram: FakeTelegram, model: ModelServer, ada: Person
) -> None:
    """Case 22: what is stopped while it is being edited in is not sent once more."""
    drip = model.enqueue(text=LONG_STORY, gated=True)
    telegram.people.say(ada, "tell me a story")
    drip.release(10)
    (growing,) = await telegram.wait_for(lambda: telegram.replies(ada))
    query = telegram.people.press(growing, "Stop")
    await telegram.wait_for(lambda: growing.text.endswith("(stopped)"))
    await telegram.wait_for(lambda: query.is_answered)
    assert telegram.replies(ada) == [growing]


@pytest.mark.usefixtures("gateway")
async def test_new_begins_a_new_conversation(
    telegram: FakeTelegram, model: ModelServer, ada: Person
) -> None:
    model.enqueue(text="I see, blue.")
    telegram.people.say(ada, "my colour is blue")
    await telegram.wait_for(lambda: last_text(telegram, ada) == "I see, blue.")
    telegram.people.say(ada, "/new")
    await telegram.wait_for(lambda: "new conversation" in last_text(telegram, ada))
    model.enqueue(text="I don't know.")
    telegram.people.say(ada, "what is my colour?")
    await telegram.wait_for(lambda: last_text(telegram, ada) == "I don't know.")
    assert "blue" not in str(model.requests[-1].body["messages"])


@pytest.mark.usefixtures("gateway")
async def test_messages_that_come_while_busy_are_answered_in_their_order(
    telegram: FakeTelegram, model: ModelServer, ada: Person
) -> None:
    """Case 29."""
    drip = model.enqueue(text="answer 0", gated=True)
    telegram.people.say(ada, "question 0")
    await drip.started.wait()
    for n in range(1, 5):
        model.enqueue(text=f"answer {n}")
        telegram.people.say(ada, f"question {n}")
    drip.release(20)
    await telegram.wait_for(lambda: last_text(telegram, ada) == "answer 4")
    assert [m.text for m in telegram.replies(ada)] == [f"answer {n}" for n in range(5)]


@pytest.mark.usefixtures("gateway")
async def test_a_topic_keeps_its_answers(
    telegram: FakeTelegram, model: ModelServer, ada: Person
) -> None:
    forum = telegram.people.group("Forum", is_forum=True)
    topic = telegram.people.topic(forum, "Cats")
    text = "A very long answer. " * 400
    model.enqueue(text=text)
    telegram.people.say(ada, "@hermes_test_bot tell us", chat=forum, topic=topic)
    await telegram.wait_for(
        lambda: sum(len(m.text) for m in telegram.replies(forum)) >= len(text) - 10
    )
    replies = telegram.replies(forum)
    assert len(replies) >= 2
    assert {reply.topic for reply in replies} == {topic}


@pytest.mark.usefixtures("gateway")
async def test_topics_in_a_private_chat_are_conversations_of_their_own(
    telegram: FakeTelegram, model: ModelServer, ada: Person
) -> None:
    chat = telegram.world.chats[ada.id]
    topics = [telegram.people.topic(chat, name) for name in ("Cats", "Taxes")]
    for topic, said in zip(topics, ("cats", "taxes"), strict=True):
        model.enqueue(text=f"I know {said}.")
        telegram.people.say(ada, said, topic=topic)
        await telegram.wait_for(partial(says, telegram, ada, said))
    assert [(one.topic, one.text) for one in telegram.replies(ada)] == [
        (topics[0], "I know cats."),
        (topics[1], "I know taxes."),
    ]
    assert {draft.topic for draft in telegram.world.drafts} <= set(topics)
    assert "cats" not in str(model.requests[-1].body["messages"])


@pytest.mark.usefixtures("editing_gateway")
async def test_flood_waits_slow_the_edits_and_show_the_answer_once(
    telegram: FakeTelegram, model: ModelServer, ada: Person
) -> None:
    drip = model.enqueue(text=LONG_STORY, gated=True)
    telegram.people.say(ada, "tell me a story")
    drip.release(8)
    await telegram.wait_for(lambda: telegram.replies(ada))
    telegram.fail("editMessageText", faults.retry_after(1), times=2)
    for _ in range(20):
        drip.release(2)
        await asyncio.sleep(0.01)
    drip.release(200)
    await telegram.wait_for(lambda: last_text(telegram, ada) == LONG_STORY.strip())
    assert len(telegram.replies(ada)) == 1


@pytest.mark.usefixtures("gateway")
async def test_an_answer_that_may_have_arrived_is_not_sent_twice(
    telegram: FakeTelegram, model: ModelServer, ada: Person
) -> None:
    telegram.fail("sendMessage", faults.lost_answer())
    model.enqueue(text="short")
    telegram.people.say(ada, "hello")
    await telegram.wait_for(lambda: says(telegram, ada, "whether my last message arrived"))
    model.enqueue(text="second")
    telegram.people.say(ada, "and?")
    await telegram.wait_for(lambda: last_text(telegram, ada) == "second")
    answer, notice, second = telegram.replies(ada)
    assert (answer.text, second.text) == ("short", "second")
    assert notice.labels == ["Show it again"]


async def test_a_wrong_token_is_a_clear_end(make_settings: MakeSettings) -> None:
    settings = make_settings(telegram={"token": "123:wrong"})
    logs.set_up(settings)
    assert await app.run(settings, lambda _: None) == 1


async def test_two_chats_in_parallel_share_nothing(
    serve: Serve, make_settings: MakeSettings, telegram: FakeTelegram, ada: Person
) -> None:
    bob = telegram.people.person("Bob")
    settings = make_settings(
        model={"provider": "demo", "name": "demo"}, telegram={"allowed_users": (ada.id, bob.id)}
    )
    async with serve(settings):
        for person, pet in ((ada, "Luna"), (bob, "Rex")):
            telegram.people.say(person, f"remember that my pet is called {pet}")
        for person, pet in ((ada, "Luna"), (bob, "Rex")):
            await telegram.wait_for(partial(says, telegram, person, pet))
            telegram.people.say(person, "what do you know about me?")
        for person, pet, other in ((ada, "Luna", "Rex"), (bob, "Rex", "Luna")):
            await telegram.wait_for(partial(says, telegram, person, "This is what I have noted"))
            told = " ".join(message.text for message in telegram.replies(person))
            assert pet in told
            assert other not in told
