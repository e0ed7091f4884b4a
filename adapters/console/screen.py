"""What the person at the terminal sees.

On a terminal a growing text is printed block by block: what can't change any more is printed for
good, the last block is redrawn in place. Anywhere else (a pipe, a file, a dumb terminal) only
final texts are printed, as they are. Nothing that is shown commands the terminal: a page that a
model quotes could clear the screen, or write to the clipboard. Printing may block, so it is never
done on the event loop.
"""

import re
from collections.abc import Sequence
from typing import Protocol

from rich.console import Console, ConsoleOptions, RenderResult
from rich.live import Live
from rich.markdown import Markdown
from rich.segment import Segment
from rich.spinner import Spinner
from rich.text import Text

from adapters.console.blocks import settled

_REDRAWS_PER_S = 12
_MARGIN_LINES = 2  # below the redrawn block, so that the terminal never scrolls because of it


_CONTROLS = re.compile(r"[\x00-\x08\x0b-\x1f\x7f-\x9f]")
_PICTURES = 0x2400  # the Unicode block with a picture for each control character of ASCII


def harmless(text: str) -> str:
    """A text with pictures in the place of what terminals take for commands (ECMA-48)."""
    return _CONTROLS.sub(_picture, text.replace("\r\n", "\n"))


def _picture(found: re.Match[str]) -> str:
    number = ord(found[0])
    return chr(_PICTURES + number) if number < ord(" ") else "\N{REPLACEMENT CHARACTER}"


class Screen(Protocol):
    """A way of showing a conversation."""

    def grow(self, text: str) -> None:
        """Show a text that is still being written."""

    def finish(self, text: str, choices: Sequence[str]) -> None:
        """Show a text for good, with the numbered choices that belong to it."""

    def add(self, text: str) -> None:
        """Show something that belongs to a text that is already there."""

    def wait(self) -> None:
        """Show that something is being done."""

    def rest(self) -> None:
        """Leave the screen to the person: nothing moves any more."""


class Output(Console):
    """A rich console that says so when nobody reads it any more, instead of ending the process."""

    def on_broken_pipe(self) -> None:
        """Called by rich while it handles the error."""
        raise BrokenPipeError("nobody reads the output")


class PlainScreen:
    """Final texts, as they are."""

    def __init__(self, console: Console) -> None:
        self._console = console

    def grow(self, text: str) -> None:
        """Nothing: it will be printed once it is final."""

    def finish(self, text: str, choices: Sequence[str]) -> None:
        """See `Screen`."""
        rows = [f"  {number}) {choice}" for number, choice in enumerate(choices, start=1)]
        self.add("\n".join([text, *rows]))

    def add(self, text: str) -> None:
        """See `Screen`."""
        self._console.out(harmless(text), highlight=False)

    def wait(self) -> None:
        """Nothing: there is nobody to see it."""

    def rest(self) -> None:
        """Nothing moves here."""


class TerminalScreen:
    """A conversation on a terminal that can redraw."""

    def __init__(self, console: Console) -> None:
        self._console = console
        self._live: Live | None = None
        self._printed = ""  # the part of the growing text that was printed for good

    def grow(self, text: str) -> None:
        """See `Screen`. A text that changes its beginning is begun anew."""
        text = harmless(text)
        if not text.startswith(self._printed):
            self._clear()
            self._console.print(Text("(once more)", style="dim"))
            self._printed = ""
        rest = text[len(self._printed) :]
        if cut := settled(rest):
            self._clear()
            self._print(rest[:cut])
            self._printed += rest[:cut]
            rest = rest[cut:]
        height = max(1, self._console.height - _MARGIN_LINES)
        self._redraw(_Block(rest, height))

    def finish(self, text: str, choices: Sequence[str]) -> None:
        """See `Screen`."""
        self._clear()
        self._print(harmless(text).removeprefix(self._printed))
        self._printed = ""
        for number, choice in enumerate(choices, start=1):
            self._console.print(Text.assemble((f"  {number}  ", "bold cyan"), harmless(choice)))
        self._console.print()

    def add(self, text: str) -> None:
        """See `Screen`."""
        self._console.print(Text(harmless(text), style="dim"))

    def wait(self) -> None:
        """See `Screen`. A text that grows shows enough by itself."""
        if self._live is None and not self._printed:
            self._redraw(Spinner("dots", style="cyan"))

    def rest(self) -> None:
        """See `Screen`."""
        self._clear()

    def _print(self, markdown: str) -> None:
        if markdown.strip():
            if self._printed:
                self._console.print()
            self._console.print(_Block(markdown))

    def _redraw(self, content: "Spinner | _Block") -> None:
        if self._live is None:
            self._live = Live(
                console=self._console, transient=True, refresh_per_second=_REDRAWS_PER_S
            )
            self._live.start()
        self._live.update(content)

    def _clear(self) -> None:
        if self._live is not None:
            self._live.stop()
            self._live = None


class _Block:
    """Markdown without blank lines around it; at most the last `height` lines of it.

    What is taller than the screen could not be redrawn.
    """

    def __init__(self, markdown: str, height: int | None = None) -> None:
        self._markdown = markdown
        self._height = height

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        lines = console.render_lines(Markdown(self._markdown), options, pad=False)
        inked = [n for n, line in enumerate(lines) if any(s.text.strip() for s in line)]
        lines = lines[inked[0] : inked[-1] + 1] if inked else []
        for line in lines if self._height is None else lines[-self._height :]:
            yield from line
            yield Segment.line()
