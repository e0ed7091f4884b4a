"""What people send on Telegram, the whole way: through the real client and agents to the model."""

import io
from collections.abc import AsyncIterator
from pathlib import Path

import pytest
from PIL import Image

from config.settings import Settings
from tests.end_to_end.serving import MakeSettings, Serve
from tests.fakes.model_server import ModelServer
from tests.fakes.telegram import FakeTelegram, Person, media
from tests.fakes.telegram.ports import free_port
from tests.gateway.reading.pdf_documents import pdf


def last_text(telegram: FakeTelegram, person: Person) -> str:
    replies = telegram.replies(person)
    return replies[-1].text if replies else ""


def asked(model: ModelServer) -> str:
    """What the last person's message has become for the model."""
    return str(model.requests[-1].body["messages"][-1]["content"])


def picture(colour: str = "red") -> bytes:
    buffer = io.BytesIO()
    Image.new("RGB", (40, 30), colour).save(buffer, "JPEG")
    return buffer.getvalue()


@pytest.mark.usefixtures("gateway")
async def test_a_photo_with_its_caption_reaches_the_model_as_a_picture(
    telegram: FakeTelegram, model: ModelServer, ada: Person
) -> None:
    model.enqueue(text="It is red.")
    telegram.people.send(ada, media.photo(telegram.files, picture()), "which colour is this?")
    await telegram.wait_for(lambda: last_text(telegram, ada) == "It is red.")
    content = model.requests[-1].body["messages"][-1]["content"]
    assert [part["type"] for part in content] == ["text", "image_url"]
    assert "which colour is this?" in content[0]["text"]


@pytest.mark.usefixtures("gateway")
async def test_a_voice_message_that_nobody_can_hear_is_told(
    telegram: FakeTelegram, model: ModelServer, ada: Person
) -> None:
    model.enqueue(text="I can't listen; please write.")
    telegram.people.send(ada, media.voice(telegram.files, duration=3))
    await telegram.wait_for(lambda: last_text(telegram, ada).startswith("I can't listen"))
    assert "nothing that could write it down is set up here" in asked(model)


@pytest.mark.usefixtures("gateway")
@pytest.mark.parametrize(
    ("name", "content"),
    [("list.txt", b"eggs, flour, a rabbit"), ("list.pdf", pdf("eggs, flour, a rabbit"))],
)
async def test_the_text_of_a_file_or_a_pdf_is_read_to_the_model(
    telegram: FakeTelegram, model: ModelServer, ada: Person, name: str, content: bytes
) -> None:
    model.enqueue(text="A shopping list.")
    file = media.document(telegram.files, content, name=name)
    telegram.people.send(ada, file, "what is it?")
    await telegram.wait_for(lambda: last_text(telegram, ada) == "A shopping list.")
    assert "eggs, flour, a rabbit" in asked(model)


@pytest.mark.usefixtures("gateway")
async def test_a_file_that_telegram_does_not_give_out_is_told_and_the_turn_goes_on(
    telegram: FakeTelegram, model: ModelServer, ada: Person
) -> None:
    """Case 39b: over 20 MB. The update has been taken and does not come again."""
    model.enqueue(text="It is too large for me.")
    huge = media.document(telegram.files, b"x", name="film.mkv", size=21 * 1024 * 1024)
    telegram.people.send(ada, huge, "can you cut this?")
    await telegram.wait_for(lambda: last_text(telegram, ada) == "It is too large for me.")
    assert "can you cut this?" in asked(model)
    assert "film.mkv" in asked(model)
    await telegram.wait_for(lambda: not telegram.updates.pending)


@pytest.mark.usefixtures("gateway")
async def test_a_place_and_a_forward_are_told_in_words(
    telegram: FakeTelegram, model: ModelServer, ada: Person
) -> None:
    model.enqueue(text="In Berlin.")
    telegram.people.send(ada, media.location(52.52, 13.405))
    await telegram.wait_for(lambda: last_text(telegram, ada) == "In Berlin.")
    assert "[Location: 52.520000, 13.405000]" in asked(model)


async def test_an_update_that_is_delivered_again_after_a_restart_is_answered_once(
    serve: Serve,
    make_settings: MakeSettings,
    telegram: FakeTelegram,
    model: ModelServer,
    ada: Person,
) -> None:
    """Case 24, once more after a restart."""
    model.enqueue(text="first")
    async with serve(make_settings()):
        message = telegram.people.say(ada, "hello")
        await telegram.wait_for(lambda: last_text(telegram, ada) == "first")
    telegram.updates.pending.append({"update_id": 1000, "message": message.to_json()})
    model.enqueue(text="second")
    async with serve(make_settings()):
        telegram.people.say(ada, "and?")
        await telegram.wait_for(lambda: last_text(telegram, ada) == "second")
    assert [reply.text for reply in telegram.replies(ada)] == ["first", "second"]


