"""How long it takes to find something in a million stored messages.

A thousand chats of a thousand messages each, one in ten of them in Chinese; words come as often as
in a language (the n-th most common one n times less often). Filling it takes some minutes.
"""

import asyncio
import random
import sqlite3
import tempfile
import time
from collections.abc import Iterator
from contextlib import closing
from datetime import UTC, datetime
from itertools import accumulate
from pathlib import Path
from statistics import median

from benchmarks.figure import Figure, figure
from gateway.store.scopes import scope_of
from gateway.store.search import terms_of
from gateway.store.sqlite import SqliteStore

CHATS, MESSAGES = 1_000, 1_000
_ROUNDS = 40
_GIB = 2**30
_SYLLABLES = [a + b for a in "bdfgklmnprstvz" for b in ("a", "e", "i", "o", "u", "an", "er", "is")]
_HAN = [chr(0x4E00 + n) for n in range(3_000)]

# What is looked for, by what kind of query it is: each round takes other words.
_QUERIES = ("a rare word", "a common word", "two words", "a part of a word", "two Han characters",
            "three Han characters", "nothing that is there")  # fmt: skip


class _Language:
    def __init__(self, seed: int) -> None:
        self.chance = random.Random(seed)  # noqa: S311 - the same words each time
        words = {
            "".join(self.chance.choices(_SYLLABLES, k=k)) for k in (2, 3, 4) for _ in range(9_000)
        }
        self.words = sorted(words)
        self.chance.shuffle(self.words)
        self._weights = list(accumulate(1 / n for n in range(1, len(self.words) + 1)))
        self._han_weights = list(accumulate(1 / n for n in range(1, len(_HAN) + 1)))

    def text(self) -> str:
        if self.chance.random() < 0.1:
            return "".join(self.chance.choices(_HAN, cum_weights=self._han_weights, k=20))
        return " ".join(self.chance.choices(self.words, cum_weights=self._weights, k=12))

    def query(self, kind: str) -> str:
        chance, words = self.chance, self.words
        rare = words[chance.randrange(1_000, len(words))]
        common = words[chance.randrange(20)]
        return {
            "a rare word": rare,
            "a common word": common,
            "two words": f"{common} {words[chance.randrange(20, 200)]}",
            "a part of a word": rare[1:-1],
            "two Han characters": "".join(chance.choices(_HAN[:100], k=2)),
            "three Han characters": "".join(chance.choices(_HAN[:50], k=3)),
            "nothing that is there": f"{rare}qx",
        }[kind]


def measure() -> list[Figure]:
    """The median of all kinds of queries, and of each; and what the indexes take."""
    with tempfile.TemporaryDirectory() as folder:
        return asyncio.run(_measure(Path(folder) / "hermes.db"))


async def _measure(path: Path) -> list[Figure]:
    language = _Language(7)
    async with await SqliteStore.open(path, now=lambda: datetime.now(UTC)):
        pass
    began = time.perf_counter()
    await asyncio.to_thread(_fill, path, language)
    filled_s = time.perf_counter() - began
    times: dict[str, list[float]] = {kind: [] for kind in _QUERIES}
    async with await SqliteStore.open(path, now=lambda: datetime.now(UTC)) as store:
        for _ in range(_ROUNDS):
            for kind in _QUERIES:
                chat = _chat(language.chance.randrange(CHATS))
                terms = terms_of(language.query(kind))
                began = time.perf_counter()
                await store.search.find(terms, [chat], 8)
                times[kind].append((time.perf_counter() - began) * 1_000)
    everything = [ms for kind in _QUERIES for ms in times[kind]]
    size = path.stat().st_size / _GIB  # noqa: ASYNC240 - nothing else runs
    return [
        figure("search in 1,000,000 messages, median", median(everything), "ms", "<=", 30),
        figure("the slowest of them", max(everything), "ms"),
        *(figure(f"for {kind}", median(times[kind]), "ms") for kind in _QUERIES),
        figure("the database with its indexes", size, "GiB"),
        figure("storing one message with them", filled_s / (CHATS * MESSAGES) * 1e6, "us"),
    ]


def _chat(number: int) -> str:
    return f"telegram:dm:{number}"


def _fill(path: Path, language: _Language) -> None:
    with closing(sqlite3.connect(path)) as connection, connection:
        connection.executemany(
            "INSERT INTO sessions (id, chat, started_at, updated_at) VALUES (?, ?, 't', 't')",
            [(str(number), _chat(number)) for number in range(CHATS)],
        )
        connection.executemany(
            "INSERT INTO messages (session_id, position, role, text, message, created_at, scope) "
            "VALUES (?, ?, 'user', ?, '{}', '2031-01-01T00:00:00.000000+00:00', ?)",
            _rows(language),
        )


def _rows(language: _Language) -> Iterator[tuple[str, int, str, str]]:
    scopes = [scope_of(_chat(number)) for number in range(CHATS)]
    for position in range(MESSAGES):  # all chats talk at the same time
        for number in range(CHATS):
            yield str(number), position, language.text(), scopes[number]
