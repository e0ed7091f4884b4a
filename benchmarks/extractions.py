"""How much twenty web extractions at once slow down another chat's turn.

A turn is measured in a gateway that has nothing else to do, then while pages are fetched and read
by twenty others, in turns, so that a busy machine is busy for both. The website is a process.
"""

import asyncio
import itertools
import sys
import tempfile
import time
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, asynccontextmanager
from pathlib import Path
from statistics import median

import structlog

from benchmarks.figure import Figure, figure
from benchmarks.hosted import Hosted, hosted
from config.web import WebSettings
from gateway.web.web import Web, opened

_AT_ONCE = 20
_ROUNDS = 10
_TURNS_OF_EACH = 20
_PARAGRAPHS = 400  # about 200 kB of HTML, as newspapers have it


def measure() -> list[Figure]:
    """The time of a turn with extractions beside it, over that without; pages per second."""
    structlog.configure(wrapper_class=structlog.make_filtering_bound_logger(40))
    alone_ms, beside_ms, pages_per_s, page_ms = asyncio.run(_both())
    more = 100 * (beside_ms / alone_ms - 1)
    return [
        figure(f"a turn beside {_AT_ONCE} web extractions, slower by", more, "%", "<=", 20),
        figure("a turn alone, median", alone_ms, "ms"),
        figure("a turn beside them, median", beside_ms, "ms"),
        figure("pages read in the meantime", pages_per_s, "/s"),
        figure("a page, of the gateway's own processor time", page_ms, "ms"),
    ]


async def _both() -> tuple[float, float, float, float]:
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
        alone: list[float] = []
        beside: list[float] = []
        read, taken_s = 0, 0.0
        for _ in range(_ROUNDS):
            alone += await _turns(gateway, numbers)
            began = time.perf_counter()
            enough = asyncio.Event()
            reading = [asyncio.create_task(_read_on(web, url, enough)) for _ in range(_AT_ONCE)]
            beside += await _turns(gateway, numbers)
            enough.set()
            read += sum(await asyncio.gather(*reading))
            taken_s += time.perf_counter() - began
        began = time.process_time()  # of this process: readers have their own
        for _ in range(_AT_ONCE):
            await web.page(url)
        page_ms = 1_000 * (time.process_time() - began) / _AT_ONCE
        return median(alone), median(beside), read / taken_s, page_ms


async def _turns(gateway: Hosted, numbers: "itertools.count[int]") -> list[float]:
    """Times of turns of one chat, in milliseconds."""
    taken = []
    for _ in range(_TURNS_OF_EACH):
        began = time.perf_counter()
        await gateway.turn("1", str(next(numbers)))
        taken.append(1_000 * (time.perf_counter() - began))
        await gateway.idle("1")
    return taken


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
        serving = [sys.executable, "-u", "-m", "http.server", "0", "--bind", "127.0.0.1"]
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
