"""Discord, the whole way: real client, real agents in Wasm, and back to the screen."""

from pathlib import Path

import pytest

from tests.end_to_end.discord_gateway import Running, last_text, with_button
from tests.end_to_end.process import finished
from tests.end_to_end.serving import Serve
from tests.fakes.discord import FakeDiscord, Guild, Person
from tests.fakes.discord.limits import Rates
from tests.fakes.model_server import KEY, ModelServer, echo
from tests.fakes.telegram import FakeTelegram
from tests.fakes.telegram import Person as TelegramPerson

LONG_STORY = "Once upon a time there was a gateway. " * 10
QUESTION = {"question": "Which city?", "choices": ["Berlin", "Paris"]}


@pytest.fixture
def garden(fake: FakeDiscord) -> Guild:
    """A server with a channel."""
    return fake.guild("Garden", "general")


async def test_a_question_gets_an_answer_that_grows_by_edits(
    running: Running, fake: FakeDiscord, model: ModelServer, eva: Person
) -> None:
    async with running(eva):
        drip = model.enqueue(text=LONG_STORY + "**The end.**", gated=True)
        await fake.say(eva, "tell me a story")
        drip.release(8)
        (growing,) = await fake.wait_for(lambda: fake.replies(eva))
        assert growing.labels == ["Stop"]
        first = growing.text
        drip.release(20)
        await fake.wait_for(lambda: len(growing.text) > len(first))
        drip.release(200)
        await fake.wait_for(lambda: growing.text.endswith("**The end.**"))
        assert fake.replies(eva) == [growing]
        assert growing.labels == []
        assert fake.typings >= 1


async def test_in_a_channel_the_answer_is_a_reply_to_the_mention(
    running: Running, fake: FakeDiscord, model: ModelServer, eva: Person, garden: Guild
) -> None:
    (general,) = garden.channels
    async with running(eva):
        model.enqueue(text="Blue.")
        await fake.say(eva, "nobody asked you", general)
        asked = await fake.say(eva, f"<@{fake.bot.id}> which colour?", general)
        (reply,) = await fake.wait_for(lambda: fake.replies(general))
        await fake.wait_for(lambda: reply.text == "Blue.")
        assert int(reply.fields["message_reference"]["message_id"]) == asked.id
        assert len(model.requests) == 1


async def test_a_bot_on_telegram_and_one_on_discord_are_served_side_by_side(
    running: Running,
    fake: FakeDiscord,
    model: ModelServer,
    eva: Person,
    *,
    telegram: FakeTelegram,
    ada: TelegramPerson,
) -> None:
    there = {"token": telegram.token, "base_url": telegram.base_url, "allowed_users": [ada.id]}
    async with running(eva, telegram=there):
        model.enqueue(text="Hello, Eva.")
        await fake.say(eva, "hello from Discord")
        await fake.wait_for(lambda: last_text(fake, eva) == "Hello, Eva.")
        model.enqueue(text="Hello, Ada.")
        telegram.people.say(ada, "hello from Telegram")
        await telegram.wait_for(
            lambda: [one.text for one in telegram.replies(ada)] == ["Hello, Ada."]
        )
        assert "hello from Discord" not in str(model.requests[-1].body["messages"])


async def test_case_35_a_stranger_gets_nothing_by_whatever_way(
    running: Running, fake: FakeDiscord, model: ModelServer, eva: Person, garden: Guild
) -> None:
    (general,) = garden.channels
    eve = fake.person("Eve")
    async with running(eva):
        await fake.say(eve, "hello?")
        await fake.say(eve, f"<@{fake.bot.id}> hello?", general)
        model.enqueue(tool_calls=[("clarify", QUESTION)])
        model.enqueue(text="Paris is booked.")
        await fake.say(eva, f"<@{fake.bot.id}> book a trip", general)
        (asked,) = await fake.wait_for(lambda: with_button(fake, general, "Paris"))
        await fake.press(eve, asked, "Berlin")
        slash = await fake.slash(eve, general, "new")
        await fake.wait_for(lambda: slash.kind is not None)
        assert slash.data is not None
        assert slash.data["flags"] == 64  # a refusal that only Eve sees
        await fake.press(eva, asked, "Paris")
        await fake.wait_for(lambda: last_text(fake, general) == "Paris is booked.")
        assert fake.replies(eve) == []
        assert '"user_response": "Paris"' in str(model.requests[-1].body["messages"][-1])


