"""Reading pages, in the processes that do it."""

import asyncio
import contextlib
import json
import os
import signal
import sys
from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from gateway.reading import readers as module
from gateway.reading.errors import ReadsTooLong, Unreadable
from gateway.reading.readers import Readers, bare_environment
from gateway.reading.source import Source, Text
from tests.gateway.reading.pdf_documents import pdf

ARTICLE = """<!doctype html><html><head><title>Cats &amp; dogs</title><script>evil()</script></head>
<body><nav><a href="/home">Home</a></nav><article><h1>Cats</h1><p>Cats are small animals that
like to sleep, and <a href="/food">eat</a>, for as long as the day is, and then some more.</p>
<table><tr><th>name</th><th>age</th></tr><tr><td>Minka</td><td>7</td></tr></table>
<pre><code>def purr():
    return 1</code></pre></article><footer>Imprint</footer></body></html>"""


@pytest.fixture
async def readers() -> AsyncIterator[Readers]:
    made = Readers(1)
    yield made
    await made.close()


def page(content: str | bytes, media_type: str = "text/html", charset: str | None = None) -> Source:
    body = content.encode() if isinstance(content, str) else content
    return Source("https://cats.example/a", media_type, charset, body)


async def test_the_text_of_a_page_is_markdown_without_what_stands_around_it(
    readers: Readers,
) -> None:
    found = await readers.read(page(ARTICLE))
    assert found.title == "Cats & dogs"
    assert "like to sleep" in found.text
    assert "[eat](https://cats.example/food)" in found.text
    assert "| Minka | 7 |" in found.text
    assert "    return 1" in found.text
    assert "Imprint" not in found.text
    assert "evil" not in found.text


async def test_other_kinds_are_read_as_what_they_are(readers: Readers) -> None:
    assert (await readers.read(page("a,b\n1,2\n", "text/csv"))).text == "a,b\n1,2\n"
    assert (await readers.read(page('{"ä":[1]}', "application/json"))).text == (
        '{\n "ä": [\n  1\n ]\n}'
    )
    assert (await readers.read(page("{broken", "application/ld+json"))).text == "{broken"
    assert "<b>" in (await readers.read(page("<a><b>1</b></a>", "application/xml"))).text
    paper = pdf("Cats purr.", title="All about cats")
    assert await readers.read(page(paper, "application/pdf")) == Text(
        "All about cats", "## Page 1\n\nCats purr.", pages=1
    )
    assert "a piece of a page" in (await readers.read(page("<p>a piece of a page</p>"))).text


@pytest.mark.parametrize(
    ("content", "charset"),
    [
        ("Grüße".encode(), None),
        ("Grüße".encode("utf-8-sig"), "ascii"),
        ("Grüße".encode("latin-1"), "iso-8859-1"),
        ("Grüße".encode("utf-16"), "utf-16"),
        ("Grüße".encode("cp1252"), "no-such-charset"),
        ("Grüße".encode("cp1252"), "undefined"),
        ("Grüße".encode("cp1252"), "a\0b"),
    ],
)
async def test_text_is_decoded_as_what_it_is(
    content: bytes, charset: str | None, readers: Readers
) -> None:
    assert (await readers.read(page(content, "text/plain", charset))).text == "Grüße"


@pytest.mark.parametrize(
    ("content", "media_type", "reason"),
    [
        (b"", "text/html", "no text in it"),
        (b"<html><body></body></html>", "text/html", "no text in it"),
        (b" \n ", "text/plain", "no text in it"),
        (bytes(1_000), "text/plain", "is none"),
        (b"%PDF-1.4 broken", "application/pdf", "broken"),
        (b"not a PDF", "application/pdf", "broken"),
    ],
)
async def test_what_can_not_be_read_is_told(
    content: bytes, media_type: str, reason: str, readers: Readers
) -> None:
    with pytest.raises(Unreadable, match=reason):
        await readers.read(page(content, media_type))


@pytest.mark.parametrize(
    "hostile",
    [
        "<div>" * 200_000 + "deep",
        "<a " + "x=1 " * 300_000 + ">many attributes</a>",
        "<!--" * 200_000,
        "<table>" * 3_000 + "nested" + "<tr><td>" * 3_000,
        "&" + "x" * 1_000_000 + ";",
        "<html><body>" + "<p>\N{ZERO WIDTH JOINER}" * 10_000,
    ],
    ids=["deep", "attributes", "comments", "tables", "entity", "joiners"],
)
async def test_hostile_pages_harm_nothing(hostile: str, readers: Readers) -> None:
    with contextlib.suppress(Unreadable, ReadsTooLong):
        await readers.read(page(hostile))
    assert "like to sleep" in (await readers.read(page(ARTICLE))).text


