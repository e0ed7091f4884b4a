"""Questions that are answered by voice, or with files."""

from dataclasses import replace
from typing import Any

import pytest

from adapters.base import MediaKind, Sender
from gateway.chats.answering import spoken_answer
from tests.fakes.platform import FakePlatform
from tests.fakes.transcription_server import TranscriptionServer, refusal
from tests.gateway.chats.small_gateway import SmallGateway, Start, hearing

CHAT = "telegram:dm:1"
CITIES = ("Berlin", "Paris")
BOB = Sender("2", "Bob")


def voice(platform: FakePlatform) -> list[Any]:
    return [platform.attach(b"OggS", MediaKind.VOICE)]


async def ask(gateway: SmallGateway) -> None:
    question = {"question": "Which city?", "choices": list(CITIES)}
    gateway.model.enqueue(tool_calls=[("clarify", question)])
    await gateway.platform.say("book a trip")
    await gateway.platform.until(lambda s: s.last == "Which city?")


def result_of(gateway: SmallGateway) -> str:
    message = gateway.request()["messages"][-1]
    assert message["role"] == "tool"
    return str(message["content"])


@pytest.mark.parametrize(
    ("spoken", "meant"), [("Paris.", "Paris"), ("paris!", "Paris"), ("Rome, please.", "Rome")]
)
async def test_a_question_is_answered_by_voice(
    start: Start, ears: TranscriptionServer, spoken: str, meant: str
) -> None:
    """Case 40."""
    ears.answers = [spoken]
    async with start(media=hearing(ears)) as gateway:
        await ask(gateway)
        gateway.model.enqueue(text="booked it")
        await gateway.platform.say("", attachments=voice(gateway.platform))
        await gateway.platform.until(lambda s: s.last == "booked it")
        await gateway.chats.idle(CHAT)
        assert meant in result_of(gateway)
        assert await gateway.store.inbound.waiting() == []


async def test_speech_that_is_not_understood_leaves_the_question_open(
    start: Start, ears: TranscriptionServer
) -> None:
    ears.answers = [refusal(500, "broken"), "Paris"]
    async with start(media=hearing(ears)) as gateway:
        await ask(gateway)
        gateway.model.enqueue(text="booked it")
        await gateway.platform.say("", attachments=voice(gateway.platform))
        await gateway.platform.until(lambda s: s.last.endswith("I still wait for your answer."))
        await gateway.platform.say("", attachments=voice(gateway.platform))
        await gateway.platform.until(lambda s: "booked it" in s.texts)
        assert "Paris" in result_of(gateway)


async def test_without_transcription_the_person_is_asked_to_write(gateway: SmallGateway) -> None:
    await ask(gateway)
    gateway.model.enqueue(text="booked it")
    await gateway.platform.say("", attachments=voice(gateway.platform))
    await gateway.platform.until(lambda s: "Please write it." in s.last)
    await gateway.platform.say("2")
    await gateway.platform.until(lambda s: "booked it" in s.texts)
    assert "Paris" in result_of(gateway)


async def test_a_spoken_answer_survives_a_restart(start: Start, ears: TranscriptionServer) -> None:
    async with start(media=hearing(ears)) as first:
        await ask(first)
        first.platform.hanging.add("download")
        await first.platform.say("", attachments=voice(first.platform))
    ears.answers = ["Paris"]
    async with start(media=hearing(ears), files=first.platform.files) as second:
        second.model.enqueue(text="booked it")
        await second.platform.until(lambda s: "booked it" in s.texts)
        assert "Paris" in result_of(second)


async def test_a_file_can_be_an_answer_and_is_named_in_it(gateway: SmallGateway) -> None:
    await ask(gateway)
    gateway.model.enqueue(text="booked it")
    plan = gateway.platform.attach(b"first Rome, then Oslo", name="plan.txt")
    await gateway.platform.say("as it says here", attachments=[plan])
    await gateway.platform.until(lambda s: "booked it" in s.texts)
    assert "as it says here" in result_of(gateway)
    assert "then Oslo" in result_of(gateway)


async def test_another_persons_voice_answers_nothing(
    start: Start, ears: TranscriptionServer
) -> None:
    ears.answers = ["Berlin"]
    async with start(media=hearing(ears)) as gateway:
        question = {"question": "Which city?", "choices": list(CITIES)}
        gateway.model.enqueue(tool_calls=[("clarify", question)])
        gateway.model.enqueue(text="booked it")
        gateway.model.enqueue(text="hello Bob")
        await gateway.platform.say("book a trip", chat="-100")
        await gateway.platform.until(lambda s: s.last == "Which city?", chat="-100")
        await gateway.platform.say("", chat="-100", sender=BOB, attachments=voice(gateway.platform))
        await gateway.platform.say("Paris", chat="-100")
        await gateway.platform.until_shown("booked it", "hello Bob", chat="-100")
        results = [m for m in gateway.request(1)["messages"] if m["role"] == "tool"]
        assert "Paris" in results[-1]["content"]


@pytest.mark.parametrize(
    ("said", "meant"),
    [("Paris.", "Paris"), (" BERLIN! ", "Berlin"), ("2.", "Paris"), ("Why?", "Why?")],
)
def test_a_transcriptions_full_stop_is_no_part_of_a_choice(said: str, meant: str) -> None:
    assert spoken_answer(CITIES, said) == meant


@pytest.mark.parametrize("text", ["", "Paris"])
async def test_what_is_forwarded_answers_no_question(
    start: Start, ears: TranscriptionServer, text: str
) -> None:
    ears.answers = ["Paris"]
    async with start(media=hearing(ears)) as gateway:
        await ask(gateway)
        gateway.model.enqueue(text="booked it")
        gateway.model.enqueue(text="seen")
        attached = [] if text else voice(gateway.platform)
        await gateway.platform.say(text, attachments=attached, forwarded_from="Mallory")
        await gateway.platform.say("Rome")
        await gateway.platform.until(lambda s: "booked it" in s.texts)
        answered = gateway.request(1)["messages"][-1]
        assert answered["role"] == "tool"
        assert "Rome" in answered["content"]
        await gateway.platform.until(lambda s: "seen" in s.texts)


async def test_a_recording_that_is_replied_to_is_not_said_by_whoever_replies(
    start: Start, ears: TranscriptionServer
) -> None:
    ears.answers = ["Berlin"]
    async with start(media=hearing(ears)) as gateway:
        await ask(gateway)
        gateway.model.enqueue(text="booked it")
        theirs = [replace(one, is_quoted=True) for one in voice(gateway.platform)]
        await gateway.platform.say("what they say", attachments=theirs)
        await gateway.platform.until(lambda s: "booked it" in s.texts)
        assert "somebody else" in result_of(gateway)
