"""How much twenty web extractions at once slow down another chat's turn.

Turns are measured in a gateway that has nothing else to do, then while twenty pages at a time are
fetched and read, in rounds. What counts is the median of the rounds, each of which compares itself:
what else a machine has to do comes and goes. The time that turns take of the event loop says the
same with less noise. The website is a process with the least of the machine's time, since it would
be elsewhere.
"""

import asyncio
import itertools
import sys
import tempfile
import time
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass, field
from pathlib import Path
from statistics import median

import structlog

from benchmarks.figure import Figure, figure
from benchmarks.hosted import Hosted, hosted
from config.web import WebSettings
from gateway.web.web import Web, opened

_AT_ONCE = 20
_ROUNDS = 12
_TURNS_OF_EACH = 20
_PARAGRAPHS = 400  # about 200 kB of HTML, as newspapers have it


@dataclass(slots=True)
class _Round:
    """Times in milliseconds: of turns, from a message to its answer, and what of that is the
    event loop's.
    """

    taken: list[float] = field(default_factory=list)
    loop: list[float] = field(default_factory=list)


@dataclass(slots=True)
class _Measured:
    """What has been seen."""

    alone: list[_Round] = field(default_factory=list)
    beside: list[_Round] = field(default_factory=list)
    pages: int = 0
    pages_s: float = 0.0
    page_ms: float = 0.0


def measure() -> list[Figure]:
    """The time of a turn with extractions beside it, over that without; pages per second."""
    structlog.configure(wrapper_class=structlog.make_filtering_bound_logger(40))
    seen = asyncio.run(_seen())
    taken = [
        (median(a.taken), median(b.taken)) for a, b in zip(seen.alone, seen.beside, strict=True)
    ]
    loop = [(median(a.loop), median(b.loop)) for a, b in zip(seen.alone, seen.beside, strict=True)]
    return [
        figure(f"a turn beside {_AT_ONCE} web extractions, slower by", _more(taken), "%", "<=", 20),
        figure("of the event loop's time it takes more by", _more(loop), "%"),
        figure("a turn alone, median", median(alone for alone, _ in taken), "ms"),
        figure("a turn beside them, median", median(beside for _, beside in taken), "ms"),
        figure("pages read in the meantime", seen.pages / seen.pages_s, "/s"),
        figure("a page, of the gateway's own processor time", seen.page_ms, "ms"),
    ]


def _more(rounds: list[tuple[float, float]]) -> float:
    """By how much the second is more than the first, in per cent, in the median of the rounds."""
    return 100 * (median(beside / alone for alone, beside in rounds) - 1)


async def _seen() -> _Measured:
    seen = _Measured()
    async with AsyncExitStack() as stack:
        url = await stack.enter_async_context(_website())
        host = url.split("/")[2]
        web = await stack.enter_async_context(
            opened(WebSettings.model_validate({"allowed_hosts": (host,)}))
        )
        gateway = await stack.enter_async_context(hosted())
        numbers = itertools.count()
        await asyncio.gather(*(web.page(url) for _ in range(_AT_ONCE)))  # readers are there
        await _turns(gateway, numbers)
        for _ in range(_ROUNDS):
            seen.alone.append(await _turns(gateway, numbers))
            began = time.perf_counter()
            enough = asyncio.Event()
            reading = [asyncio.create_task(_read_on(web, url, enough)) for _ in range(_AT_ONCE)]
            seen.beside.append(await _turns(gateway, numbers))
            enough.set()
            seen.pages += sum(await asyncio.gather(*reading))
            seen.pages_s += time.perf_counter() - began
        began = time.process_time()  # of this process: those who fetch and read have their own
        for _ in range(_AT_ONCE):
            await web.page(url)
        seen.page_ms = 1_000 * (time.process_time() - began) / _AT_ONCE
    return seen


async def _turns(gateway: Hosted, numbers: "itertools.count[int]") -> _Round:
    """Turns of one chat."""
    times = _Round()
    for _ in range(_TURNS_OF_EACH):
        began, loop_began = time.perf_counter(), time.thread_time()
        await gateway.turn("1", str(next(numbers)))
        times.taken.append(1_000 * (time.perf_counter() - began))
        times.loop.append(1_000 * (time.thread_time() - loop_began))
        await gateway.idle("1")
    return times


async def _read_on(web: Web, url: str, enough: asyncio.Event) -> int:
    """Read until it is enough; returns how many pages."""
    count = 0
    while not enough.is_set():
        await web.page(url)
        count += 1
    return count


@asynccontextmanager
async def _website() -> AsyncIterator[str]:
    """A page, served by a process of its own."""
    with tempfile.TemporaryDirectory() as folder:
        await asyncio.to_thread((Path(folder) / "page.html").write_text, _page())
        serving = [
            "nice",
            "-n",
            "19",
            sys.executable,
            "-u",
            "-m",
            "http.server",
            "0",
            "--bind",
            "127.0.0.1",
        ]
        process = await asyncio.create_subprocess_exec(
            *serving,
            cwd=folder,
            stdout=asyncio.subprocess.PIPE,
            stderr=asyncio.subprocess.DEVNULL,
        )
        try:
            assert process.stdout is not None
            line = (await process.stdout.readline()).decode()  # … (http://127.0.0.1:1234/) …
            yield f"{line.split('(')[1].split(')')[0]}page.html"
        finally:
            process.kill()
            await process.communicate()


def _page() -> str:
    links = "".join(f'<li><a href="/{number}">Section {number}</a></li>' for number in range(200))
    text = "".join(
        f"<p>Paragraph {number}: {'cats sleep long and eat little, ' * 14}"
        f'<a href="/more/{number}">and more</a>.</p>'
        for number in range(_PARAGRAPHS)
    )
    return (
        f"<!doctype html><html><head><title>Cats</title></head><body><nav><ul>{links}</ul></nav>"
        f"<article><h1>Cats</h1>{text}</article><footer>Imprint</footer></body></html>"
    )
