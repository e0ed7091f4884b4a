"""The console as a platform: lines in, parts out."""

import asyncio
import io
import os
import tempfile
from collections.abc import AsyncIterator
from dataclasses import dataclass, field
from pathlib import Path

import pytest

from adapters.base import (
    Button,
    ButtonPress,
    ChatGone,
    Event,
    Inbound,
    MediaKind,
    OutgoingFile,
    Part,
)
from adapters.console.adapter import ADDRESS, ConsoleAdapter, Form
from adapters.console.lines import PipedLines
from adapters.console.screen import Output, PlainScreen

QUESTION = Part("Which?", Form.FINAL, ((Button("Berlin", "ask:1"),), (Button("Paris", "ask:2"),)))


@dataclass
class Terminal:
    """A console with a pipe for a keyboard; the gateway is idle when the test says so."""

    adapter: ConsoleAdapter
    output: io.StringIO
    keyboard: int
    is_idle: asyncio.Event
    events: asyncio.Queue[Event] = field(default_factory=asyncio.Queue)

    def type(self, text: str) -> None:
        os.write(self.keyboard, text.encode())

    async def message(self) -> str:
        event = await self.events.get()
        assert isinstance(event, Inbound)
        return event.text


@pytest.fixture
async def terminal() -> AsyncIterator[Terminal]:
    reading, writing = os.pipe()
    output, is_idle = io.StringIO(), asyncio.Event()

    async def idle() -> None:
        await is_idle.wait()

    adapter = ConsoleAdapter(
        lines=PipedLines(reading), screen=PlainScreen(Output(file=output)), idle=idle
    )
    made = Terminal(adapter, output, writing, is_idle)
    running = asyncio.create_task(adapter.run(made.events.put))
    yield made
    os.close(writing)
    is_idle.set()
    await running
    os.close(reading)


async def test_the_next_line_is_read_when_the_last_is_answered(terminal: Terminal) -> None:
    terminal.type("one\n\n  two  \n")
    assert await terminal.message() == "one"
    done, _ = await asyncio.wait([asyncio.ensure_future(terminal.events.get())], timeout=0.05)
    assert not done
    terminal.is_idle.set()


async def test_a_line_typed_while_a_question_is_open_is_its_answer(terminal: Terminal) -> None:
    terminal.type("ask me\nRome\n")
    assert await terminal.message() == "ask me"
    await terminal.adapter.send(ADDRESS, QUESTION)
    assert await terminal.message() == "Rome"
    assert terminal.output.getvalue() == "Which?\n  1) Berlin\n  2) Paris\n"


async def test_the_number_of_a_button_presses_it(terminal: Terminal) -> None:
    terminal.type("ask me\n2\n")
    await terminal.message()
    await terminal.adapter.send(ADDRESS, QUESTION)
    press = await terminal.events.get()
    assert isinstance(press, ButtonPress)
    assert press.data == "ask:2"


async def test_a_number_is_only_a_number_when_the_question_is_closed(terminal: Terminal) -> None:
    (message_id,) = await terminal.adapter.send(ADDRESS, QUESTION)
    await terminal.adapter.edit(ADDRESS, message_id, Part("Which?\n\n→ Paris", Form.FINAL))
    terminal.type("2\n")
    assert await terminal.message() == "2"
    assert terminal.output.getvalue().endswith("→ Paris\n")


async def test_ctrl_c_stops_a_running_answer_and_nothing_else(terminal: Terminal) -> None:
    assert not terminal.adapter.interrupt()
    terminal.type("tell me\n")
    assert await terminal.message() == "tell me"
    assert terminal.adapter.interrupt()
    assert await terminal.message() == "/stop"


@pytest.mark.parametrize("word", ["exit", "QUIT"])
async def test_leaving_ends_the_platform(word: str) -> None:
    reading, writing = os.pipe()
    os.write(writing, f"{word}\nnever read\n".encode())
    events: list[Event] = []

    async def receive(event: Event) -> None:
        events.append(event)

    async def idle() -> None: ...

    screen = PlainScreen(Output(file=io.StringIO()))
    await ConsoleAdapter(lines=PipedLines(reading), screen=screen, idle=idle).run(receive)
    assert events == []
    os.close(reading)
    os.close(writing)


async def test_lines_without_an_end_and_without_utf8_are_read() -> None:
    reading, writing = os.pipe()
    os.write(writing, b"caf\xc3\xa9\r\nbad \xff\nno end")
    os.close(writing)
    lines = PipedLines(reading)
    read = [await lines.next("") for _ in range(4)]
    assert read == ["café", "bad \ufffd", "no end", None]
    os.close(reading)


async def test_output_that_nobody_reads_is_a_chat_that_is_gone() -> None:
    reading, writing = os.pipe()
    os.close(reading)
    file = os.fdopen(writing, "w", buffering=1)

    async def idle() -> None: ...

    adapter = ConsoleAdapter(
        lines=PipedLines(reading), screen=PlainScreen(Output(file=file)), idle=idle
    )
    with pytest.raises(ChatGone):
        await adapter.send(ADDRESS, Part("hello", Form.FINAL))
    with pytest.raises(BrokenPipeError):
        file.close()


async def test_files_are_left_together_where_the_person_can_find_them(
    terminal: Terminal, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path / "kept"))
    (tmp_path / "kept").mkdir()
    files = []
    for content, caption in (("cats", "Cats"), ("other cats", ""), ("a plan", "The plan")):
        path = tmp_path / content
        path.write_text(content)
        name = "plan.txt" if caption == "The plan" else "cats.png"
        files.append(OutgoingFile(path, MediaKind.FILE, name, caption))
    (part,) = await asyncio.to_thread(terminal.adapter.render_files, files)
    await terminal.adapter.send(ADDRESS, part)
    for file in files:
        file.path.unlink()  # the gateway keeps no copy
    (folder,) = (tmp_path / "kept").iterdir()
    assert {path.name: path.read_text() for path in folder.iterdir()} == {
        "cats.png": "cats",
        "2-cats.png": "other cats",
        "plan.txt": "a plan",
    }
    lines = [line.rstrip() for line in terminal.output.getvalue().splitlines()]
    assert f"Cats: {folder}/cats.png" in lines
    assert f"{folder}/2-cats.png" in lines
    assert f"The plan: {folder}/plan.txt" in lines
