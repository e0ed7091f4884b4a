"""Reminders and repeated jobs, from the words that make them to the turn that carries them out."""

import asyncio
import sqlite3
from collections.abc import Callable, Sequence
from contextlib import closing
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from adapters.base import Address, ChatGone, ChatKind, Inbound, Sender
from config.telegram import TelegramSettings
from gateway.store.schedule import Job
from gateway.store.sqlite import FILE_NAME
from tests.gateway.chats.people import EVE
from tests.gateway.chats.small_gateway import SmallGateway, Start

BOB, OLGA = Sender("2", "Bob"), Sender("7", "Olga")


class Clock:
    """Stands still until it is moved: Tue 6 May 2031, 14:00 in Berlin."""

    def __init__(self) -> None:
        self.time = datetime(2031, 5, 6, 12, 0, tzinfo=UTC)

    def __call__(self) -> datetime:
        return self.time

    def move(self, gateway: SmallGateway, **by: float) -> None:
        """Move on, and let the scheduler look at the clock, as it does each minute."""
        self.time += timedelta(**by)
        gateway.book.changed.set()


@pytest.fixture
def clock() -> Clock:
    return Clock()


async def says(gateway: SmallGateway, text: str, answer: str, chat: str = "1") -> None:
    shown = len(gateway.platform.screens[chat].texts)
    await gateway.platform.say(text, chat=None if chat == "1" else chat)
    await gateway.platform.until(lambda s: len(s.texts) > shown and answer in s.last, chat)


async def until(
    gateway: SmallGateway, claim: Callable[[Sequence[Job]], bool], chat: str = "telegram:dm:1"
) -> None:
    """Wait until a claim holds of a chat's jobs: each look at them lets the others go on."""
    jobs: Sequence[Job] = ()
    try:
        async with asyncio.timeout(30):
            while not claim(jobs := await gateway.store.schedule.of_chat(chat)):
                pass
    except TimeoutError:
        raise AssertionError(jobs) from None


async def nothing_runs(gateway: SmallGateway, requests: int) -> None:
    """The scheduler has looked at the clock, and begun nothing."""
    await says(gateway, "/schedule", "/schedule add")
    await gateway.chats.idle("telegram:dm:1")
    assert len(gateway.model.requests) == requests


async def test_a_reminder_by_command_becomes_a_turn_at_its_time(start: Start, clock: Clock) -> None:
    async with start(clock=clock, schedule={}) as gateway:
        await says(gateway, "/schedule add in 20 minutes: take the pizza out", "Job 1 runs")
        assert gateway.platform.screens["1"].last.endswith("Tue 6 May 2031, 14:20 (Europe/Berlin).")
        clock.move(gateway, minutes=19)
        await nothing_runs(gateway, requests=0)
        gateway.model.enqueue(text="The pizza!")
        clock.move(gateway, minutes=1)
        await gateway.platform.until_shown("The pizza!")
        asked = gateway.request()["messages"][-1]["content"]
        assert asked.startswith("[Scheduled: job 1; due Tue 6 May 2031, 14:20 (Europe/Berlin). ")
        assert asked.endswith("\n\ntake the pizza out")
        await says(gateway, "/schedule", "Nothing is scheduled")
        # What was posted is known when somebody asks about it.
        gateway.model.enqueue(text="About the pizza.")
        await says(gateway, "what was that about?", "About the pizza.")
        assert "The pizza!" in str(gateway.request()["messages"])


async def test_the_agent_makes_lists_and_removes_jobs(start: Start, clock: Clock) -> None:
    async with start(clock=clock, schedule={}) as gateway:
        gateway.model.enqueue(
            tool_calls=[
                ("cronjob", {"action": "create", "when": "every day at 9:00", "prompt": "weather"}),
                ("cronjob", {"action": "list"}),
                ("cronjob", {"action": "create", "when": "whenever", "prompt": "x"}),
                ("cronjob", {"action": "create", "when": "every 2 minutes", "prompt": "x"}),
            ]
        )
        gateway.model.enqueue(text="Done.")
        await says(gateway, "tell me the weather every morning", "Done.")
        results = [m["content"] for m in gateway.request()["messages"] if m["role"] == "tool"]
        line = "1: weather (at 09:00 every day; next Wed 7 May 2031, 09:00 (in 19 hours))"
        assert line in results[0]
        assert results[1] == line
        assert "I don't understand that time" in results[2]
        assert "too often: every 5 minutes at most" in results[3]
        gateway.model.enqueue(tool_calls=[("cronjob", {"action": "remove", "id": 1})])
        gateway.model.enqueue(text="Gone.")
        await says(gateway, "no more weather", "Gone.")
        assert gateway.request()["messages"][-1]["content"] == "Removed job 1."
        assert await gateway.store.schedule.of_chat("telegram:dm:1") == []


