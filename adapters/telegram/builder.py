"""A styled text under construction, kept legal at every step.

The Bot API allows no style around or inside code, no code inside a link, and a quote only at the
outermost level ("Formatting options", nested entities); so styles stop before code and go on after
it. What is to be written is markdown.py's business.
"""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field

from adapters.telegram.styled import QUOTES, Span, Styled

_LONG_QUOTE_CHARS = 500  # a longer quotation is shown folded, and opens at a touch
_LONG_QUOTE_LINES = 8


@dataclass(slots=True)
class Builder:
    """Append to it in reading order; then `finish`."""

    indent: str = ""  # written at the start of each line of prose
    _pieces: list[str] = field(default_factory=list)
    _length: int = 0
    _newlines: int = 0
    _line_is_new: bool = True
    _spans: list[Span] = field(default_factory=list)
    _atoms: list[tuple[int, int]] = field(default_factory=list)
    _open_styles: dict[str, int] = field(default_factory=dict)  # kind → where it began
    _in_link: bool = False
    _in_quote: bool = False

    def is_empty(self) -> bool:
        """Whether nothing was written yet."""
        return self._length == 0

    def write(self, text: str) -> None:
        """Add prose; a newline in it begins a line with the current indentation."""
        for number, line in enumerate(text.split("\n")):
            if number:
                self.newline()
            if line:
                if self._line_is_new:
                    self._append(self.indent)
                self._append(line)

    def newline(self) -> None:
        """End the line."""
        self._append("\n")
        self._line_is_new = True

    def marker(self, text: str) -> None:
        """Add a list marker, which is never cut off from what follows it."""
        self._append(self.indent if self._line_is_new else "")
        start = self._length
        self._append(text)
        self._atoms.append((start, self._length + 1))

    def inline_code(self, text: str) -> None:
        """Add code within a line."""
        if self._in_link:
            self.write(text)
            return
        if self._line_is_new:
            self._append(self.indent)
        with self._styles_interrupted():
            start = self._length
            self._append(text)
            self._add_span("code", start)

    def code_block(self, text: str, language: str | None) -> None:
        """Add lines of code, exactly as they are: no indentation of ours."""
        with self._styles_interrupted():
            start = self._length
            self._append(text)
            self._add_span("pre", start, language)

    @contextmanager
    def style(self, kind: str) -> Iterator[None]:
        """Bold, italic or struck through; the same again within itself adds nothing."""
        if kind in self._open_styles:
            yield
            return
        self._open_styles[kind] = self._length
        yield
        self._add_span(kind, self._open_styles.pop(kind))

    @contextmanager
    def link(self, url: str) -> Iterator[None]:
        """Text that leads somewhere; a link within another is part of it."""
        if self._in_link:
            yield
            return
        if self._line_is_new:
            self._append(self.indent)
        start = self._length
        self._in_link = True
        yield
        self._in_link = False
        self._add_span("text_link", start, url)

    @contextmanager
    def quote(self) -> Iterator[None]:
        """A quotation; one within another is part of it."""
        if self._in_quote:
            yield
            return
        start, lines_before = self._length, self._newlines
        self._in_quote = True
        yield
        self._in_quote = False
        is_long = (
            self._length - start > _LONG_QUOTE_CHARS
            or self._newlines - lines_before >= _LONG_QUOTE_LINES
        )
        self._add_span("expandable_blockquote" if is_long else "blockquote", start)

    @contextmanager
    def indented(self, by: int) -> Iterator[None]:
        """Lines that begin in here are moved to the right."""
        before = self.indent
        self.indent += " " * by
        yield
        self.indent = before

    def finish(self) -> Styled:
        """What was built, outer spans before inner ones."""
        spans = sorted(
            self._spans, key=lambda span: (span.start, -span.end, span.kind not in QUOTES)
        )
        return Styled("".join(self._pieces), tuple(spans), tuple(self._atoms))

    def _append(self, text: str) -> None:
        if text:
            self._pieces.append(text)
            self._length += len(text)
            self._newlines += text.count("\n")
            self._line_is_new = False

    def _add_span(self, kind: str, start: int, value: str | None = None) -> None:
        if start < self._length:
            self._spans.append(Span(kind, start, self._length, value))

    @contextmanager
    def _styles_interrupted(self) -> Iterator[None]:
        for kind, start in self._open_styles.items():
            self._add_span(kind, start)
        yield
        for kind in self._open_styles:
            self._open_styles[kind] = self._length