async def test_two_bots_do_not_answer_each_other(
    serve: Serve,
    make_settings: MakeSettings,
    telegram: FakeTelegram,
    model: ModelServer,
    ada: Person,
) -> None:
    """Case 36: even in a group that is free and open to all."""
    group = telegram.people.group("Bots")
    open_to_all = {"allowed_chats": (group.id,), "free_chats": (group.id,)}
    robo = telegram.people.person("Robo", is_bot=True)
    async with serve(make_settings(telegram=open_to_all)):
        telegram.people.say(robo, "@hermes_test_bot what do you think?", chat=group)
        model.enqueue(text="I think so.")
        telegram.people.say(ada, "and you?", chat=group)
        await telegram.wait_for(lambda: telegram.replies(group))
    assert len(model.requests) == 1


@pytest.fixture
async def caller(tmp_path: Path) -> AsyncIterator[FakeTelegram]:
    """A Bot API server of one's own: it calls webhooks over plain HTTP."""
    async with FakeTelegram(local_folder=tmp_path / "files") as telegram:
        yield telegram


@pytest.fixture
def by_webhook(make_settings: MakeSettings, caller: FakeTelegram) -> Settings:
    """A gateway that this server calls, and to which Ada may talk."""
    port = free_port()
    reached = {
        "base_url": caller.base_url,
        "allowed_users": (caller.people.person("Ada").id,),
        "webhook": {"url": f"http://127.0.0.1:{port}/hook", "port": port},
    }
    return make_settings(telegram=reached)


async def test_by_webhook_a_question_gets_its_answer_and_a_restart_loses_nothing(
    serve: Serve, by_webhook: Settings, caller: FakeTelegram, model: ModelServer
) -> None:
    ada = caller.people.person("Ada")
    async with serve(by_webhook):
        model.enqueue(text="Good morning.")
        caller.people.say(ada, "hello")
        await caller.wait_for(lambda: last_text(caller, ada) == "Good morning.")
    caller.people.say(ada, "are you there?")
    model.enqueue(text="Here again.")
    async with serve(by_webhook):
        await caller.wait_for(lambda: last_text(caller, ada) == "Here again.")
    assert caller.updates.polls == 0


async def test_an_update_that_is_delivered_again_within_seconds_is_answered_once(
    serve: Serve, by_webhook: Settings, caller: FakeTelegram, model: ModelServer
) -> None:
    """Case 24."""
    ada = caller.people.person("Ada")
    async with serve(by_webhook):
        model.enqueue(text="first")
        message = caller.people.say(ada, "hello")
        await caller.wait_for(lambda: last_text(caller, ada) == "first")
        caller.updates.pending.append({"update_id": 1000, "message": message.to_json()})
        model.enqueue(text="second")
        caller.people.say(ada, "and?")
        await caller.wait_for(lambda: last_text(caller, ada) == "second")
    assert caller.webhook.answers == [200, 200, 200]
    assert [reply.text for reply in caller.replies(ada)] == ["first", "second"]


@pytest.fixture
async def joining(serve: Serve, make_settings: MakeSettings) -> AsyncIterator[None]:
    """A gateway that waits a moment for what belongs together."""
    async with serve(make_settings(chats={"join_window_s": 0.3})):
        yield


@pytest.mark.usefixtures("joining")
async def test_an_album_is_one_turn_with_all_its_pictures(
    telegram: FakeTelegram, model: ModelServer, ada: Person
) -> None:
    """Case 33."""
    model.enqueue(text="Four colours.")
    colours = ("red", "green", "blue", "white")
    photos = [media.photo(telegram.files, picture(colour)) for colour in colours]
    telegram.people.album(ada, photos, "our holidays")
    await telegram.wait_for(lambda: last_text(telegram, ada) == "Four colours.")
    content = model.requests[-1].body["messages"][-1]["content"]
    assert [part["type"] for part in content] == ["text", *["image_url"] * 4]
    assert "our holidays" in content[0]["text"]
    assert len(model.requests) == 1


@pytest.mark.usefixtures("joining")
async def test_an_album_in_a_group_is_whole_though_only_its_caption_names_the_bot(
    telegram: FakeTelegram, model: ModelServer, ada: Person
) -> None:
    """Case 33, in a group: the other pictures say nothing."""
    model.enqueue(text="Two colours.")
    group = telegram.people.group("Kitchen")
    photos = [media.photo(telegram.files, picture(colour)) for colour in ("red", "green")]
    telegram.people.album(ada, photos, "@hermes_test_bot which colours?", chat=group)
    await telegram.wait_for(lambda: telegram.replies(group))
    content = model.requests[-1].body["messages"][-1]["content"]
    assert [part["type"] for part in content] == ["text", "image_url", "image_url"]
    assert len(model.requests) == 1


