"""The console adapter: one person at this machine's terminal, or a pipe in their place.

The next line is asked for when there is nothing left to answer, or when a question is open; so a
piped conversation runs message by message as a typed one does. Typing the number of a button
presses it.
"""

import asyncio
import contextlib
import itertools
import os
import shutil
import sys
import tempfile
from collections.abc import AsyncGenerator, Awaitable, Callable, Sequence
from dataclasses import replace
from enum import Enum
from functools import partial
from pathlib import Path

from adapters.base import (
    NO_LIMITS,
    Address,
    Attachment,
    Button,
    ButtonPress,
    ChatGone,
    ChatKind,
    Event,
    Inbound,
    Mark,
    OutgoingFile,
    Part,
    Pulse,
    Rejected,
    Sender,
    Style,
)
from adapters.base.albums import caption_of
from adapters.console.lines import Lines, PipedLines, TerminalLines
from adapters.console.screen import Output, PlainScreen, Screen, TerminalScreen

PLATFORM = "console"
ADDRESS = Address(PLATFORM, "terminal", ChatKind.DIRECT)
PERSON = Sender("local", "local user")
QUITTING = frozenset({"exit", "quit"})
EDIT_INTERVAL_S = 0.05
PROMPT = "\x01\x1b[1;36m\x02you ›\x01\x1b[0m\x02 "
"""What readline is told not to count stands between \\x01 and \\x02."""

MAX_REMEMBERED = 32
"""So many finished messages can still be added to."""

Receive = Callable[[Event], Awaitable[None]]


class Form(Enum):
    """The payload of a part: whether its text still grows."""

    GROWING = "growing"
    FINAL = "final"


