"""Discord, the whole way: real client, real agents in Wasm, and back to the screen."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import discord
import pytest

from config.settings import Settings
from tests.end_to_end.serving import Serve
from tests.fakes.discord import Channel, FakeDiscord, Guild, Message, Person
from tests.fakes.discord.limits import Rates
from tests.fakes.model_server import KEY, ModelServer, echo

LONG_STORY = "Once upon a time there was a gateway. " * 10
QUESTION = {"question": "Which city?", "choices": ["Berlin", "Paris"]}


@pytest.fixture(autouse=True)
def one_discord_for_each_test(monkeypatch: pytest.MonkeyPatch) -> None:
    """The adapter sets these for the whole process, in which there is one Discord."""
    monkeypatch.setattr(discord.http.Route, "BASE", discord.http.Route.BASE)
    socket = discord.gateway.DiscordWebSocket
    monkeypatch.setattr(socket, "DEFAULT_GATEWAY", socket.DEFAULT_GATEWAY)


@pytest.fixture
async def fake() -> AsyncIterator[FakeDiscord]:
    """A Discord; at the end nothing may have been sent that the real one punishes."""
    async with FakeDiscord() as server:
        yield server
    assert server.limits.violations == []


@pytest.fixture
def ada(fake: FakeDiscord) -> Person:
    """Somebody who may talk to the bot."""
    return fake.person("Ada")


@pytest.fixture
def garden(fake: FakeDiscord) -> Guild:
    """A server with a channel."""
    return fake.guild("Garden", "general")


class Running:
    """How a test starts a gateway between the two servers."""

    def __init__(self, serve: Serve, fake: FakeDiscord, model: ModelServer, folder: Path) -> None:
        self._serve = serve
        self._fake = fake
        self._model = model
        self._folder = folder

    @asynccontextmanager
    async def __call__(self, *people: Person, **changes: dict[str, Any]) -> AsyncIterator[None]:
        """A gateway that lets these people in."""
        sections: dict[str, dict[str, Any]] = {
            "model": {
                "provider": "openai",
                "name": "fake-model",
                "base_url": self._model.base_url,
                "api_key": KEY,
                "tries": 1,
            },
            "discord": {
                "token": self._fake.token,
                "base_url": self._fake.base_url,
                "allowed_users": [person.id for person in people],
                "edit_interval_s": 0.05,
            },
            "access": {"user_burst": 10_000, "chat_burst": 10_000},
        }
        for name, change in changes.items():
            sections[name] = sections.get(name, {}) | change
        settings = Settings.model_validate({"data_dir": self._folder / "data", **sections})
        async with self._serve(settings):
            await self._fake.connected()
            yield


@pytest.fixture
def running(serve: Serve, fake: FakeDiscord, model: ModelServer, tmp_path: Path) -> Running:
    """Start gateways in this test."""
    return Running(serve, fake, model, tmp_path)


def last_text(fake: FakeDiscord, place: Person | Channel) -> str:
    """What the bot said last."""
    replies = fake.replies(place)
    return replies[-1].text if replies else ""


def with_button(fake: FakeDiscord, place: Person | Channel, label: str) -> list[Message]:
    """The bot's messages that have such a button."""
    return [one for one in fake.replies(place) if label in one.labels]


async def test_a_question_gets_an_answer_that_grows_by_edits(
    running: Running, fake: FakeDiscord, model: ModelServer, ada: Person
) -> None:
    async with running(ada):
        drip = model.enqueue(text=LONG_STORY + "**The end.**", gated=True)
        await fake.say(ada, "tell me a story")
        drip.release(8)
        (growing,) = await fake.wait_for(lambda: fake.replies(ada))
        assert growing.labels == ["Stop"]
        first = growing.text
        drip.release(20)
        await fake.wait_for(lambda: len(growing.text) > len(first))
        drip.release(200)
        await fake.wait_for(lambda: growing.text.endswith("**The end.**"))
        assert fake.replies(ada) == [growing]
        assert growing.labels == []
        assert fake.typings >= 1


