"""Turns with tools, while the gateway is killed at random moments: nothing is lost or doubled.

A real gateway process between a fake Telegram and a fake model server. People ask for tasks, each
with a habit (`kill_people`): files and albums, messages into an answer, changes and emoji, /undo
and /retry. A task takes a model call, tools, and another model call (`kill_model`). Afterwards
`verify` reads what people see, what the tool has written, what the model was asked, and the
journal, and says what is wrong.

    python -m tests.end_to_end.kill_test --minutes 30
"""

import argparse
import asyncio
import json
import logging
import random
import signal
import sqlite3
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Mapping, Sequence
from contextlib import AsyncExitStack, closing
from dataclasses import dataclass, field
from datetime import UTC, datetime
from functools import partial
from pathlib import Path

from aiohttp import web
from aiohttp.typedefs import Handler

from gateway.chats.lost_replies import NOTICE
from gateway.replay import replay
from gateway.runtime.base import Runtime
from gateway.runtime.native import NativeRuntime
from gateway.store.sqlite import FILE_NAME, SqliteStore
from gateway.workspace.workspace import Workspaces
from tests.end_to_end.kill_model import Json, TaskModel, album_of, since_last_answer, tasks_in
from tests.end_to_end.kill_people import (
    CHANGED_BY,
    Editor,
    Kept,
    Sender,
    Steerer,
    Talker,
    Undoer,
)
from tests.end_to_end.process import environment
from tests.fakes.model_server import KEY
from tests.fakes.telegram import FakeTelegram

PEOPLE: Mapping[str, type[Talker]] = {
    "Ada": Sender,
    "Bob": Steerer,
    "Cleo": Editor,
    "Dan": Undoer,
}
MAX_WAITING = 3  # unanswered messages of one person


@dataclass(slots=True)
class Outcome:
    """How it went."""

    turns: int
    kills: int = 0
    took_s: float = 0
    resumed: int = 0  # model calls that were cut off and made again
    cut_off: int = 0  # tool runs that were cut off
    notices: int = 0  # instead of, or beside, an answer whose sending was cut off
    leftovers: int = 0  # previews whose sending was cut off, so that nobody could finish them
    happened: Counter[str] = field(default_factory=Counter)  # what came of people's habits
    faults: list[str] = field(default_factory=list)