async def test_other_is_answered_in_a_form(
    running: Running, fake: FakeDiscord, model: ModelServer, eva: Person
) -> None:
    async with running(eva):
        model.enqueue(tool_calls=[("clarify", QUESTION)])
        model.enqueue(text="Rome is booked.")
        await fake.say(eva, "book a trip")
        (asked,) = await fake.wait_for(lambda: with_button(fake, eva, "Other"))
        assert asked.fields["embeds"][0]["description"].startswith("Which city?")
        opened = await fake.press(eva, asked, "Other")
        await fake.wait_for(lambda: opened.kind == 9)
        assert opened.data is not None
        assert eva.direct is not None
        sent = await fake.submit(eva, eva.direct, opened.data["custom_id"], "Rome")
        await fake.wait_for(lambda: last_text(fake, eva) == "Rome is booked.")
        assert sent.kind == 6
        assert "Rome" in str(model.requests[-1].body["messages"][-1])


async def test_a_question_without_choices_has_a_button_for_the_words(
    running: Running, fake: FakeDiscord, model: ModelServer, eva: Person
) -> None:
    async with running(eva):
        model.enqueue(tool_calls=[("clarify", {"question": "Which city?"})])
        model.enqueue(text="Rome is booked.")
        await fake.say(eva, "book a trip")
        (asked,) = await fake.wait_for(lambda: with_button(fake, eva, "Answer"))
        opened = await fake.press(eva, asked, "Answer")
        await fake.wait_for(lambda: opened.data)
        assert opened.data is not None
        assert eva.direct is not None
        await fake.submit(eva, eva.direct, opened.data["custom_id"], "Rome")
        await fake.wait_for(lambda: last_text(fake, eva) == "Rome is booked.")


async def test_case_20_all_parts_of_a_long_answer_come_in_the_thread_that_was_begun_for_it(
    running: Running, fake: FakeDiscord, model: ModelServer, eva: Person, garden: Guild
) -> None:
    (general,) = garden.channels
    async with running(eva, discord={"auto_thread": True}):
        model.enqueue(text="\n\n".join(f"Paragraph {n}. {LONG_STORY}" for n in range(20)))
        await fake.say(eva, f"<@{fake.bot.id}> tell me everything", general)
        await fake.wait_for(lambda: len(garden.channels) == 2)
        thread = garden.channels[1]
        await fake.wait_for(
            lambda: (
                "Paragraph 19." in last_text(fake, thread) and fake.replies(thread)[-1].labels == []
            )
        )
        parts = fake.replies(thread)
        assert len(parts) >= 4
        text = " ".join(one.text for one in parts)
        assert [f"Paragraph {n}." in text for n in range(20)] == [True] * 20
        assert all(one.text == "tell me everything" for one in fake.replies(general))
        model.enqueue(text="Yes.")
        await fake.say(eva, "is that all?", thread)  # the bot is in it: no mention is needed
        await fake.wait_for(lambda: last_text(fake, thread) == "Yes.")
        assert len(model.requests) == 2  # the thread's own beginning was no question


async def test_a_slash_command_is_answered_by_its_interaction(
    running: Running, fake: FakeDiscord, model: ModelServer, eva: Person, garden: Guild
) -> None:
    (general,) = garden.channels
    async with running(eva):
        status = await fake.slash(eva, general, "status")
        await fake.wait_for(lambda: status.messages)
        assert "fake-model" in status.messages[0].text
        assert status.messages[0].is_private
        model.enqueue(text="It is noon.")
        asked = await fake.slash(eva, general, "ask", question="what time is it?")
        await fake.wait_for(lambda: asked.messages and asked.messages[-1].text == "It is noon.")
        assert not asked.messages[0].is_private
        await fake.wait_for(lambda: fake.commands)
        names = {one["name"] for one in fake.commands[""]}
        assert {"ask", "new", "model", "resume", "Ask about this message"} <= names


async def test_arguments_are_suggested_to_members_alone(
    running: Running, fake: FakeDiscord, model: ModelServer, eva: Person, garden: Guild
) -> None:
    (general,) = garden.channels
    mallory = fake.person("Mallory")
    async with running(eva):
        await fake.wait_for(lambda: fake.commands)
        model.enqueue(text="Yes.")
        await fake.say(eva, f"<@{fake.bot.id}> we spoke of cats", general)
        await fake.wait_for(lambda: last_text(fake, general) == "Yes.")
        await fake.say(eva, f"<@{fake.bot.id}> /new", general)
        await fake.wait_for(lambda: last_text(fake, general) != "Yes.")

        async def suggested(person: Person, command: str, argument: str) -> list[str]:
            asked = await fake.type_argument(person, general, command, argument, "")
            await fake.wait_for(lambda: asked.kind == 8)
            assert asked.data is not None
            return [one["name"] for one in asked.data["choices"]]

        assert await suggested(eva, "model", "name") == ["fake-model"]
        assert await suggested(eva, "resume", "session") == ["we spoke of cats"]
        assert await suggested(mallory, "model", "name") == []
        assert await suggested(mallory, "resume", "session") == []