async def test_whoever_is_asked_about_a_job_reads_what_it_does(start: Start, clock: Clock) -> None:
    owner = TelegramSettings(owners=(1,))
    async with start(
        clock=clock, schedule={}, telegram=owner, tools={"risks": {"write": "ask"}}
    ) as gateway:
        await says(gateway, "/schedule add every day at 15:00 water the plants", "Job 1 runs")
        gateway.model.enqueue(tool_calls=[("cronjob", {"action": "remove", "id": 1})])
        gateway.model.enqueue(text="It stays.")
        await gateway.platform.say("no more of that")
        asked = await gateway.platform.until(lambda s: "May I use cronjob" in s.last)
        assert "remove job 1 (at 15:00 every day):\n\n```\nwater the plants\n```" in asked.last
        await gateway.platform.press("Deny")
        await gateway.platform.until_shown("It stays.")
        assert len(await gateway.store.schedule.of_chat("telegram:dm:1")) == 1


async def test_a_job_survives_a_restart_and_runs_once(start: Start, clock: Clock) -> None:
    async with start(clock=clock, schedule={}) as first:
        await says(first, "/schedule add every day at 15:00 say it", "Job 1 runs")
    async with start(clock=clock, schedule={}) as second:
        second.model.enqueue(text="It.")
        clock.move(second, hours=1)
        await second.platform.until_shown("It.")
        await second.chats.idle("telegram:dm:1")
    async with start(clock=clock, schedule={}) as third:
        await nothing_runs(third, requests=1)
        (job,) = await third.store.schedule.of_chat("telegram:dm:1")
        assert job.next_run == clock.time + timedelta(days=1)
        assert (job.last_run, job.last_outcome) == (clock.time, "begun")


async def test_a_run_that_was_handed_over_before_a_kill_is_not_run_again(
    start: Start, clock: Clock
) -> None:
    async with start(clock=clock, schedule={}) as first:
        await says(first, "/schedule add every day at 15:00 say it", "Job 1 runs")
        (before,) = await first.store.schedule.of_chat("telegram:dm:1")
        first.model.enqueue(text="It.")
        clock.move(first, hours=1)
        await first.platform.until_shown("It.")
        await first.chats.idle("telegram:dm:1")
        # As the kill would have left it: taken by its chat, its next time not yet stored.
        await first.store.schedule.resume(1, before.next_run)
    async with start(clock=clock, schedule={}) as second:
        await until(second, lambda jobs: jobs[0].last_outcome == "begun before")
        await nothing_runs(second, requests=1)


async def test_forty_missed_runs_are_one_late_run(start: Start, clock: Clock) -> None:
    """Case 23d."""
    async with start(clock=clock, schedule={}) as asleep:
        await says(asleep, "/schedule add every 30 minutes look after the oven", "Job 1 runs")
    clock.time += timedelta(hours=20)
    async with start(clock=clock, schedule={}) as awake:
        awake.model.enqueue(text="The oven.")
        awake.book.changed.set()
        await awake.platform.until_shown("The oven.")
        asked = awake.request()["messages"][-1]["content"]
        assert "due Tue 6 May 2031, 14:30" in asked
        assert "late, as it is Wed 7 May 2031, 10:00 now" in asked
        await nothing_runs(awake, requests=1)


async def test_quiet_hours_hold_a_job_back_unless_it_is_urgent(start: Start, clock: Clock) -> None:
    async with start(clock=clock, schedule={"quiet_hours": "22:00-07:00"}) as gateway:
        await says(gateway, "/schedule add today 23:00 water the plants", "quiet hours")
        assert "will wait until Wed 7 May 2031, 07:00" in gateway.platform.screens["1"].last
        await says(gateway, "/schedule add urgent today 23:00 lock the door", "Job 2 runs")
        gateway.model.enqueue(text="The door!")
        clock.move(gateway, hours=9)
        await gateway.platform.until_shown("The door!")
        await nothing_runs(gateway, requests=1)
        gateway.model.enqueue(text="The plants.")
        clock.move(gateway, hours=8)
        await gateway.platform.until_shown("The plants.")


