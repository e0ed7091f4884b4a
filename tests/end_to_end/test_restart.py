"""A gateway that is killed, stopped, started twice: what was said is still known."""

import signal
from pathlib import Path

import pytest

from tests.end_to_end.process import finished, running
from tests.end_to_end.settings_files import model_section
from tests.fakes.model_server import ModelServer
from tests.fakes.telegram import FakeTelegram, Person


@pytest.fixture
def folder(tmp_path: Path, telegram: FakeTelegram, ada: Person) -> Path:
    """A folder with a configuration for the demo model."""
    (tmp_path / "hermes.yaml").write_text(
        f"""
telegram:
  token: {telegram.token}
  base_url: {telegram.base_url}
  allowed_users: [{ada.id}]
"""
    )
    return tmp_path


def last_text(telegram: FakeTelegram, person: Person) -> str:
    replies = telegram.replies(person)
    return replies[-1].text if replies else ""


async def test_what_was_answered_survives_a_kill(
    folder: Path, telegram: FakeTelegram, ada: Person
) -> None:
    async with running("run", cwd=folder) as first:
        telegram.people.say(ada, "remember that my cat is called Luna")
        await telegram.wait_for(lambda: "I will remember" in last_text(telegram, ada))
        first.send_signal(signal.SIGKILL)
        await first.wait()
    async with running("run", cwd=folder):
        telegram.people.say(ada, "what is my cat called?")
        await telegram.wait_for(lambda: "Your cat is called Luna." in last_text(telegram, ada))


async def test_a_kill_in_mid_answer_leaves_a_history_that_goes_on(
    folder: Path, telegram: FakeTelegram, model: ModelServer, ada: Person
) -> None:
    with (folder / "hermes.yaml").open("a") as settings:
        settings.write(model_section(model))
    model.enqueue(text="I see, blue.")
    drip = model.enqueue(text="Once upon a time there was a gateway", gated=True)
    async with running("run", cwd=folder) as first:
        telegram.people.say(ada, "my colour is blue")
        await telegram.wait_for(lambda: last_text(telegram, ada) == "I see, blue.")
        telegram.people.say(ada, "tell me a story")
        drip.release(5)
        await telegram.wait_for(lambda: any("Once" in one.text for one in telegram.world.drafts))
        first.send_signal(signal.SIGKILL)
        await first.wait()
    model.enqueue(text="It is blue.")
    async with running("run", cwd=folder):
        telegram.people.say(ada, "what is my colour?")
        await telegram.wait_for(lambda: last_text(telegram, ada) == "It is blue.")
    said = str(model.requests[-1].body["messages"])
    assert "my colour is blue" in said
    assert "I see, blue." in said


async def test_a_reaction_is_told_after_a_kill(
    folder: Path, telegram: FakeTelegram, model: ModelServer, ada: Person
) -> None:
    with (folder / "hermes.yaml").open("a") as settings:
        settings.write(model_section(model))
    async with running("run", cwd=folder) as first:
        model.enqueue(text="Knock, knock!")
        telegram.people.say(ada, "a joke please")
        await telegram.wait_for(lambda: last_text(telegram, ada) == "Knock, knock!")
        model.enqueue(text="Fine.")
        telegram.people.say(ada, "how are you?")
        await telegram.wait_for(lambda: last_text(telegram, ada) == "Fine.")
        telegram.people.react(ada, telegram.replies(ada)[0], "👎")
        await telegram.wait_for(lambda: not telegram.updates.pending)
        first.send_signal(signal.SIGKILL)
        await first.wait()
    model.enqueue(text="Who is there?")
    async with running("run", cwd=folder):
        telegram.people.say(ada, "another one")
        await telegram.wait_for(lambda: last_text(telegram, ada) == "Who is there?")
    told = model.requests[-1].body["messages"][-1]["content"]
    assert told.count("(put 👎 under your message “Knock, knock!”)") == 1


async def test_a_message_that_came_while_it_was_down_is_answered_once(
    folder: Path, telegram: FakeTelegram, ada: Person
) -> None:
    telegram.people.say(ada, "hello")
    for _ in range(2):
        async with running("run", cwd=folder):
            await telegram.wait_for(lambda: "Hello!" in last_text(telegram, ada))
    assert len(telegram.replies(ada)) == 1


async def test_a_termination_is_orderly(folder: Path, telegram: FakeTelegram, ada: Person) -> None:
    async with running("run", cwd=folder) as gateway:
        telegram.people.say(ada, "long answer")
        await telegram.wait_for(lambda: telegram.world.drafts)
        gateway.send_signal(signal.SIGTERM)
        assert await gateway.wait() == 0
    assert not (folder / "data" / "gateway.pid").exists()
    async with running("run", cwd=folder):  # what was not through by then is brought to its end
        await telegram.wait_for(lambda: telegram.replies(ada), 30)


async def test_a_second_gateway_on_the_same_folder_is_refused(
    folder: Path, telegram: FakeTelegram, ada: Person
) -> None:
    async with running("run", cwd=folder):
        telegram.people.say(ada, "hello")
        await telegram.wait_for(lambda: telegram.replies(ada))
        second = await finished("run", cwd=folder)
        assert second.code == 1
        (sentence,) = second.stderr.strip().splitlines()
        assert sentence.startswith("hermes-gateway: Another gateway")
        telegram.people.say(ada, "hello")
        await telegram.wait_for(lambda: len(telegram.replies(ada)) == 2)


async def test_the_token_is_in_no_log(folder: Path, telegram: FakeTelegram, ada: Person) -> None:
    async with running("run", "--debug", cwd=folder) as gateway:
        telegram.people.say(ada, "hello")
        await telegram.wait_for(lambda: telegram.replies(ada))
        gateway.send_signal(signal.SIGTERM)
        _, err = await gateway.communicate()
    assert b"turn ends" in err
    assert telegram.token.encode() not in err
