"""The ledger of model calls, and the chats' choices of models."""

from collections.abc import AsyncIterator
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path

import pytest

from gateway.store.sqlite import SqliteStore
from gateway.store.usage import ModelCall, Usage

CALL = ModelCall(
    day="2031-05-06",
    chat="telegram:dm:1",
    person="telegram:1",
    provider="openai",
    model="gpt",
    purpose="turn",
    prompt_tokens=100,
    cached_tokens=60,
    completion_tokens=20,
    reasoning_tokens=5,
    cost=0.25,
    outcome="ok",
)


@pytest.fixture
async def store(tmp_path: Path) -> AsyncIterator[SqliteStore]:
    async with await SqliteStore.open(
        tmp_path / "hermes.db", now=lambda: datetime(2031, 5, 6, 12, tzinfo=UTC)
    ) as opened:
        yield opened


async def test_nothing_was_used_before_anything_was(store: SqliteStore) -> None:
    assert await store.usage.usage("all", "") == Usage()
    assert await store.usage.usage_by_model("telegram:dm:1") == []


async def test_usage_is_summed_by_owner_and_day(store: SqliteStore) -> None:
    rows = [
        CALL,
        replace(CALL, day="2031-05-05", outcome="timeout"),
        replace(CALL, chat="telegram:group:-1"),
        replace(CALL, person="telegram:2"),
    ]
    for row in rows:
        await store.usage.record(row)
    today = {"since": "2031-05-06", "until": "2031-05-06"}
    assert await store.usage.usage("chat", CALL.chat, **today) == Usage(2, 200, 120, 40, 10, 0.5)
    assert (await store.usage.usage("chat", CALL.chat)).calls == 3
    assert (await store.usage.usage("person", CALL.person, **today)).tokens == 240
    assert (await store.usage.usage("all", "", **today)).calls == 3


async def test_usage_by_model_has_the_dearest_first(store: SqliteStore) -> None:
    for row in (
        CALL,
        replace(CALL, model="claude", cost=1.0),
        replace(CALL, model="claude", cost=1.0),
        replace(CALL, model="local", cost=0.0),
        replace(CALL, model="old", day="2031-04-30"),
        replace(CALL, model="another", chat="telegram:dm:2"),
    ):
        await store.usage.record(row)
    rows = await store.usage.usage_by_model(CALL.chat, "2031-05-01")
    assert [(model, usage.calls, usage.cost) for model, usage in rows] == [
        ("claude", 2, 2.0),
        ("gpt", 1, 0.25),
        ("local", 1, 0.0),
    ]


async def test_half_a_character_in_a_name_is_no_reason_to_lose_a_row(store: SqliteStore) -> None:
    await store.usage.record(replace(CALL, chat="\ud83d", model="\ud83d"))
    assert (await store.usage.usage("chat", "\ud83d")).calls == 1


async def test_a_choice_is_kept_changed_and_taken_back(store: SqliteStore) -> None:
    choices = store.model_choices
    assert await choices.chosen("telegram:dm:1") is None
    await choices.choose("telegram:dm:1", "claude")
    await choices.choose("telegram:dm:2", "gpt")
    await choices.choose("telegram:dm:1", "local")
    assert await choices.chosen("telegram:dm:1") == "local"
    await choices.choose("telegram:dm:1", None)
    await choices.choose("telegram:dm:1", None)
    assert await choices.chosen("telegram:dm:1") is None
    assert await choices.chosen("telegram:dm:2") == "gpt"
