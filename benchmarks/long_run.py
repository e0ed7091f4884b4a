"""Processes that have run for a while, which tell what they take of memory.

`python -m benchmarks.long_run NAME [FOLDER]` prints a JSON object. Each measurement has a process
of its own, so that what others left behind is not counted. Linux only.
"""

import asyncio
import gc
import json
import os
import sys
from collections.abc import Callable, Coroutine
from pathlib import Path
from typing import Any

import structlog

from benchmarks.hosted import Hosted, hosted
from benchmarks.live_agents import private_bytes
from config.models import ModelSettings

_FIRST, _TURNS = 1_000, 10_000
_WARM = 1_000
_CHATS = 20
_SHORT = 4_000  # tokens of context: histories are summed up well within the first turns

Found = dict[str, float]


async def _growth(_folder: Path) -> Found:
    """Turns in some chats, whose histories have reached their full length after the first."""
    model = ModelSettings(context_length=_SHORT)
    async with hosted(tools=True, model=model) as gateway:
        await _talk(gateway, range(_FIRST))
        after_first = _settled_bytes()
        await _talk(gateway, range(_FIRST, _TURNS))
        return {
            "first": _FIRST,
            "turns": _TURNS,
            "after_first": after_first,
            "after_all": _settled_bytes(),
        }


async def _warm(folder: Path) -> Found:
    """A gateway that knows many chats, and has just spoken in some of them."""
    async with hosted(folder=folder) as gateway:
        for chat in range(1, _WARM + 1):
            await gateway.turn(str(chat), "again")
            await gateway.idle(str(chat))
        return {"chats": _WARM, "all": _settled_bytes()}


async def _talk(gateway: Hosted, numbers: range) -> None:
    async def talk(chat: int) -> None:
        for number in numbers[chat::_CHATS]:
            await gateway.turn(str(chat + 1), str(number))
            await gateway.idle(str(chat + 1))

    await asyncio.gather(*map(talk, range(_CHATS)))


def _settled_bytes() -> float:
    gc.collect()
    return private_bytes()


_MEASUREMENTS: dict[str, Callable[[Path], Coroutine[Any, Any, Found]]] = {
    "growth": _growth,
    "warm": _warm,
}


def main(name: str, folder: str = "") -> None:
    """Print what was found."""
    structlog.configure(wrapper_class=structlog.make_filtering_bound_logger(40))
    print(json.dumps(asyncio.run(_MEASUREMENTS[name](Path(folder)))), flush=True)
    os._exit(0)  # the kernel takes all back at once


if __name__ == "__main__":
    main(*sys.argv[1:])
