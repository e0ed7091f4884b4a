"""What happens to messages on Telegram after they were sent, the whole way."""

import pytest

from tests.end_to_end.serving import MakeSettings, Serve
from tests.fakes.model_server import ModelServer
from tests.fakes.telegram import FakeTelegram, Person
from tests.fakes.telegram.world import Chat


def last_text(telegram: FakeTelegram, place: Person | Chat) -> str:
    replies = telegram.replies(place)
    return replies[-1].text if replies else ""


def said(model: ModelServer) -> list[str]:
    """What people have said, as the last request has it."""
    messages = model.requests[-1].body["messages"]
    contents = [message["content"] for message in messages if message["role"] == "user"]
    return [content if isinstance(content, str) else content[0]["text"] for content in contents]


@pytest.mark.usefixtures("gateway")
async def test_an_edit_while_the_answer_is_written_stops_that_one(
    telegram: FakeTelegram, model: ModelServer, ada: Person
) -> None:
    drip = model.enqueue(text="Luna, if I remember well, and she is", gated=True)
    message = telegram.people.say(ada, "what is my cat called?")
    drip.release(6)
    await telegram.wait_for(lambda: telegram.world.drafts)
    model.enqueue(text="Rex.")
    telegram.people.rewrite(message, "what is my dog called?")
    await telegram.wait_for(lambda: last_text(telegram, ada) == "Rex.")
    assert said(model) == ["what is my dog called?"]
    assert telegram.replies(ada)[0].text.endswith("(stopped)")


async def test_a_group_that_becomes_a_supergroup_keeps_its_conversation(
    telegram: FakeTelegram,
    model: ModelServer,
    ada: Person,
    make_settings: MakeSettings,
    serve: Serve,
) -> None:
    group = telegram.people.group("Cats", kind="group")
    bob = telegram.people.person("Bob")
    settings = make_settings(telegram={"allowed_chats": (group.id,)})
    async with serve(settings):
        model.enqueue(text="Noted.")
        telegram.people.say(ada, "@hermes_test_bot our cat is Luna", chat=group)
        await telegram.wait_for(lambda: last_text(telegram, group) == "Noted.")
        new = telegram.people.migrate(group, ada)
        model.enqueue(text="Luna.")
        telegram.people.say(bob, "@hermes_test_bot what is she called?", chat=new)
        await telegram.wait_for(lambda: last_text(telegram, new) == "Luna.")
        assert "our cat is Luna" in said(model)[0]
