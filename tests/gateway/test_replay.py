"""Stored turns are shown again, and an agent that answers differently is found out."""

import asyncio
import json
from collections.abc import Sequence
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path

import pytest

from config.settings import RuntimeSettings, Settings
from gateway.chats.journal import digest
from gateway.cli.replay import NothingToReplay, Options, run
from gateway.replay import replay
from gateway.runtime.native import NativeRuntime
from gateway.store.inbound import Incoming
from gateway.store.journal import Answered, Fed, Life, LifeBegun, StoredStep, TurnBegun
from gateway.store.sqlite import FILE_NAME, SqliteStore

INIT = json.dumps({"type": "init", "config": {"protocol": 2, "session_id": "s", "model": "m"}})
HELLO = json.dumps({"type": "user_message", "content": "hello", "message_id": "1"})
LIFE = Life("life", "console", "session", "sha", "")


def steps(*lines: str) -> list[StoredStep]:
    """These lines, one a step, with the hashes of what the agent of today answers."""
    agent = NativeRuntime().start("console")
    return [
        StoredStep(n, "turn" if n else None, (line,), digest(agent.step([line])))
        for n, line in enumerate(lines)
    ]


def test_the_same_agent_answers_the_same() -> None:
    replayed = list(replay(NativeRuntime(), LIFE, steps(INIT, HELLO)))
    assert all(one.is_same for one in replayed)
    assert "api_request" in replayed[1].answers[-1]


def test_an_agent_that_speaks_differently_is_found_out() -> None:
    stored = steps(INIT, HELLO)
    other = StoredStep(1, "turn", (HELLO.replace("hello", "bye"),), stored[1].answers)
    replayed = list(replay(NativeRuntime(), LIFE, [stored[0], other]))
    assert [one.is_same for one in replayed] == [True, False]


@pytest.fixture
def settings(tmp_path: Path) -> Settings:
    return Settings(data_dir=tmp_path, runtime=RuntimeSettings(mode="native"))


async def keep(settings: Settings, stored: Sequence[StoredStep]) -> str:
    path = settings.data_dir / FILE_NAME
    async with await SqliteStore.open(path, now=lambda: datetime.now(UTC)) as store:
        session = (await store.current_session("console")).id
        await store.inbound.take(Incoming("console", "1", "console", "{}"))
        await store.journal.write([LifeBegun("life", "console", session, "sha")])
        await store.journal.write([TurnBegun("turn", "life", "console", "1", "{}")])
        for step in stored:
            fed = Fed("life", step.number, step.turn, step.lines)
            await store.journal.write([fed, Answered("life", step.number, step.answers or "")])
    return session


def shown(settings: Settings, options: Options) -> tuple[int, list[str]]:
    lines: list[str] = []
    return run(settings, options, lines.append, lambda: lines.append("(pause)")), lines


def test_a_session_is_shown_line_by_line(settings: Settings) -> None:
    session = asyncio.run(keep(settings, steps(INIT, HELLO)))
    code, lines = shown(settings, Options(session))
    assert shown(settings, Options(session[-8:])) == (code, lines)
    assert code == 0
    assert "--- turn turn" in lines
    assert any(line.startswith('→ {"type": "user_message"') for line in lines)
    assert lines[-1] == "2 steps of 1 turns: the agent answers the same."


def test_a_turn_can_be_gone_through_step_by_step(settings: Settings) -> None:
    session = asyncio.run(keep(settings, steps(INIT, HELLO)))
    code, lines = shown(settings, Options(session, "turn", is_stepwise=True))
    assert code == 0
    assert lines.count("(pause)") == 1
    assert not any("→" in line and "init" in line for line in lines)


def test_a_difference_is_the_exit_code(settings: Settings) -> None:
    stored = steps(INIT, HELLO)
    changed = replace(stored[1], answers="0" * 64)
    session = asyncio.run(keep(settings, [stored[0], changed]))
    code, lines = shown(settings, Options(session))
    assert code == 1
    assert lines[-1] == "The agent answers differently in 1 steps: 1."


def test_what_is_not_there_is_a_sentence(settings: Settings) -> None:
    asyncio.run(keep(settings, steps(INIT, HELLO)))
    with pytest.raises(NothingToReplay, match="nothing of nowhere"):
        shown(settings, Options("nowhere"))
    with pytest.raises(NothingToReplay, match="nothing of none"):
        shown(settings, Options("nowhere", "none"))