async def test_long_code_comes_as_a_file_and_marks_say_how_far_a_message_has_come(
    running: Running, fake: FakeDiscord, model: ModelServer, eva: Person
) -> None:
    lines = [f"print({number})" for number in range(1_000)]
    code = "\n".join(lines)
    async with running(eva, chats={"marks": True}):
        model.enqueue(text=f"Here it is:\n\n```python\n{code}\n```")
        asked = await fake.say(eva, "write me a program")
        await fake.wait_for(lambda: asked.reactions == [("✅", fake.bot.id)])
        files = [file for one in fake.replies(eva) for file in one.fields.get("attachments") or ()]
        assert [file["filename"] for file in files] == ["code-1.py"]
        assert fake.files[files[0]["id"]].decode().split("\n")[:1_000] == lines
        assert len(fake.replies(eva)) == 2


async def test_the_code_that_is_shown_makes_its_sender_the_owner(
    running: Running, fake: FakeDiscord, eva: Person
) -> None:
    async with running() as reports:
        code = next(
            line.strip()
            for one in reports
            if "own this gateway" in one
            for line in one.split("\n")
            if line.startswith("    ")
        )
        await fake.say(eva, code)
        await fake.wait_for(lambda: "You are an owner" in last_text(fake, eva))
        assert eva.direct is not None
        health = await fake.slash(eva, eva.direct, "health")
        await fake.wait_for(lambda: health.messages)


async def test_check_says_what_is_wrong_with_the_bot_and_how_to_invite_it(
    fake: FakeDiscord, tmp_path: Path
) -> None:
    lines = (
        "data_dir: data",
        "discord:",
        f"  token: {fake.token}",
        f"  base_url: {fake.base_url}",
        "  allowed_roles: 1234567890123456789",
        "  allowed_mentions: [users, roles]",
    )
    (tmp_path / "hermes.yaml").write_text("\n".join(lines))
    done = await finished("check", "--dev", cwd=tmp_path)
    assert done.code == 0, done.stdout
    assert "Hermes; https://discord.com/oauth2/authorize" in done.stdout
    assert "discord: 1 role may talk" in done.stdout
    fake.may_read = False
    done = await finished("check", "--dev", cwd=tmp_path)
    assert done.code == 1
    assert "switch on Message Content Intent" in done.stdout


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
    eva: Person,
    *,
    is_resumed: bool,
) -> None:
    async with running(eva):
        drip = model.enqueue(text=LONG_STORY + "The end.", gated=True)
        await fake.say(eva, "tell me a story")
        drip.release(8)
        await fake.wait_for(lambda: fake.replies(eva))
        fake.gateway.replay_all = True
        await (fake.gateway.drop() if is_resumed else fake.gateway.ask_to_reconnect())
        await fake.wait_for(lambda: fake.gateway.resumes == 1)
        model.enqueue(text="And another one.")
        await fake.say(eva, "and then?")
        drip.release(300)
        await fake.wait_for(lambda: last_text(fake, eva) == "And another one.")
        texts = [one.text for one in fake.replies(eva)]
        assert [text[-8:] for text in texts] == ["The end.", "her one."]
        assert len(model.requests) == 2


async def test_a_button_from_before_a_restart_answers_its_question(
    running: Running, fake: FakeDiscord, model: ModelServer, eva: Person
) -> None:
    model.enqueue(tool_calls=[("clarify", QUESTION)])
    async with running(eva, chats={"shutdown_grace_s": 0}):
        await fake.say(eva, "book a trip")
        (asked,) = await fake.wait_for(lambda: with_button(fake, eva, "Paris"))
    model.enqueue(text="Paris is booked.")
    fake.gateway.sessions.clear()
    async with running(eva):
        await fake.press(eva, asked, "Paris")
        await fake.wait_for(lambda: last_text(fake, eva) == "Paris is booked.")
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


async def test_several_files_of_an_answer_are_one_message(
    running: Running, fake: FakeDiscord, model: ModelServer, eva: Person
) -> None:
    written = {"plan.txt": "the plan", "map.txt": "the map", "list.txt": "the list"}
    calls = [("write_file", {"path": name, "content": text}) for name, text in written.items()]
    async with running(eva):
        model.enqueue(tool_calls=calls)
        model.enqueue(text="All of it:\n\n![Our plan](plan.txt)\n\nMEDIA:map.txt\n\nMEDIA:list.txt")
        await fake.say(eva, "give me everything")
        await fake.wait_for(lambda: last_text(fake, eva) == "Our plan")
        text, files = fake.replies(eva)
        assert text.text == "All of it:"
        attachments = files.fields["attachments"]
        assert {one["filename"]: fake.files[one["id"]].decode() for one in attachments} == written
        assert [one.get("description") for one in attachments] == ["Our plan", None, None]
