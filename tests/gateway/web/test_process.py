"""The process that fetches: what goes in and comes out, and how it lives and ends."""

import asyncio
import itertools
import json
import os
import signal
import tempfile
import tracemalloc
from collections.abc import AsyncIterator
from pathlib import Path

import pytest
from structlog.testing import capture_logs

from config.web import WebSettings
from gateway.web.errors import (
    BadAnswer,
    BadUrl,
    Forbidden,
    TooLarge,
    TooSlow,
    Unreachable,
    Unreadable,
    WebError,
    WrongType,
)
from gateway.web.fetch import Fetched
from gateway.web.process import client as module
from gateway.web.process.client import WebProcess
from gateway.web.process.wire import settings_line
from tests.fakes.website import Website


def settings(site: Website, **more: object) -> WebSettings:
    given = {"allowed_hosts": (f"127.0.0.1:{site.port}",), "timeout_s": 50, "max_page_mb": 1}
    return WebSettings.model_validate({**given, **more})


@pytest.fixture
async def web(site: Website) -> AsyncIterator[WebProcess]:
    made = WebProcess(settings(site))
    yield made
    await made.close()


def pid_of(web: WebProcess) -> int:
    assert web._process is not None
    return web._process.program.pid


def children_of(pid: int) -> list[int]:
    file = Path(f"/proc/{pid}/task/{pid}/children")
    return [int(child) for child in file.read_text().split()]


async def test_a_page_comes_as_its_text_and_with_the_address_that_it_is_from(
    site: Website, web: WebProcess
) -> None:
    site.page("/there", "<html><title>Grüße</title><p>Cats \N{CAT FACE} purr.</p></html>")
    page = await web.page(site.redirect("/here", "/there"))
    assert page.url == site.url("/there")
    assert page.text.title == "Grüße"
    assert page.text.text.strip() == "Cats \N{CAT FACE} purr."
    assert not page.text.is_cut


async def test_what_goes_wrong_is_told_as_what_it_is(
    site: Website, web: WebProcess, unused_tcp_port: int
) -> None:
    expected: dict[str, type[WebError]] = {
        "http://169.254.169.254/": Forbidden,
        f"http://localhost:{unused_tcp_port}/": Forbidden,
        f"http://ada@127.0.0.1:{site.port}/": Forbidden,
        "file:///etc/passwd": BadUrl,
        "\ud800": BadUrl,  # half a character, as JSON of a model may have it
        f"http://127.0.0.1:{site.port}/{'x' * 2_000_000}": BadUrl,
        site.page("/picture", b"?", "image/png"): WrongType,
        site.page("/empty", "", "text/plain"): Unreadable,
        site.page("/large", b"x" * 2_000_000, "text/plain"): TooLarge,
        site.redirect("/inside", f"http://localhost:{site.port}/"): Forbidden,
    }
    outcomes = await asyncio.gather(*map(web.page, expected), return_exceptions=True)
    assert list(map(type, outcomes)) == list(expected.values())
    with pytest.raises(BadAnswer, match="404") as caught:
        await web.page(site.url("/nowhere"))
    assert caught.value.status == 404
    assert set(site.paths) == {"/picture", "/empty", "/large", "/inside", "/nowhere"}


async def test_long_pages_do_not_pass_through_the_gateway(site: Website, web: WebProcess) -> None:
    line = b"a line of text\n"
    for number in range(10):
        site.drip(f"/{number}", itertools.repeat(line * 4_000, 16))  # 960 kB each
    await web.page(site.page("/small", "small", "text/plain"))
    tracemalloc.start()
    try:
        for number in range(10):
            await web.page(site.url(f"/{number}"))
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert peak < 3_500_000  # a text of 400 kB, while it is received and taken apart


