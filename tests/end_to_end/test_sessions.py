"""Sessions on Telegram, with the real agent in Wasm: undo, retry, back to an old one, search."""

import pytest

from tests.end_to_end.serving import MakeSettings, Serve
from tests.fakes.model_server import ModelServer
from tests.fakes.telegram import FakeTelegram, Person


async def asks(telegram: FakeTelegram, person: Person, text: str, answer: str) -> str:
    """Say something and wait for a further reply that has the answer in it."""
    shown = len(telegram.replies(person))
    telegram.people.say(person, text)

    def is_answered() -> bool:
        replies = telegram.replies(person)
        return len(replies) > shown and answer in replies[-1].text and not replies[-1].labels

    await telegram.wait_for(is_answered)
    return telegram.replies(person)[-1].text


@pytest.mark.usefixtures("gateway")
async def test_a_conversation_is_changed_left_found_and_resumed(
    telegram: FakeTelegram, model: ModelServer, ada: Person
) -> None:
    for answer in ("A fine name.", "Rex, perhaps.", "Bello, then."):
        model.enqueue(text=answer)
    await asks(telegram, ada, "my cat is called Luna", "A fine name.")
    await asks(telegram, ada, "and the dog?", "Rex, perhaps.")
    await asks(telegram, ada, "/retry", "Bello, then.")
    await asks(telegram, ada, "/undo", "Undone")
    await asks(telegram, ada, "/title Pets", "now called “Pets”")
    await asks(telegram, ada, "/new", "A new conversation")
    found = await asks(telegram, ada, "/search rex", "Rex, perhaps.")
    assert "Pets" in found
    await asks(telegram, ada, "/resume", "We go on with “Pets”")
    model.enqueue(text="Luna.")
    await asks(telegram, ada, "what is my cat called?", "Luna.")
    said = [message["content"] for message in model.requests[-1].body["messages"][1:]]
    assert said == ["my cat is called Luna", "A fine name.", "what is my cat called?"]


async def test_a_session_ends_by_itself_and_the_person_is_told(
    serve: Serve,
    make_settings: MakeSettings,
    telegram: FakeTelegram,
    model: ModelServer,
    ada: Person,
) -> None:
    settings = make_settings(sessions={"reset": "idle", "idle_hours": 1e-6})
    async with serve(settings.model_copy(update={"timezone": "Asia/Tokyo"})):
        for answer in ("Hello, Ada.", "Hello again."):
            model.enqueue(text=answer)
        await asks(telegram, ada, "good evening", "Hello, Ada.")
        await asks(telegram, ada, "good morning", "Hello again.")
        told = telegram.replies(ada)[1].text
        assert "this is a new conversation. /resume goes on with “good evening”." in told
        assert "evening" not in str(model.requests[-1].body["messages"][1:])