async def test_a_scheduled_run_may_be_silent_in_a_direct_chat(start: Start, clock: Clock) -> None:
    async with start(clock=clock, schedule={}) as gateway:
        await says(gateway, "/schedule add in 1 minute say if anything is new", "Job 1 runs")
        drip = gateway.model.enqueue(text="[SILENT]")
        clock.move(gateway, minutes=1)
        await drip.started.wait()
        await gateway.chats.idle("telegram:dm:1")
        assert len(gateway.platform.screens["1"].texts) == 1
        assert (await gateway.history())[-1]["content"] == "[SILENT]"


async def test_a_job_made_by_a_job_is_refused(start: Start, clock: Clock) -> None:
    async with start(clock=clock, schedule={}) as gateway:
        await says(gateway, "/schedule add in 1 minute multiply", "Job 1 runs")
        create = {"action": "create", "when": "in 1 minute", "prompt": "multiply"}
        gateway.model.enqueue(tool_calls=[("cronjob", create)])
        gateway.model.enqueue(text="I may not.")
        clock.move(gateway, minutes=1)
        await gateway.platform.until_shown("I may not.")
        assert "a person has to ask for it" in gateway.request()["messages"][-1]["content"]
        assert await gateway.store.schedule.of_chat("telegram:dm:1") == []


async def test_a_job_of_a_topic_posts_into_that_topic_as_its_maker(
    start: Start, clock: Clock
) -> None:
    async with start(clock=clock, schedule={}) as gateway:
        await gateway.platform.say("/schedule add in 1 hour cats", chat="-100", thread="7")
        await gateway.platform.until(lambda s: "Job 1 runs" in s.last, "-100")
        gateway.model.enqueue(text="Cats!")
        clock.move(gateway, hours=1)
        screen = await gateway.platform.until(lambda s: s.last == "Cats!", "-100")
        assert set(screen.threads.values()) == {"7"}
        assert list(screen.replies_to.values())[-1] is None
        asked = (await gateway.history("telegram:group:-100:7"))[0]["content"]
        assert asked.startswith('[from "Alice", id "1"]\n[Scheduled: ')


async def test_who_may_not_talk_any_more_has_no_runs(start: Start, clock: Clock) -> None:
    async with start(clock=clock, schedule={}) as gateway:
        asked = Inbound("x", Address("telegram", "666", ChatKind.DIRECT), EVE, "")
        await gateway.book.add(asked, "every 2 hours", "hello")
        clock.move(gateway, hours=3)
        refused = "not allowed to talk here"
        await until(gateway, lambda jobs: jobs[0].last_outcome == refused, "telegram:dm:666")
        await nothing_runs(gateway, requests=0)


async def test_jobs_are_paused_resumed_and_removed_by_number(start: Start, clock: Clock) -> None:
    async with start(clock=clock, schedule={}) as gateway:
        await says(gateway, "/schedule add every day at 15:00 stretch", "Job 1 runs")
        await says(gateway, "/schedule pause 1", "rests")
        clock.move(gateway, hours=2)
        await nothing_runs(gateway, requests=0)
        await says(gateway, "/schedule list", "stretch (at 15:00 every day; paused)")
        await says(gateway, "/schedule resume 1", "Job 1 runs next Wed 7 May 2031, 15:00")
        await says(gateway, "/schedule remove 1", "Job 1 is forgotten.")
        await says(gateway, "/schedule remove 1", "There is no job 1 in this chat.")
        await says(gateway, "/schedule frobnicate", "/schedule add TIME TEXT")


async def test_only_its_maker_or_an_owner_changes_a_job_of_a_group(
    start: Start, clock: Clock
) -> None:
    allowed = TelegramSettings(owners=(7,), allowed_users=(1, 2), allowed_chats=(-100,))
    async with start(clock=clock, schedule={}, telegram=allowed) as gateway:
        await says(gateway, "/schedule add every day at 15:00 stretch", "Job 1 runs", chat="-100")
        await gateway.platform.say("/schedule remove 1", chat="-100", sender=BOB)
        await gateway.platform.until(lambda s: "Only Alice" in s.last, "-100")
        await says(gateway, "/schedule remove 1", "There is no job 1 in this chat.")
        await gateway.platform.say("/schedule remove 1", chat="-100", sender=OLGA)
        await gateway.platform.until(lambda s: s.last == "Job 1 is forgotten.", "-100")