async def test_in_a_channel_the_answer_is_a_reply_to_the_mention(
    running: Running, fake: FakeDiscord, model: ModelServer, ada: Person, garden: Guild
) -> None:
    (general,) = garden.channels
    async with running(ada):
        model.enqueue(text="Blue.")
        await fake.say(ada, "nobody asked you", general)
        asked = await fake.say(ada, f"<@{fake.bot.id}> which colour?", general)
        (reply,) = await fake.wait_for(lambda: fake.replies(general))
        await fake.wait_for(lambda: reply.text == "Blue.")
        assert int(reply.fields["message_reference"]["message_id"]) == asked.id
        assert len(model.requests) == 1


async def test_case_35_a_stranger_gets_nothing_by_whatever_way(
    running: Running, fake: FakeDiscord, model: ModelServer, ada: Person, garden: Guild
) -> None:
    (general,) = garden.channels
    eve = fake.person("Eve")
    async with running(ada):
        await fake.say(eve, "hello?")
        await fake.say(eve, f"<@{fake.bot.id}> hello?", general)
        model.enqueue(tool_calls=[("clarify", QUESTION)])
        model.enqueue(text="Paris is booked.")
        await fake.say(ada, f"<@{fake.bot.id}> book a trip", general)
        (asked,) = await fake.wait_for(lambda: with_button(fake, general, "Paris"))
        await fake.press(eve, asked, "Berlin")
        slash = await fake.slash(eve, general, "new")
        await fake.wait_for(lambda: slash.kind is not None)
        assert slash.data is not None
        assert slash.data["flags"] == 64  # a refusal that only Eve sees
        await fake.press(ada, asked, "Paris")
        await fake.wait_for(lambda: last_text(fake, general) == "Paris is booked.")
        assert fake.replies(eve) == []
        assert '"user_response": "Paris"' in str(model.requests[-1].body["messages"][-1])


async def test_other_is_answered_in_a_form(
    running: Running, fake: FakeDiscord, model: ModelServer, ada: Person
) -> None:
    async with running(ada):
        model.enqueue(tool_calls=[("clarify", QUESTION)])
        model.enqueue(text="Rome is booked.")
        await fake.say(ada, "book a trip")
        (asked,) = await fake.wait_for(lambda: with_button(fake, ada, "Other"))
        assert asked.fields["embeds"][0]["description"].startswith("Which city?")
        opened = await fake.press(ada, asked, "Other")
        await fake.wait_for(lambda: opened.kind == 9)
        assert opened.data is not None
        assert ada.direct is not None
        sent = await fake.submit(ada, ada.direct, opened.data["custom_id"], "Rome")
        await fake.wait_for(lambda: last_text(fake, ada) == "Rome is booked.")
        assert sent.kind == 6
        assert "Rome" in str(model.requests[-1].body["messages"][-1])


async def test_a_slash_command_is_answered_by_its_interaction(
    running: Running, fake: FakeDiscord, model: ModelServer, ada: Person, garden: Guild
) -> None:
    (general,) = garden.channels
    async with running(ada):
        status = await fake.slash(ada, general, "status")
        await fake.wait_for(lambda: status.messages)
        assert "fake-model" in status.messages[0].text
        assert status.messages[0].is_private
        model.enqueue(text="It is noon.")
        asked = await fake.slash(ada, general, "ask", question="what time is it?")
        await fake.wait_for(lambda: asked.messages and asked.messages[-1].text == "It is noon.")
        assert not asked.messages[0].is_private
        await fake.wait_for(lambda: fake.commands)
        names = {one["name"] for one in fake.commands[""]}
        assert {"ask", "new", "model", "resume", "Ask about this message"} <= names


