"""A page from its address to its text, and what it takes of memory. The process that this happens
in has tests of its own, in `test_process.py`.
"""

import asyncio
import itertools
import tempfile
import tracemalloc
from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from gateway.reading.readers import Readers
from gateway.web.errors import TooLarge
from gateway.web.process.program import Errands
from tests.fakes.website import Website
from tests.gateway.web.conftest import MakeFetcher


@pytest.fixture
async def errands(
    make_fetcher: MakeFetcher, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> AsyncIterator[Errands]:
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    readers = Readers(1)
    yield Errands(make_fetcher(allowed_hosts=("127.0.0.1",), timeout_s=50), readers, 10**7)
    await readers.close()


async def test_a_long_page_goes_through_a_file_that_is_gone_afterwards(
    site: Website, errands: Errands, tmp_path: Path
) -> None:
    line = b"a line of text\n"
    site.drip("/long", itertools.repeat(line * 4_000, 20))
    page = await errands.page(site.url("/long"))
    assert page.text.text.startswith("a line of text\na line")
    assert page.text.is_cut
    assert await asyncio.to_thread(lambda: list(tmp_path.iterdir())) == []


async def test_long_pages_at_once_are_not_held(site: Website, errands: Errands) -> None:
    piece = b"a line of text\n" * 4_000
    for number in range(10):
        site.drip(f"/{number}", itertools.repeat(piece, 160))  # 9.6 MB each
    await errands.page(site.page("/small", "small", "text/plain"))  # the readers are there
    tracemalloc.start()
    try:
        await asyncio.gather(*(errands.page(site.url(f"/{number}")) for number in range(10)))
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert peak < 30_000_000  # of 96 MB


async def test_a_page_without_end_leaves_nothing_behind(
    site: Website, errands: Errands, tmp_path: Path
) -> None:
    site.drip("/endless", itertools.repeat(b"x" * 65_536))
    with pytest.raises(TooLarge):
        await errands.page(site.url("/endless"))
    assert await asyncio.to_thread(lambda: list(tmp_path.iterdir())) == []