async def test_a_chat_has_only_so_many_jobs(start: Start, clock: Clock) -> None:
    async with start(clock=clock, schedule={"max_jobs_per_chat": 2}) as gateway:
        await says(gateway, "/schedule add in 1 hour a", "Job 1 runs")
        await says(gateway, "/schedule add in 1 hour b", "Job 2 runs")
        await says(gateway, "/schedule add in 1 hour c", "This chat has 2 jobs already.")


async def test_what_is_scheduled_is_neither_a_command_nor_an_answer(
    start: Start, clock: Clock
) -> None:
    async with start(clock=clock, schedule={}) as gateway:
        await says(gateway, "/schedule add in 1 minute /new", "Job 1 runs")
        question = {"question": "Which?", "choices": ["A", "B"]}
        gateway.model.enqueue(tool_calls=[("clarify", question)])
        await gateway.platform.say("ask me")
        await gateway.platform.until(lambda s: "Which?" in s.last)
        clock.move(gateway, minutes=1)
        await until(gateway, lambda jobs: not jobs)
        gateway.model.enqueue(text="A it is.")
        gateway.model.enqueue(text="A new one?")
        await gateway.platform.press("A")
        await gateway.platform.until_shown("A it is.", "A new one?")
        assert gateway.request()["messages"][-1]["content"].endswith("\n\n/new")


async def test_a_full_chat_gets_its_run_when_there_is_room(start: Start, clock: Clock) -> None:
    async with start(clock=clock, schedule={}, inbox_size=1) as gateway:
        await says(gateway, "/schedule add in 1 minute think of it", "Job 1 runs")
        drip = gateway.model.enqueue(text="one", gated=True)
        gateway.model.enqueue(text="two")
        await gateway.platform.say("one?")
        await drip.started.wait()
        await gateway.platform.say("two?")
        clock.move(gateway, minutes=1)
        assert await gateway.store.schedule.coming(clock.time, {"telegram"})
        drip.release(20)
        await gateway.platform.until_shown("one", "two")
        await gateway.chats.idle("telegram:dm:1")
        gateway.model.enqueue(text="I thought of it.")
        clock.move(gateway, minutes=1)
        await gateway.platform.until_shown("I thought of it.")


async def test_a_failing_store_does_not_end_the_schedule(
    start: Start, clock: Clock, tmp_path: Path
) -> None:
    async with start(clock=clock, schedule={}) as gateway:
        await says(gateway, "/schedule add in 1 minute go on", "Job 1 runs")
        await asyncio.to_thread(change, tmp_path, "ALTER TABLE jobs RENAME TO away")
        clock.move(gateway, minutes=1)
        await says(gateway, "/schedule", "error")
        await asyncio.to_thread(change, tmp_path, "ALTER TABLE away RENAME TO jobs")
        gateway.model.enqueue(text="On it goes.")
        clock.move(gateway, minutes=1)
        await gateway.platform.until_shown("On it goes.")


def change(folder: Path, statement: str) -> None:
    """Do something to the database behind the gateway's back."""
    with closing(sqlite3.connect(folder / FILE_NAME)) as connection:
        connection.execute(statement)


async def test_the_jobs_of_a_chat_that_is_gone_rest(start: Start, clock: Clock) -> None:
    async with start(clock=clock, schedule={}) as gateway:
        await says(gateway, "/schedule add every day at 15:00: say hello", "15:00")
        gateway.platform.fail("send", *[ChatGone("blocked")] * 2)  # the preview, too
        gateway.model.enqueue(text="hello")
        clock.move(gateway, hours=1)
        await until(gateway, lambda jobs: [job.is_paused for job in jobs] == [True])


async def test_whoever_made_a_job_is_told_that_it_rests(start: Start, clock: Clock) -> None:
    async with start(clock=clock, schedule={}) as gateway:
        gateway.model.enqueue(text="hi")
        await says(gateway, "hello", "hi")  # in the direct chat, where they can be told
        await gateway.platform.say("/schedule add every day at 15:00: say hello", chat="-100")
        await gateway.platform.until(lambda s: "15:00" in s.last, chat="-100")
        gateway.platform.fail("send", *[ChatGone("kicked")] * 2)  # the preview, too
        gateway.model.enqueue(text="hello")
        clock.move(gateway, hours=1)
        screen = await gateway.platform.until(lambda s: "rests" in s.last)
        assert "say hello" in screen.last
        clock.move(gateway, days=1)
        await gateway.chats.idle("telegram:group:-100")
        assert sum("rests" in text for text in screen.texts) == 1