async def test_long_pages_leave_nothing_where_files_that_pass_are(
    site: Website, web: WebProcess, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("TMPDIR", str(tmp_path))
    await asyncio.to_thread(os.utime, tmp_path, (0, 0))
    await web.page(site.page("/long", b"a line of text\n" * 60_000, "text/plain"))
    assert (await asyncio.to_thread(tmp_path.stat)).st_mtime > 0  # there was a file
    assert await asyncio.to_thread(lambda: list(tmp_path.iterdir())) == []


async def test_what_is_no_page_comes_as_it_is_and_leaves_no_file(
    site: Website, web: WebProcess, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    for content in (b"\x89PNG", bytes(range(256)) * 4_000):
        url = site.redirect("/", site.page("/cat", content, "image/png"))
        found = await web.get(url, max_bytes=2_000_000, types=("image/*",))
        assert found == Fetched(site.url("/cat"), "image/png", None, content)
    for limit, types, error in ((1_000, ("*/*",), TooLarge), (2_000_000, ("text/*",), WrongType)):
        with pytest.raises(error):
            await web.get(url, max_bytes=limit, types=types)
    assert await asyncio.to_thread(lambda: list(tmp_path.iterdir())) == []


async def test_an_address_is_looked_at_without_being_fetched_from(
    site: Website, web: WebProcess
) -> None:
    assert await web.checked(f"{site.url('/a')}#b") == site.url("/a")
    with pytest.raises(Forbidden):
        await web.checked("http://localhost/")
    assert site.paths == []


async def test_whoever_no_longer_waits_is_not_fetched_for(site: Website, web: WebProcess) -> None:
    waiting = asyncio.create_task(web.page(site.hang("/hanging")))
    await site.hanging.wait()
    waiting.cancel()
    await site.broken.wait()
    with pytest.raises(asyncio.CancelledError):
        await waiting
    assert (await web.page(site.page("/a", "next", "text/plain"))).text.text == "next"


async def test_a_page_that_takes_long_holds_no_other_up(site: Website, web: WebProcess) -> None:
    waiting = asyncio.create_task(web.page(site.hang("/hanging")))
    await site.hanging.wait()
    assert (await web.page(site.page("/a", "next", "text/plain"))).text.text == "next"
    waiting.cancel()


async def test_if_it_dies_whoever_waits_hears_of_it_and_the_next_page_is_read(
    site: Website, web: WebProcess
) -> None:
    waiting = asyncio.create_task(web.page(site.hang("/hanging")))
    await site.hanging.wait()
    with capture_logs() as logs:
        os.kill(pid_of(web), signal.SIGKILL)
        with pytest.raises(Unreachable, match="broke off"):
            await waiting
    assert "the process that fetches has ended" in [entry["event"] for entry in logs]
    assert (await web.page(site.page("/a", "next", "text/plain"))).text.text == "next"


async def test_if_it_says_nothing_any_more_it_is_replaced(
    site: Website, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(module, "SILENCE_S", 0.0)
    monkeypatch.setattr(module, "GRACE_S", 0.1)
    web = WebProcess(settings(site))
    url = site.page("/cat", b"PNG", "image/png")
    await web.get(url, max_bytes=1_000)
    web._settings = settings(site, timeout_s=0.5)
    os.kill(pid_of(web), signal.SIGSTOP)
    with pytest.raises(TooSlow):
        await web.get(url, max_bytes=1_000)
    web._settings = settings(site, timeout_s=50)
    assert (await web.get(url, max_bytes=1_000)).content == b"PNG"
    await web.close()


def replaced_by(text: str, folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Let another program answer, as one that a page has taken over could: it sends `text`, in
    which N stands for the id that is waited for, to the first request.
    """
    program = folder / "gateway_taken_over.py"
    program.write_text(
        "import json, socket, sys\n"
        "with socket.socket(fileno=sys.stdin.fileno()) as ours, ours.makefile('rwb') as lines:\n"
        "    lines.readline()\n"
        "    request = json.loads(lines.readline())\n"
        f"    text = {text!r}.replace('N', str(request['id']))\n"
        "    if 'file' in request:\n"
        "        import os\n"
        "        os.unlink(request['file'])\n"
        "        os.symlink(__file__, request['file'])\n"
        "    lines.write(text.encode() + b'\\n')\n"
        "    lines.flush()\n"
        "    lines.read()\n"
    )
    monkeypatch.setattr(module, "PROGRAM", program.stem)
    monkeypatch.syspath_prepend(folder)


@pytest.mark.parametrize(
    "answer",
    [
        "{}",
        "[]",
        "null",
        '{"id": []}',
        '{"id": "N"}',
        "[" * 100_000,
        '{"id": N}',
        '{"id": N, "url": 1, "title": "", "text": "", "is_cut": false}',
        '{"id": N, "url": "", "title": "", "text": ["a"], "is_cut": false}',
        '{"id": N, "error": "WebError"}',
        '{"id": N, "error": "GatewayError", "message": "a"}',
        '{"id": N, "error": "__doc__", "message": "a"}',
        '{"id": N, "error": [], "message": "a"}',
        '{"id": N, "error": "BadAnswer", "message": "a", "status": "b"}',
    ],
)
async def test_what_is_no_answer_ends_the_process_and_leaves_nobody_waiting(
    site: Website, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, answer: str
) -> None:
    with monkeypatch.context() as patches:
        replaced_by(answer, tmp_path, patches)
        web = WebProcess(settings(site))
        with pytest.raises(Unreachable, match="broke off"):
            await web.page(site.url("/"))
    assert (await web.page(site.page("/a", "next", "text/plain"))).text.text == "next"
    await web.close()


async def test_a_file_that_is_put_in_the_place_of_what_was_fetched_is_not_read(
    site: Website, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    answer = '{"id": N, "url": "http://a/", "media_type": "image/png", "charset": null}'
    replaced_by(answer, tmp_path, monkeypatch)
    web = WebProcess(settings(site))
    assert (await web.get(site.url("/"), max_bytes=1_000)).content == b""
    await web.close()


async def test_what_breaks_there_is_in_the_log(
    site: Website, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SSL_CERT_FILE", "/nowhere/at/all.pem")
    web = WebProcess(settings(site))
    with capture_logs() as logs:
        with pytest.raises(Unreachable):
            await web.page(site.page("/", "x"))
        await web.close()
    assert "FileNotFoundError" in "".join(entry.get("text", "") for entry in logs)


async def test_a_page_whose_reader_breaks_is_in_the_log(site: Website, web: WebProcess) -> None:
    await web.page(site.page("/a", "first", "text/plain"))
    with capture_logs() as logs:
        for reader in await asyncio.to_thread(children_of, pid_of(web)):
            os.kill(reader, signal.SIGKILL)
        with pytest.raises(Unreadable):
            await web.page(site.page("/a", "second", "text/plain"))
        await web.close()
    assert "something broke its reader" in "".join(entry.get("text", "") for entry in logs)


async def test_it_knows_nothing_of_the_gateways_environment_and_no_key(
    site: Website, web: WebProcess, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("TELEGRAM_BOT_TOKEN", "123:secret")
    await web.page(site.page("/", "x", "text/plain"))
    process = Path(f"/proc/{pid_of(web)}")
    environment = await asyncio.to_thread((process / "environ").read_text)
    assert "PYTHONPATH" in environment
    assert "secret" not in environment
    assert b"127.0.0.1" not in await asyncio.to_thread((process / "cmdline").read_bytes)
    keys = {name: "secret" for name in WebSettings.model_fields if name.endswith("_key")}
    line = settings_line(settings(site, **keys))
    assert len(keys) == 3
    assert b"secret" not in line
    assert WebSettings.model_validate(json.loads(line)) == settings(site)


async def test_it_gives_way_to_chats_and_those_who_read_give_way_to_it(
    site: Website, web: WebProcess
) -> None:
    await web.page(site.page("/", "x", "text/plain"))
    (reader,) = await asyncio.to_thread(children_of, pid_of(web))
    nice = [os.getpriority(os.PRIO_PROCESS, pid) for pid in (os.getpid(), pid_of(web), reader)]
    assert nice == sorted(set(nice))


async def test_it_ends_when_nobody_asks_and_starts_again(
    site: Website, web: WebProcess, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(module, "IDLE_S", 0.0)
    url = site.page("/", "x", "text/plain")
    await web.page(url)
    assert web._process is not None
    program = web._process.program
    assert await program.wait() == 0
    assert (await web.page(url)).text.text == "x"


async def test_it_ends_with_the_gateway_and_leaves_nobody_behind(
    site: Website, web: WebProcess
) -> None:
    await web.page(site.page("/", "x", "text/plain"))
    waiting = asyncio.create_task(web.page(site.hang("/hanging")))
    await site.hanging.wait()
    process = web._process
    assert process is not None
    readers = await asyncio.to_thread(children_of, process.program.pid)
    process.requests.close()  # as the system does when the gateway is killed
    assert await process.program.wait() == 0
    assert len(readers) == 1
    assert not await asyncio.to_thread(Path(f"/proc/{readers[0]}").exists)
    with pytest.raises(Unreachable):
        await waiting
