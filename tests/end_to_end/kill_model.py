"""The model of the kill test: answers by rule, at its own pace, and remembers what it was asked.

Each task that it was given since its last answer takes one or two calls of a tool, each with a key
of its own, and then stands in the answer with a sentence of its own: so everything that happens
twice, or not at all, can be counted.
"""

import asyncio
import itertools
import json
import random
import re
from collections import defaultdict
from collections.abc import Sequence
from typing import Any

from aiohttp import web

from tests.fakes.model_server import KEY, ModelServer, Script, make_completion

Json = dict[str, Any]

_TASK = re.compile(r"task (\d+)")


class TaskModel(ModelServer):
    """Does all tasks of a turn, then says so."""

    def __init__(self, chance: random.Random) -> None:
        super().__init__(api_key=KEY, responder=self._answer)
        self.asked: defaultdict[str, list[str]] = defaultdict(list)  # request → completion ids
        self._chance = chance
        self._ids = itertools.count(1)

    def _answer(self, body: Json) -> Json:
        turn = since_last_answer(body["messages"])
        tasks = [task for message in turn for task in tasks_in(message)]
        called = {call["id"] for message in turn for call in message.get("tool_calls") or ()}
        missing = [key for task in tasks for key in keys_of(task) if f"call_{key}" not in called]
        if missing:
            made = make_completion(None, [_call(f"call_{key}", key) for key in missing])
        else:
            media = [f"MEDIA:{name}" for task in tasks for name in album_of(task)]
            made = make_completion("\n\n".join([*map(answer_to, tasks), *media]))
        made["id"] = f"completion-{next(self._ids)}"
        self.asked[json.dumps(body["messages"], sort_keys=True)].append(made["id"])
        return made

    async def _perform(
        self, script: Script, request: web.Request, body: Json
    ) -> web.StreamResponse:
        await asyncio.sleep(self._chance.uniform(0, 0.06))  # models take their time
        return await super()._perform(script, request, body)


def since_last_answer(messages: Sequence[Json]) -> list[Json]:
    """What of a history belongs to the turn that runs."""
    ends = [
        place
        for place, message in enumerate(messages)
        if message["role"] == "system"
        or (message["role"] == "assistant" and not message.get("tool_calls"))
    ]
    return list(messages[ends[-1] + 1 :]) if ends else list(messages)


def answer_to(task: int) -> str:
    """What the model says of a task in the end; long enough to be streamed."""
    return f"Task number {task} is done, and this is all there is to say about it."


def album_of(task: int) -> list[str]:
    """The files that belong to an answer; none for most."""
    return [f"{task}-{letter}.txt" for letter in "ab"] if task % 4 == 0 else []


def keys_of(task: int) -> list[str]:
    """What the tool is called with, for a task."""
    return [f"{task}-{n}" for n in range(1 + task % 2)]


def tasks_in(message: Json) -> list[int]:
    """The tasks that a person gave with a message; those in what it quotes are none."""
    if message["role"] != "user":
        return []
    own = [line for line in text_of(message).splitlines() if not line.startswith("> ")]
    return [int(number) for line in own for number in _TASK.findall(line)]


def text_of(message: Json) -> str:
    """What a message of a history says."""
    return str(message.get("content") or "")


def _call(call_id: str, key: str) -> Json:
    function = {"name": "count", "arguments": json.dumps({"key": key})}
    return {"id": call_id, "type": "function", "function": function}