class KillTest:
    """One run. `folder` is the gateway's."""

    def __init__(self, folder: Path, *, turns: int, kills: int, seed: int, dev: bool) -> None:
        self.outcome = Outcome(turns)
        self._folder = folder
        self._kills = kills
        self._dev = dev
        self._has_drafts = seed % 2 == 0  # then a kill leaves no preview behind
        self._chance = random.Random(seed)  # noqa: S311 - chance, not secrets
        self._telegram = FakeTelegram()
        self._model = TaskModel(self._chance)
        self._telegram.app.middlewares.append(self._distance)
        self._talkers: list[Talker] = []
        self._counted = folder / "counted.txt"

    async def run(self) -> Outcome:
        """Carry it out and verify it."""
        began = time.monotonic()
        async with AsyncExitStack() as stack:
            await stack.enter_async_context(self._telegram)
            await self._model.start()
            stack.push_async_callback(self._model.stop)
            self._talkers = [
                talks(self._telegram, self._telegram.people.person(name), self._chance)
                for name, talks in PEOPLE.items()
            ]
            self._configure()
            await asyncio.to_thread(self._fill)
            talking = asyncio.create_task(self._talk())
            while self.outcome.kills < self._kills:
                await self._live_until_killed()
            process = await self._start()
            try:
                await talking
                await self._telegram.wait_for(self._all_is_answered, timeout_s=60)
            finally:
                process.send_signal(signal.SIGTERM)
                await process.wait()
            await self._verify()
        self.outcome.took_s = time.monotonic() - began
        return self.outcome

    @web.middleware
    async def _distance(self, request: web.Request, handler: Handler) -> web.StreamResponse:
        """A platform is not next door: a kill may come while a message is on its way."""
        if request.match_info.get("method") in {"sendMessage", "sendMediaGroup"}:
            await asyncio.sleep(self._chance.uniform(0, 0.04))
            answer = await handler(request)
            await asyncio.sleep(self._chance.uniform(0, 0.04))
            return answer
        return await handler(request)

    def _configure(self) -> None:
        (self._folder / "hermes.yaml").write_text(
            f"""
telegram:
  token: {self._telegram.token}
  base_url: {self._telegram.base_url}
  allowed_users: {[talker.person.id for talker in self._talkers]}
  edit_interval_s: 0.02
  drafts: {str(self._has_drafts).lower()}
  chat_messages_per_s: 1000
  messages_per_s: 1000
model:
  provider: openai
  name: fake-model
  base_url: {self._model.base_url}
  api_key: {KEY}
  tries: 1
chats:
  shutdown_grace_s: 30
access:
  user_burst: 10000
  chat_burst: 10000
tools:
  modules: [tests.end_to_end.counting_tool]
journal:
  turns_per_life: 7
"""
        )
        self._counted.touch()

    def _fill(self) -> None:
        """Put the files of all answers into the folders of their chats."""
        workspaces = Workspaces(self._folder / "data" / "workspaces")
        for number in range(self.outcome.turns):
            person = self._talkers[number % len(self._talkers)].person
            for name in album_of(number):
                (workspaces.of(f"telegram:dm:{person.id}").prepare() / name).write_text(name)

    async def _start(self) -> asyncio.subprocess.Process:
        polls = self._telegram.updates.polls
        with (self._folder / "gateway.log").open("ab") as log:
            process = await asyncio.create_subprocess_exec(
                *(sys.executable, "-m", "gateway", "run", *(["--dev"] if self._dev else [])),
                cwd=self._folder,
                env=environment(COUNTING_FILE=str(self._counted)),
                stdin=asyncio.subprocess.DEVNULL,
                stdout=log,
                stderr=log,
            )
        await self._telegram.wait_for(
            lambda: self._telegram.updates.polls > polls or process.returncode is not None,
            timeout_s=60,
        )
        assert process.returncode is None, f"it ended by itself:\n{self._log_tail()}"
        return process

    def _log_tail(self) -> str:
        return (self._folder / "gateway.log").read_text(errors="replace")[-5_000:]

    async def _live_until_killed(self) -> None:
        process = await self._start()
        await asyncio.sleep(self._chance.uniform(0, 0.9))
        process.kill()
        await process.wait()
        self.outcome.kills += 1

    async def _talk(self) -> None:
        """People write whenever few enough of their messages wait."""
        for number in range(self.outcome.turns):
            talker = self._talkers[number % len(self._talkers)]
            await self._telegram.changes.until(partial(_has_patience, talker))
            talker.give(number)

    def _all_is_answered(self) -> bool:
        is_taken = not self._telegram.updates.pending
        return is_taken and all(talker.unanswered <= 0 for talker in self._talkers)

    # What must be true

    async def _verify(self) -> None:
        self._verify_tools()
        async with await SqliteStore.open(
            self._folder / "data" / FILE_NAME, now=lambda: datetime.now(UTC)
        ) as store:
            if await store.journal.open_turns() or await store.inbound.waiting():
                self._fault("something is still open in the store")
            await self._verify_people(store)
            await self._verify_journal(store, NativeRuntime())

    def _fault(self, text: str) -> None:
        self.outcome.faults.append(text)

    async def _verify_people(self, store: SqliteStore) -> None:
        with closing(sqlite3.connect(self._folder / "data" / FILE_NAME)) as database:
            answers = database.execute(
                "SELECT chat, message_id FROM outbound_messages "
                "JOIN outbound USING (turn_id, reply, position) JOIN turns ON turns.id = turn_id "
                "JOIN lives ON lives.id = life_id WHERE said IS NOT NULL"
            ).fetchall()
            asides = database.execute(
                "SELECT chat, asides.said FROM asides WHERE told_with IS NULL"
            ).fetchall()
        for talker in self._talkers:
            chat = f"telegram:dm:{talker.person.id}"
            history = await store.history((await store.current_session(chat)).id)
            untold = [said for key, said in asides if key == chat]
            known = frozenset(message_id for key, message_id in answers if key == chat)
            kept = Kept(history, untold, known)
            self.outcome.happened += talker.happened(kept)
            for fault in talker.faults(kept):
                self._fault(f"{talker.person.first_name}: {fault}")
            texts = [message.text for message in self._telegram.replies(talker.person)]
            self.outcome.notices += texts.count(NOTICE)
            self.outcome.leftovers += len(talker.leftovers())
        if self._has_drafts and self.outcome.leftovers:
            self._fault(f"{self.outcome.leftovers} previews were left although there are drafts")

    def _verify_tools(self) -> None:
        """Each call ran once, or was cut off and never begun again."""
        lines = Counter(self._counted.read_text().splitlines())
        for line, begun in lines.items():
            what, _, key = line.partition(" ")
            if what == "begun":
                self.outcome.cut_off += begun > lines[f"through {key}"]
                if begun > self._asked_for(int(key.partition("-")[0])):
                    self._fault(f"tool {key} ran {begun} times")

    def _asked_for(self, task: int) -> int:
        """How often a task was asked for."""
        return self._talkers[task % CHANGED_BY % len(self._talkers)].runs_allowed(task)

    async def _verify_journal(self, store: SqliteStore, runtime: Runtime) -> None:
        with closing(sqlite3.connect(self._folder / "data" / FILE_NAME)) as database:
            sessions = [row[0] for row in database.execute("SELECT id FROM sessions")]
            cut_off = database.execute("SELECT count(*) FROM turns WHERE outcome = 'failed'")
            if failed := cut_off.fetchone()[0]:
                self._fault(f"{failed} turns failed")
        stored: set[str] = set()
        for session in sessions:
            self._verify_history(await store.history(session))
            for life in await store.journal.lives(session):
                steps = await store.journal.steps(life.id)
                # An agent that was woken, and killed before it was fed, has answered to nobody.
                if any(step.answers is None for step in steps if step.turn is not None):
                    self._fault(f"a step of life {life.id} was not carried out")
                if not all(one.is_same for one in replay(runtime, life, steps)):
                    self._fault(f"the agent answers the life {life.id} differently")
                lines = [json.loads(line) for step in steps for line in step.lines]
                stored |= {
                    line["response"]["id"] for line in lines if line["type"] == "api_response"
                }
        for request, asked in self._model.asked.items():
            tasks = [
                task
                for message in since_last_answer(json.loads(request))
                for task in tasks_in(message)
            ]
            allowed = max(map(self._asked_for, tasks))  # each /retry asks the same again
            self.outcome.resumed += len(asked) > allowed
            if len(again := [one for one in asked[:-1] if one in stored]) >= allowed:
                self._fault(f"asked again although the answer was stored: {again}")

    def _verify_history(self, history: Sequence[Json]) -> None:
        """What a provider would take: calls with their results, no two users in a row."""
        open_calls: set[str] = set()
        for message in history:
            if message["role"] == "tool":
                if message["tool_call_id"] not in open_calls:
                    self._fault("a result without its call")
                open_calls.discard(message["tool_call_id"])
            elif open_calls:
                self._fault(f"calls without results: {open_calls}")
            open_calls |= {call["id"] for call in message.get("tool_calls") or ()}


def _has_patience(talker: Talker) -> bool:
    return talker.unanswered < MAX_WAITING


async def run_for(minutes: float, seed: int, *, dev: bool) -> int:
    """Runs of the test until the time is up; the number of faults."""
    ends_at = time.monotonic() + 60 * minutes
    faults = 0
    while time.monotonic() < ends_at:
        with tempfile.TemporaryDirectory() as folder:
            test = KillTest(Path(folder), turns=200, kills=40, seed=seed, dev=dev)
            outcome = await test.run()
        print(f"seed {seed}: {outcome}", flush=True)
        faults += len(outcome.faults)
        seed += 1
    return faults


def main() -> None:
    """The long version."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--minutes", type=float, default=30)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--wasm", action="store_true", help="agents in Wasm instead of natively")
    options = parser.parse_args()
    # Connections that break are what this is about, and not worth a traceback each.
    logging.getLogger("aiohttp.server").setLevel(logging.CRITICAL)
    sys.exit(bool(asyncio.run(run_for(options.minutes, options.seed, dev=not options.wasm))))


if __name__ == "__main__":
    main()