async def test_case_25_a_resume_that_replays_fifty_events_doubles_and_loses_nothing(
    running: Running, fake: FakeDiscord, model: ModelServer
) -> None:
    people = [fake.person(f"Person {number}") for number in range(10)]
    async with running(*people):
        for number in range(5):
            for person in people:
                model.enqueue(text=f"answer {number}")
                await fake.say(person, f"question {number}")
            await fake.wait_for(
                lambda n=number: all(  # type: ignore[misc]  # mypy infers no default of a lambda
                    last_text(fake, person) == f"answer {n}" for person in people
                )
            )
        fake.gateway.replay_all = True
        await fake.gateway.drop()
        await fake.wait_for(lambda: fake.gateway.resumes == 1)
        for person in people:
            model.enqueue(text="after all")
            await fake.say(person, "are you still there?")
        await fake.wait_for(
            lambda: all(last_text(fake, person) == "after all" for person in people)
        )
        expected = [*(f"answer {number}" for number in range(5)), "after all"]
        assert all([m.text for m in fake.replies(p)] == expected for p in people)
        assert len(model.requests) == 60


@pytest.mark.parametrize("is_resumed", [True, False])
async def test_a_reconnect_in_the_middle_of_a_turn_is_not_noticed(
    running: Running,
    fake: FakeDiscord,
    model: ModelServer,
    ada: Person,
    *,
    is_resumed: bool,
) -> None:
    async with running(ada):
        drip = model.enqueue(text=LONG_STORY + "The end.", gated=True)
        await fake.say(ada, "tell me a story")
        drip.release(8)
        await fake.wait_for(lambda: fake.replies(ada))
        fake.gateway.replay_all = True
        await (fake.gateway.drop() if is_resumed else fake.gateway.ask_to_reconnect())
        await fake.wait_for(lambda: fake.gateway.resumes == 1)
        model.enqueue(text="And another one.")
        await fake.say(ada, "and then?")
        drip.release(300)
        await fake.wait_for(lambda: last_text(fake, ada) == "And another one.")
        texts = [one.text for one in fake.replies(ada)]
        assert [text[-8:] for text in texts] == ["The end.", "her one."]
        assert len(model.requests) == 2


async def test_a_button_from_before_a_restart_answers_its_question(
    running: Running, fake: FakeDiscord, model: ModelServer, ada: Person
) -> None:
    model.enqueue(tool_calls=[("clarify", QUESTION)])
    async with running(ada, chats={"shutdown_grace_s": 0}):
        await fake.say(ada, "book a trip")
        (asked,) = await fake.wait_for(lambda: with_button(fake, ada, "Paris"))
    model.enqueue(text="Paris is booked.")
    fake.gateway.sessions.clear()
    async with running(ada):
        await fake.press(ada, asked, "Paris")
        await fake.wait_for(lambda: last_text(fake, ada) == "Paris is booked.")
        assert "Paris" in str(model.requests[-1].body["messages"][-1])


async def test_a_hundred_busy_channels_break_no_limit_and_heartbeats_are_in_time(
    serve: Serve, tmp_path: Path
) -> None:
    model = ModelServer(api_key=KEY, responder=echo)
    await model.start()
    rates = Rates(messages=(5, 1.0), total=(50, 1.0))
    async with FakeDiscord(rates=rates, heartbeat_s=0.5) as fake:
        people = [fake.person(f"Person {number}") for number in range(100)]
        running = Running(serve, fake, model, tmp_path)
        async with running(*people, discord={"edit_interval_s": 0.5}):
            for person in people:
                await fake.say(person, f"hello from {person.id}")
            await fake.wait_for(
                lambda: all(fake.replies(p) and not fake.replies(p)[-1].labels for p in people)
            )
        assert all(str(person.id) in last_text(fake, person) for person in people)
        assert all(len(fake.replies(person)) == 1 for person in people)
        assert fake.limits.violations == []
        assert fake.gateway.identifies == 1
        assert fake.gateway.beats >= 3
    await model.stop()
