"""What was approved for more than once, in SQLite."""

from collections.abc import AsyncIterator
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path

import pytest

from gateway.store.approvals import Remembered
from gateway.store.sqlite import SqliteStore

ALWAYS = Remembered("telegram:dm:1", "telegram:1", "terminal", "git push", given_by="telegram:1")
SESSION = replace(ALWAYS, session="s1")


@pytest.fixture
async def store(tmp_path: Path) -> AsyncIterator[SqliteStore]:
    now = datetime(2031, 5, 6, tzinfo=UTC)
    opened = await SqliteStore.open(tmp_path / "hermes.db", now=lambda: now)
    yield opened
    await opened.close()


async def test_a_yes_for_good_holds_in_every_session(store: SqliteStore) -> None:
    assert not await store.approvals.holds(SESSION)
    await store.approvals.remember(ALWAYS)
    assert await store.approvals.holds(ALWAYS)
    assert await store.approvals.holds(SESSION)


async def test_a_yes_for_a_session_holds_in_that_one_only(store: SqliteStore) -> None:
    await store.approvals.remember(SESSION)
    assert await store.approvals.holds(SESSION)
    assert not await store.approvals.holds(replace(SESSION, session="s2"))
    assert not await store.approvals.holds(ALWAYS)


@pytest.mark.parametrize(
    "other",
    [
        replace(ALWAYS, chat="telegram:dm:2"),
        replace(ALWAYS, person="telegram:2"),
        replace(ALWAYS, kind="process"),
        replace(ALWAYS, pattern="git push --force"),
        replace(ALWAYS, pattern="git"),
        replace(ALWAYS, pattern="GIT PUSH"),
        replace(ALWAYS, pattern="git%"),
    ],
)
async def test_it_holds_for_nothing_else(store: SqliteStore, other: Remembered) -> None:
    await store.approvals.remember(ALWAYS)
    assert not await store.approvals.holds(other)


async def test_the_same_twice_is_one_and_can_be_revoked_only_where_it_is(
    store: SqliteStore,
) -> None:
    await store.approvals.remember(ALWAYS)
    await store.approvals.remember(ALWAYS)
    (kept,) = await store.approvals.in_chat(ALWAYS.chat, "s1")
    assert (kept.kind, kept.given_by, kept.given_at[:10]) == (
        "terminal",
        "telegram:1",
        "2031-05-06",
    )
    revoke = store.approvals.revoke
    assert not await revoke(kept.id, platform="telegram", chat="telegram:dm:2")
    assert not await revoke(kept.id, platform="discord", chat=None)
    assert [one.id for one in await store.approvals.everywhere("telegram")] == [kept.id]
    assert await store.approvals.everywhere("discord") == []
    assert await revoke(kept.id, platform="telegram", chat=None)
    assert not await store.approvals.holds(ALWAYS)


async def test_it_is_forgotten_with_its_person(store: SqliteStore) -> None:
    await store.approvals.remember(ALWAYS)
    await store.people.forget("telegram:1")
    assert not await store.approvals.holds(ALWAYS)