class ConsoleAdapter:
    """The terminal as a platform with one chat. `idle` waits until that chat has nothing to do."""

    name = PLATFORM
    edit_interval_s = EDIT_INTERVAL_S
    limits = NO_LIMITS
    hint = "A terminal shows the text as it is, so use little Markdown."

    def __init__(
        self, *, lines: Lines, screen: Screen, idle: Callable[[], Awaitable[None]], prompt: str = ""
    ) -> None:
        self.pulse = Pulse(max_silence_s=None)  # people may be silent for as long as they like
        self._lines = lines
        self._screen = screen
        self._idle = idle
        self._prompt = prompt
        self._finished: dict[str, str] = {}  # the texts that are there for good
        self._question: str | None = None  # the message that asked last, …
        self._buttons: list[Button] = []  # … and what may be pressed there
        self._is_asked = asyncio.Event()
        self._is_interrupted = asyncio.Event()
        self._is_busy = False
        self._printing = asyncio.Lock()
        self._ids = itertools.count(1)

    async def run(self, receive: Receive) -> None:
        """Serve the person until they leave; unlike other platforms' this one has an end."""
        try:
            async with asyncio.TaskGroup() as group:
                stopping = group.create_task(self._pass_on_interrupts(receive))
                with contextlib.suppress(ChatGone):
                    await self._converse(receive)
                stopping.cancel()
        finally:
            self._lines.close()

    def interrupt(self) -> bool:
        """Ctrl-C: stop the answer that is being written; False if there is none."""
        if self._is_busy:
            self._is_interrupted.set()
        return self._is_busy

    def render(self, markdown: str, style: Style = Style.ANSWER) -> Sequence[Part]:  # noqa: ARG002
        """One part: a terminal has no limit."""
        return [Part(markdown, Form.FINAL)]

    def preview(self, markdown: str) -> Sequence[Part]:
        """One part, which the screen may redraw."""
        return [Part(markdown, Form.GROWING)]

    def render_files(self, files: Sequence[OutgoingFile]) -> Sequence[Part]:
        """One part: they are named one below the other."""
        return [Part(caption_of(files), Form.FINAL, files=tuple(files))]

    async def send(self, address: Address, part: Part) -> tuple[str, ...]:  # noqa: ARG002 - one chat
        """Show a message. Files are left in a folder of their own, and named."""
        message_id = str(next(self._ids))
        if part.files:
            part = await asyncio.to_thread(_received, part)
        await self._show(message_id, part)
        return (message_id,)

    async def edit(self, address: Address, message_id: str, part: Part) -> None:  # noqa: ARG002
        """Let a message grow or become final; to a final one only more text can be added."""
        before = self._finished.get(message_id)
        if before is None:
            await self._show(message_id, part)
            return
        if message_id == self._question:
            self._buttons = [button for row in part.buttons for button in row]
        if part.text != before:
            self._finished[message_id] = part.text
            more = part.text.removeprefix(before).strip()
            await self._print(partial(self._screen.add, more.strip("*")))

    async def delete(self, address: Address, message_id: str) -> None:  # noqa: ARG002
        """Forget a message that still grew; what was printed stays printed."""
        if self._finished.pop(message_id, None) is None:
            await self._print(self._screen.rest)

    async def typing(self, address: Address) -> None:  # noqa: ARG002
        """Show that an answer is being made."""
        if self._is_busy:
            await self._print(self._screen.wait)

    async def mark(self, address: Address, message_id: str, mark: Mark | None) -> None:
        """Nothing: a terminal has no reactions."""

    def download(self, attachment: Attachment) -> AsyncGenerator[bytes, None]:
        """Nothing comes with a line. Raises `Rejected`."""
        raise Rejected(f"a terminal has no files: {attachment.ref}")

    async def _converse(self, receive: Receive) -> None:
        while True:
            await self._print(self._screen.rest)
            line = await self._lines.next(self._prompt)
            if line is None or line.strip().lower() in QUITTING:
                return
            if line.strip():
                self._is_busy = True
                self._is_asked.clear()
                await receive(self._event(line.strip()))
                self._is_busy = await self._still_busy()

    async def _still_busy(self) -> bool:
        """Wait until the person may type; whether that is because they were asked something."""
        idle = asyncio.ensure_future(self._idle())
        asked = asyncio.ensure_future(self._is_asked.wait())
        try:
            await asyncio.wait({idle, asked}, return_when=asyncio.FIRST_COMPLETED)
            return not idle.done()
        finally:
            idle.cancel()
            asked.cancel()

    async def _pass_on_interrupts(self, receive: Receive) -> None:
        while True:
            await self._is_interrupted.wait()
            self._is_interrupted.clear()
            await receive(self._message("/stop"))
            await self._idle()
            self._is_busy = False  # the next Ctrl-C is not for this answer any more

    def _event(self, line: str) -> Event:
        if line.isascii() and line.isdigit() and 1 <= int(line) <= len(self._buttons):
            data = self._buttons[int(line) - 1].data
            return ButtonPress(self._event_id(), ADDRESS, PERSON, data, self._acknowledge)
        return self._message(line)

    def _message(self, text: str) -> Inbound:
        return Inbound(self._event_id(), ADDRESS, PERSON, text)

    def _event_id(self) -> str:
        # Unique across restarts: the store remembers the ids of all events.
        return os.urandom(8).hex()

    async def _acknowledge(self, notice: str | None) -> None:
        if notice is not None:
            await self._print(partial(self._screen.add, notice))
            self._is_asked.set()  # the question is still there, or was never asked

    async def _show(self, message_id: str, part: Part) -> None:
        if part.payload is Form.GROWING:
            await self._print(partial(self._screen.grow, part.text))
            return
        self._finished[message_id] = part.text
        if len(self._finished) > MAX_REMEMBERED:
            del self._finished[next(iter(self._finished))]
        buttons = [button for row in part.buttons for button in row]
        labels = [button.label for button in buttons]
        await self._print(partial(self._screen.finish, part.text, labels))
        if buttons:
            self._question = message_id
            self._buttons = buttons
            self._is_asked.set()

    async def _print(self, show: Callable[[], None]) -> None:
        """Print off the event loop, one thing after the other."""
        async with self._printing:
            try:
                await asyncio.to_thread(show)
            except OSError as error:  # whoever read our output has gone
                raise ChatGone(str(error)) from error


def local_console(idle: Callable[[], Awaitable[None]]) -> ConsoleAdapter:
    """The console of this process: a terminal if there is one, and whatever is piped otherwise."""
    console = Output(highlight=False)
    is_lively = console.is_terminal and not console.is_dumb_terminal
    return ConsoleAdapter(
        lines=TerminalLines() if sys.stdin.isatty() else PipedLines(sys.stdin.fileno()),
        screen=TerminalScreen(console) if is_lively else PlainScreen(console),
        idle=idle,
        prompt=PROMPT if is_lively else "",
    )


def _received(part: Part) -> Part:
    """A part that says where its files are, which the gateway itself does not keep. Blocks."""
    folder = Path(tempfile.mkdtemp(prefix="hermes-"))
    lines = []
    for number, file in enumerate(part.files):
        place = folder / file.name
        if place.exists():  # two files of one name
            place = folder / f"{number + 1}-{file.name}"
        shutil.copyfile(file.path, place)
        lines.append(f"{file.caption}: {place}" if file.caption else str(place))
    # A line's end alone is none in Markdown.
    return replace(part, text="  \n".join(lines), payload=Form.FINAL, files=())