@pytest.mark.usefixtures("joining")
async def test_a_paste_that_the_client_had_to_split_gets_one_answer(
    telegram: FakeTelegram, model: ModelServer, ada: Person
) -> None:
    """Case 34."""
    model.enqueue(text="A long text.")
    telegram.people.say(ada, "a" * 4096)
    telegram.people.say(ada, "and its end")
    await telegram.wait_for(lambda: last_text(telegram, ada) == "A long text.")
    assert asked(model).endswith("a\nand its end")
    assert len(model.requests) == 1


@pytest.mark.usefixtures("joining")
async def test_editing_the_last_message_has_its_turn_redone(
    telegram: FakeTelegram, model: ModelServer, ada: Person
) -> None:
    model.enqueue(text="I know no Lomdon.")
    message = telegram.people.say(ada, "where is Lomdon?")
    await telegram.wait_for(lambda: last_text(telegram, ada) == "I know no Lomdon.")
    model.enqueue(text="In England.")
    telegram.people.rewrite(message, "where is London?")
    await telegram.wait_for(lambda: last_text(telegram, ada) == "In England.")
    told = str(model.requests[-1].body["messages"])
    assert "where is London?" in told
    assert "Lomdon" not in told


@pytest.mark.usefixtures("joining")
async def test_a_reaction_to_an_answer_is_told_with_the_next_message(
    telegram: FakeTelegram, model: ModelServer, ada: Person
) -> None:
    model.enqueue(text="Berlin.")
    telegram.people.say(ada, "capital of Germany?")
    await telegram.wait_for(lambda: last_text(telegram, ada) == "Berlin.")
    telegram.people.react(ada, telegram.replies(ada)[-1], "👎")
    model.enqueue(text="Sorry.")
    telegram.people.say(ada, "hm")
    await telegram.wait_for(lambda: last_text(telegram, ada) == "Sorry.")
    assert "👎" in asked(model)


@pytest.mark.usefixtures("joining")
async def test_a_forwarded_command_is_text_and_is_told_as_somebody_elses(
    telegram: FakeTelegram, model: ModelServer, ada: Person
) -> None:
    model.enqueue(text="That is a command of mine.")
    telegram.people.say(ada, "/new", content=media.forwarded(hidden="Eve"))
    await telegram.wait_for(lambda: telegram.replies(ada))
    assert "Eve" in asked(model)
    assert "/new" in asked(model)


@pytest.mark.usefixtures("gateway")
async def test_voice_messages_that_come_while_an_answer_is_written_are_all_answered(
    telegram: FakeTelegram, model: ModelServer, ada: Person
) -> None:
    """Case 28."""
    drip = model.enqueue(text="answer 0", gated=True)
    telegram.people.say(ada, "hello")
    await drip.started.wait()
    for number in range(1, 5):
        model.enqueue(text=f"answer {number}")
        telegram.people.send(ada, media.voice(telegram.files, b"voice %d" % number))
    drip.release(20)
    await telegram.wait_for(lambda: last_text(telegram, ada) == "answer 4")
    assert [reply.text for reply in telegram.replies(ada)] == [f"answer {n}" for n in range(5)]
    assert all("voice" in str(call.body["messages"][-1]) for call in model.requests[1:])


@pytest.mark.usefixtures("gateway")
async def test_new_while_an_answer_is_written_is_a_command_and_never_fed_to_the_model(
    telegram: FakeTelegram, model: ModelServer, ada: Person
) -> None:
    """Case 30."""
    drip = model.enqueue(text="a long story", gated=True)
    telegram.people.say(ada, "tell me a story")
    await drip.started.wait()
    telegram.people.say(ada, "/new")
    drip.release(20)
    await telegram.wait_for(
        lambda: any("new conversation" in reply.text for reply in telegram.replies(ada))
    )
    model.enqueue(text="hello")
    telegram.people.say(ada, "hi")
    await telegram.wait_for(lambda: last_text(telegram, ada) == "hello")
    told = [str(call.body["messages"]) for call in model.requests]
    assert not any("/new" in messages for messages in told)
    assert "story" not in told[-1]


@pytest.mark.usefixtures("gateway")
async def test_a_group_that_becomes_a_supergroup_goes_on_with_its_history(
    telegram: FakeTelegram, model: ModelServer, ada: Person
) -> None:
    """Case 27."""
    group = telegram.people.group("Kitchen", kind="group")
    model.enqueue(text="I see, blue.")
    telegram.people.say(ada, "@hermes_test_bot our colour is blue", chat=group)
    await telegram.wait_for(lambda: telegram.replies(group))
    new = telegram.people.migrate(group, ada)
    model.enqueue(text="Blue.")
    telegram.people.say(ada, "@hermes_test_bot which colour?", chat=new)
    await telegram.wait_for(lambda: "Blue." in [reply.text for reply in telegram.replies(new)])
    assert "our colour is blue" in str(model.requests[-1].body["messages"])
