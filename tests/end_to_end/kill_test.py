"""Turns with tools, while the gateway is killed at random moments: nothing is lost or doubled.

A real gateway process between a fake Telegram and a fake model server. People ask for tasks; each
takes a model call, tools, and another model call; some answers have an album below. Afterwards
`verify` reads what people see, what the tool has written, what the model was asked, and the
journal, and says what is wrong.

    python -m tests.end_to_end.kill_test --minutes 30
"""

import argparse
import asyncio
import json
import logging
import random
import re
import signal
import sqlite3
import sys
import tempfile
import time
from collections import Counter, defaultdict
from collections.abc import Sequence
from contextlib import AsyncExitStack, closing
from dataclasses import dataclass, field
from datetime import UTC, datetime
from functools import partial
from pathlib import Path
from typing import Any

from aiohttp import web
from aiohttp.typedefs import Handler

from adapters.telegram.rendering import CURSOR
from gateway.chats.lost_replies import NOTICE
from gateway.replay import replay
from gateway.runtime.base import Runtime
from gateway.runtime.native import NativeRuntime
from gateway.store.sqlite import FILE_NAME, SqliteStore
from gateway.workspace.workspace import Workspaces
from tests.end_to_end.process import environment
from tests.fakes.model_server import KEY, ModelServer, Script, make_completion
from tests.fakes.telegram import FakeTelegram, Person

TASK = re.compile(r"task (\d+)")
PEOPLE = ("Ada", "Bob", "Cleo", "Dan")
MAX_WAITING = 3  # unanswered messages of one person

Json = dict[str, Any]


class TaskModel(ModelServer):
    """Answers by rule, at its own pace, and remembers which completion answered what."""

    def __init__(self, chance: random.Random) -> None:
        super().__init__(api_key=KEY, responder=self._answer)
        self.asked: defaultdict[str, list[str]] = defaultdict(list)  # request → completion ids
        self._chance = chance

    def _answer(self, body: Json) -> Json:
        messages = body["messages"]
        last_user = max(n for n, message in enumerate(messages) if message["role"] == "user")
        number = _tasks(messages[last_user])[-1]
        results = sum(message["role"] == "tool" for message in messages[last_user:])
        if results:
            media = [f"MEDIA:{name}" for name in album_of(number)]
            made = make_completion("\n\n".join([answer_to(number), *media]))
        else:
            keys = [f"{number}-{n}" for n in range(1 + number % 2)]
            calls = [_call(f"call_{key}", key) for key in keys]
            made = make_completion(None, calls)
        asked = self.asked[json.dumps(messages, sort_keys=True)]
        made["id"] = f"completion-{number}-{results}-{len(asked)}"
        asked.append(made["id"])
        return made

    async def _perform(
        self, script: Script, request: web.Request, body: Json
    ) -> web.StreamResponse:
        await asyncio.sleep(self._chance.uniform(0, 0.06))  # models take their time
        return await super()._perform(script, request, body)


def answer_to(number: int) -> str:
    """What the model says in the end; long enough to be streamed."""
    return f"Task number {number} is done, and this is all there is to say about it."


def album_of(number: int) -> list[str]:
    """The files that belong to an answer; none for most."""
    return [f"{number}-{letter}.txt" for letter in "ab"] if number % 3 == 0 else []


def _call(call_id: str, key: str) -> Json:
    function = {"name": "count", "arguments": json.dumps({"key": key})}
    return {"id": call_id, "type": "function", "function": function}


