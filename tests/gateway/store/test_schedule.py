"""Scheduled jobs in a real database."""

import json
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from adapters.base import Address, ChatKind
from gateway.exporting import as_json, as_markdown
from gateway.store.schedule import Kind, NewJob, TooManyJobs, When
from gateway.store.sqlite import SqliteStore

NINE = datetime(2031, 5, 6, 7, 0, tzinfo=UTC)
HOUR = timedelta(hours=1)
WEATHER = NewJob(
    chat="telegram:group:-100:7",
    address=Address("telegram", "-100", ChatKind.GROUP, "7"),
    chat_title="Cats",
    owner_id="1",
    owner_name="Alice \ud83d",  # half a character, as platforms cut names
    prompt="Say what the weather is. ☔",
    when=When(Kind.CRON, "0 9 * * *", "Europe/Berlin"),
    next_run=NINE,
    remaining=2,
    is_urgent=True,
)


async def add(store: SqliteStore, job: NewJob = WEATHER) -> int:
    return (await store.schedule.add(job, per_chat=3, per_person=4)).id


async def test_a_job_comes_back_as_it_was_also_after_a_restart(
    store: SqliteStore, path: Path
) -> None:
    job_id = await add(store)
    await store.close()
    async with await SqliteStore.open(path, now=lambda: NINE) as again:
        (job,) = await again.schedule.of_chat(WEATHER.chat)
    assert job.id == job_id
    assert job.made == replace(WEATHER, owner_name="Alice ?")
    assert (job.is_paused, job.last_run, job.last_outcome) == (False, None, None)


async def test_what_is_due_comes_soonest_first_without_what_rests(store: SqliteStore) -> None:
    later = await add(store, replace(WEATHER, next_run=NINE + HOUR))
    soon = await add(store)
    resting = await add(store)
    await store.schedule.pause(resting)
    coming = await store.schedule.coming(NINE + HOUR, {"telegram", "console"})
    assert [job.id for job in coming] == [soon, later]
    assert await store.schedule.coming(NINE - HOUR, {"telegram"}) == []
    assert await store.schedule.coming(NINE + HOUR, {"console"}) == []
    assert await store.schedule.coming(NINE + HOUR, set()) == []
    await store.schedule.resume(resting, NINE)
    assert len(await store.schedule.coming(NINE, {"telegram"})) == 2


async def test_a_chat_and_a_person_have_only_so_many(store: SqliteStore) -> None:
    for _ in range(3):
        await add(store)
    with pytest.raises(TooManyJobs) as chat:
        await add(store)
    assert (chat.value.whose, chat.value.limit) == ("chat", 3)
    await add(store, replace(WEATHER, chat="telegram:dm:1"))
    with pytest.raises(TooManyJobs) as person:
        await add(store, replace(WEATHER, chat="telegram:dm:1"))
    assert person.value.whose == "person"
    await add(store, replace(WEATHER, chat="telegram:dm:2", owner_id="2"))


async def test_a_job_ends_with_its_last_run(store: SqliteStore) -> None:
    job_id = await add(store)
    await store.schedule.ran(job_id, at=NINE, outcome="begun", next_run=NINE + HOUR)
    (job,) = await store.schedule.of_chat(WEATHER.chat)
    assert (job.next_run, job.made.remaining) == (NINE + HOUR, 1)
    assert (job.last_run, job.last_outcome) == (NINE, "begun")
    await store.schedule.ran(job_id, at=NINE + HOUR, outcome="begun", next_run=NINE + 2 * HOUR)
    assert await store.schedule.of_chat(WEATHER.chat) == []


async def test_a_job_without_limit_goes_on_and_one_without_next_time_ends(
    store: SqliteStore,
) -> None:
    job_id = await add(store, replace(WEATHER, remaining=None))
    await store.schedule.ran(job_id, at=NINE, outcome="begun", next_run=NINE + HOUR)
    assert len(await store.schedule.of_chat(WEATHER.chat)) == 1
    await store.schedule.ran(job_id, at=NINE, outcome="begun", next_run=None)
    assert await store.schedule.of_chat(WEATHER.chat) == []


async def test_the_id_of_a_removed_job_is_not_given_again(store: SqliteStore) -> None:
    first = await add(store)
    await store.schedule.remove(first)
    assert await add(store) > first


async def test_a_person_is_shown_their_jobs_and_forgotten_with_them(store: SqliteStore) -> None:
    await add(store)
    others = await add(store, replace(WEATHER, owner_id="11"))
    data = await store.people.data_of("telegram:1")
    assert data.jobs == [(WEATHER.chat, WEATHER.prompt)]
    assert WEATHER.prompt in as_markdown(data)
    assert json.loads(as_json(data))["scheduled"][0]["prompt"] == WEATHER.prompt
    await store.people.forget("telegram:1")
    assert [job.id for job in await store.schedule.of_chat(WEATHER.chat)] == [others]