async def test_a_text_without_end_is_cut(readers: Readers) -> None:
    found = await readers.read(page("x" * 3_000_000, "text/plain"))
    assert (len(found.text), found.is_cut) == (400_000, True)


async def test_a_reader_that_takes_too_long_is_ended_and_replaced() -> None:
    readers = Readers(1, timeout_s=0.01)  # nobody starts Python in that time
    with pytest.raises(ReadsTooLong):
        await readers.read(page(ARTICLE))
    readers._timeout_s = 30
    assert (await readers.read(page("next", "text/plain"))).text == "next"
    await readers.close()


async def test_a_reader_that_dies_is_replaced(readers: Readers) -> None:
    await readers.read(page("first", "text/plain"))
    (worker,) = readers._idle
    os.kill(worker.process.pid, signal.SIGKILL)
    await worker.process.wait()
    with pytest.raises(Unreadable):
        await readers.read(page("second", "text/plain"))
    assert (await readers.read(page("third", "text/plain"))).text == "third"


@pytest.mark.parametrize(
    "answer",
    [
        "[]",
        "1",
        "{}",
        "[" * 100_000,
        '{"error": ["a"]}',
        '{"title": "", "text": ["a"]}',
        '{"title": "", "text": "a", "next_page": "2"}',
        '{"title": "", "text": "a", "pages": 1.5}',
    ],
)
async def test_a_reader_that_says_what_is_no_answer_is_replaced(
    readers: Readers, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, answer: str
) -> None:
    """As one could that a document has taken over."""
    program = tmp_path / "reader_taken_over.py"
    program.write_text(f"import sys\nsys.stdin.readline()\nprint({answer!r}, flush=True)\n")
    with monkeypatch.context() as patches:
        patches.setattr(module, "PROGRAM", program.stem)
        patches.syspath_prepend(tmp_path)
        with pytest.raises(Unreadable, match="broken"):
            await readers.read(page("first", "text/plain"))
    assert (await readers.read(page("next", "text/plain"))).text == "next"


async def test_readers_are_used_again_and_end_when_there_is_nothing_to_read(
    readers: Readers, monkeypatch: pytest.MonkeyPatch
) -> None:
    await readers.read(page("first", "text/plain"))
    (worker,) = readers._idle
    monkeypatch.setattr(module, "IDLE_S", 0.0)
    await readers.read(page("second", "text/plain"))
    assert worker.pages == 2
    await worker.process.wait()
    assert readers._idle == []


async def test_a_reader_knows_nothing_of_the_gateways_environment(
    readers: Readers, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("TELEGRAM_BOT_TOKEN", "123:secret")
    await readers.read(page("first", "text/plain"))
    (worker,) = readers._idle
    environment = await asyncio.to_thread(Path(f"/proc/{worker.process.pid}/environ").read_text)
    assert "secret" not in environment
    assert "PYTHONPATH" in environment


async def test_a_reader_gives_way_to_everything_else(readers: Readers) -> None:
    await readers.read(page("first", "text/plain"))
    (worker,) = readers._idle
    assert os.getpriority(os.PRIO_PROCESS, worker.process.pid) >= 15


async def test_a_reader_whom_nobody_ends_ends_itself() -> None:
    program = "from gateway.reading import worker as w; w.GIVEN_UP_AFTER_S = 1; w.main()"
    process = await asyncio.create_subprocess_exec(
        sys.executable,
        "-c",
        program,
        stdin=asyncio.subprocess.PIPE,
        env=bare_environment(),
    )
    assert process.stdin is not None
    request = {"media_type": "text/plain", "charset": None, "url": "", "size": 9}
    process.stdin.write(json.dumps(request).encode() + b"\n1234")  # five bytes never come
    assert await process.wait() == -signal.SIGALRM


async def test_what_is_in_a_file_is_read_from_there(readers: Readers, tmp_path: Path) -> None:
    file = tmp_path / "page"
    await asyncio.to_thread(file.write_text, "in a file")
    found = await readers.read(Source("https://a.example/", "text/plain", None, b"", file))
    assert found.text == "in a file"
    gone = Source("https://a.example/", "text/plain", None, b"", tmp_path / "nowhere")
    with pytest.raises(Unreadable):
        await readers.read(gone)
    assert (await readers.read(page("next", "text/plain"))).text == "next"
