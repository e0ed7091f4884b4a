"""`hermes-gateway replay`: shows stored turns again, line by line, without a model or a platform.

What it prints is for people; whether the agent still answers the same is the exit code as well.
"""

import asyncio
import json
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

from config.settings import Settings
from gateway.chats.host import local_time
from gateway.errors import GatewayError
from gateway.parts import make_runtime
from gateway.replay import Replayed, replay
from gateway.runtime.artefact import read_module
from gateway.runtime.base import Runtime
from gateway.runtime.engine import Engine
from gateway.store.journal import Life, StoredStep
from gateway.store.sqlite import FILE_NAME, SqliteStore

SHOWN_CHARS = 160

Echo = Callable[[str], None]


class NothingToReplay(GatewayError):
    """There is no such session or turn in the journal."""


@dataclass(frozen=True, slots=True)
class Options:
    """What is asked for."""

    session: str
    turn: str | None = None
    is_stepwise: bool = False  # whole lines, and a pause after each step
    against: Path | None = None  # another Wasm module


def run(settings: Settings, options: Options, echo: Echo, pause: Callable[[], None]) -> int:
    """Show what is asked for; 0 if the agent still answers the same, else 1."""
    lives = asyncio.run(_read(settings, options.session))
    if options.turn is not None:
        lives = [(life, steps) for life, steps in lives if _has_turn(steps, options.turn)]
    if not lives:
        raise NothingToReplay(
            f"The journal has nothing of {options.turn or options.session}. It keeps "
            f"{settings.journal.keep_days} days, by the ids of sessions and turns in the log."
        )
    runtime = Engine(read_module(options.against)) if options.against else make_runtime(settings)
    try:
        return _show_all(runtime, lives, options, echo, pause)
    finally:
        runtime.close()


def _show_all(
    runtime: Runtime,
    lives: Sequence[tuple[Life, Sequence[StoredStep]]],
    options: Options,
    echo: Echo,
    pause: Callable[[], None],
) -> int:
    shown = 0
    different: list[Replayed] = []
    turns: set[str] = set()
    for life, steps in lives:
        echo(f"=== {life.chat}, agent woken {life.begun_at}")
        for replayed in replay(runtime, life, steps):
            turn = replayed.step.turn
            different += [] if replayed.is_same else [replayed]
            if options.turn is not None and turn != options.turn:
                continue
            if turn is not None and turn not in turns:
                echo(f"--- turn {turn}")
                turns.add(turn)
            shown += 1
            _show(replayed, echo, is_whole=options.is_stepwise)
            if options.is_stepwise:
                pause()
    if different:
        numbers = ", ".join(str(one.step.number) for one in different[:10])
        echo(f"The agent answers differently in {len(different)} steps: {numbers}.")
        return 1
    echo(f"{shown} steps of {len(turns)} turns: the agent answers the same.")
    return 0


def _show(replayed: Replayed, echo: Echo, *, is_whole: bool) -> None:
    for mark, lines in (("→", replayed.step.lines), ("←", replayed.answers)):
        for line in lines:
            if is_whole:
                written = json.dumps(json.loads(line), indent=2, ensure_ascii=False)
            else:
                written = line if len(line) <= SHOWN_CHARS else f"{line[:SHOWN_CHARS]}…"
            echo(f"{mark} {written}")
    if not replayed.is_same:
        echo("!! this is not what was answered then")


def _has_turn(steps: Sequence[StoredStep], turn: str) -> bool:
    return any(step.turn == turn for step in steps)


async def _read(settings: Settings, session: str) -> list[tuple[Life, Sequence[StoredStep]]]:
    path = settings.data_dir / FILE_NAME
    if not await asyncio.to_thread(path.exists):
        raise NothingToReplay(f"There is no database in {settings.data_dir}.")
    async with await SqliteStore.open(path, now=local_time) as store:
        journal = store.journal
        return [(life, await journal.steps(life.id)) for life in await journal.lives(session)]