def _tasks(message: Json) -> list[int]:
    return [int(number) for number in TASK.findall(str(message["content"]))]


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
        self._people: list[Person] = []
        self._tasks: dict[str, list[int]] = {name: [] for name in PEOPLE}
        self._counted = folder / "counted.txt"

    async def run(self) -> Outcome:
        """Carry it out and verify it."""
        began = time.monotonic()
        async with AsyncExitStack() as stack:
            await stack.enter_async_context(self._telegram)
            await self._model.start()
            stack.push_async_callback(self._model.stop)
            self._people = [self._telegram.people.person(name) for name in PEOPLE]
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
        if request.match_info["method"] in {"sendMessage", "sendMediaGroup"}:
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
  allowed_users: {[person.id for person in self._people]}
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
        for number in range(self.outcome.turns):
            person = self._people[number % len(self._people)]
            root = Workspaces(self._folder / "data" / "workspaces").of(f"telegram:dm:{person.id}")
            for name in album_of(number):
                (root.prepare() / name).write_text(name)

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
            person = self._people[number % len(self._people)]
            tasks = self._tasks[person.first_name]
            await self._telegram.changes.until(partial(self._may_write, person))
            tasks.append(number)
            self._telegram.people.say(person, f"Please do task {number}")

    def _may_write(self, person: Person) -> bool:
        return len(self._tasks[person.first_name]) - self._answered(person) < MAX_WAITING

    def _answered(self, person: Person) -> int:
        """Answers and notices instead of answers."""
        texts = [message.text for message in self._telegram.replies(person)]
        return len(self._answers(person)) + min(
            texts.count(NOTICE), len(self._tasks[person.first_name]) - len(self._answers(person))
        )

    def _answers(self, person: Person) -> set[int]:
        texts = {message.text for message in self._telegram.replies(person)}
        files = self._albums(person).keys()
        return {
            number
            for number in self._tasks[person.first_name]
            if answer_to(number) in texts and files >= set(album_of(number))
        }

    def _albums(self, person: Person) -> dict[str, list[str]]:
        """In which albums each file has come."""
        found: defaultdict[str, list[str]] = defaultdict(list)
        for message in self._telegram.replies(person):
            if "document" in message.content:
                name = message.content["document"]["file_name"]
                found[name].append(str(message.content.get("media_group_id")))
        return found

    def _all_is_answered(self) -> bool:
        return all(
            self._answered(person) >= len(self._tasks[person.first_name]) for person in self._people
        )

    # What must be true

    async def _verify(self) -> None:
        for person in self._people:
            self._verify_screen(person)
        if self._has_drafts and self.outcome.leftovers:
            self._fault(f"{self.outcome.leftovers} previews were left although there are drafts")
        self._verify_tools()
        async with await SqliteStore.open(
            self._folder / "data" / FILE_NAME, now=lambda: datetime.now(UTC)
        ) as store:
            if await store.journal.open_turns() or await store.inbound.waiting():
                self._fault("something is still open in the store")
            await self._verify_journal(store, NativeRuntime())

    def _fault(self, text: str) -> None:
        self.outcome.faults.append(text)

    def _verify_screen(self, person: Person) -> None:
        """Each answer once, and its album; what is missing has a notice in its place."""
        replies = self._telegram.replies(person)
        texts = Counter(message.text for message in replies if "document" not in message.content)
        albums = self._albums(person)
        notices = texts[NOTICE]
        whole = {answer_to(number) for number in self._tasks[person.first_name]} | {NOTICE}
        for text in texts.keys() - whole:
            self.outcome.leftovers += texts[text]
            if not any(one.startswith(text.rstrip(CURSOR)) for one in whole):
                self._fault(f"{person.first_name} was told something else: {text[:200]}")
        self.outcome.notices += notices
        missing = []
        for number in self._tasks[person.first_name]:
            times = texts[answer_to(number)]
            files = [albums.get(name, []) for name in album_of(number)]
            if times > 1 or any(len(one) > 1 for one in files):
                self._fault(f"task {number} was answered {times} times, with albums {files}")
            elif any(one != files[0] for one in files):
                self._fault(f"task {number} has half an album: {files}")
            elif times == 0 or not all(files):
                missing.append(number)
        if len(missing) > notices:
            self._fault(f"{person.first_name}: no answer to {missing}, and {notices} notices")

    def _verify_tools(self) -> None:
        """Each call ran once, or was cut off and never begun again."""
        lines = Counter(self._counted.read_text().splitlines())
        for number in range(self.outcome.turns):
            for n in range(1 + number % 2):
                begun, through = lines[f"begun {number}-{n}"], lines[f"through {number}-{n}"]
                self.outcome.cut_off += begun > through
                if begun > 1:
                    self._fault(f"tool {number}-{n} ran {begun} times")

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
        for asked in self._model.asked.values():
            self.outcome.resumed += len(asked) - 1
            if again := [one for one in asked[:-1] if one in stored]:
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
            if message["role"] == "user" and len(_tasks(message)) != 1:
                self._fault(f"a history lost an answer: {message['content'][:80]}")
            open_calls |= {call["id"] for call in message.get("tool_calls") or ()}


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
