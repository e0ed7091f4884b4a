"""Lines and code in messages that each fit.

Messages are filled from the front, so what comes later in a growing text does not move an earlier
cut. A cut falls on a blank line if one is near, else on a line's end, a space, and at last between
any two characters as a person sees them. Styles and code that are cut go on in the next message.
"""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace

from adapters.discord.escaping import cut, inline_code
from adapters.discord.lines import LIMIT, Block, Code, Line, Piece, Writer, written
from adapters.text.characters import is_blank
from adapters.text.graphemes import boundary_at_or_before

_NEAR = 0.5  # a message that is filled so far may end before it is full
_MARKERS = 20  # room for those of all styles, on both sides
_WORDS = re.compile(r"\s*\S+|\s+")


def split(blocks: Sequence[Block], limit: int = LIMIT) -> list[str]:
    """Messages of at most `limit` code points (100 or more), none of them blank."""
    filler = _Filler(limit)
    for block in blocks:
        if isinstance(block, Code):
            filler.code(block)
        else:
            filler.line(block)
    return filler.finish()


@dataclass(slots=True)
class _Filler:
    """Messages under construction."""

    limit: int
    full: list[str] = field(default_factory=list)
    rows: list[str] = field(default_factory=list)  # of the message that is being filled
    length: int = 0  # of it, a line break after each row included
    # After which rows the message may end early: index → whether it is a good place.
    blanks: list[int] = field(default_factory=list)
    headings: set[int] = field(default_factory=set)

    def line(self, line: Line) -> None:
        """Add a line, cut into several if it has to be."""
        if line.is_blank:
            if self.rows:
                self.blanks.append(len(self.rows))
                self._put(line.prefix)
            return
        for row in _rows(line, self.limit):
            while self.rows and not self._has_room(len(row)):
                self._turn_page()
            if line.is_heading:
                self.headings.add(len(self.rows))
            self._put(row)

    def code(self, code: Code) -> None:
        """Add a block of code; one that is cut is closed and opened again."""
        whole = code.written()
        if self._has_room(len(whole)):
            self._put(whole)
            return
        if len(whole) <= self.limit:
            while self.rows and not self._has_room(len(whole)):
                self._turn_page()
            self._put(whole)
            return
        if self.length > self.limit * _NEAR:
            self._turn_page()
        self._cut_code(code)

    def finish(self) -> list[str]:
        """All messages."""
        self._end_message(len(self.rows))
        return self.full

    def _cut_code(self, code: Code) -> None:
        frame = len(code.opening) + len(code.closing) + 2
        lines: list[str] = []
        length = self.length + frame
        for row in _code_rows(code, self.limit - frame):
            if length + len(row) + 1 > self.limit and (lines or self.rows):
                self._put_code(code, lines)
                self._end_message(len(self.rows))
                lines, length = [], frame
            lines.append(row[len(code.prefix) :])
            length += len(row) + 1
        self._put_code(code, lines)

    def _put_code(self, code: Code, lines: Sequence[str]) -> None:
        """A piece of a block. Without anything to see in it Discord would show the fences."""
        if any(line.strip() for line in lines):
            self._put(replace(code, lines=tuple(lines)).written())

    def _has_room(self, length: int) -> bool:
        return self.length + length <= self.limit

    def _put(self, row: str) -> None:
        self.rows.append(row)
        self.length += len(row) + 1

    def _turn_page(self) -> None:
        """End the message at the best place near its end; what comes after it goes on."""
        place = len(self.rows)
        for blank in reversed(self.blanks):
            if sum(len(row) + 1 for row in self.rows[:blank]) < self.limit * _NEAR:
                break
            place = blank
            break
        while place > 1 and self._belongs_to_what_follows(place - 1):
            place -= 1
        self._end_message(place)

    def _belongs_to_what_follows(self, index: int) -> bool:
        return index in self.headings

    def _end_message(self, place: int) -> None:
        rows = self.rows[:place]
        while rows and not rows[-1].strip(" >"):  # Discord trims it to a mark without a quote
            rows.pop()
        text = "\n".join(rows).strip("\n")
        if not is_blank(_without_quote_marks(text)):
            self.full.append(text)
        rest = self.rows[place:]
        while rest and not rest[0].strip(" >"):
            rest = rest[1:]
            place += 1
        self.headings = {index - place for index in self.headings if index >= place}
        self.blanks = [index - place for index in self.blanks if index > place]
        self.rows = rest
        self.length = sum(len(row) + 1 for row in rest)


def _without_quote_marks(text: str) -> str:
    return re.sub(r"^> ?", "", text, flags=re.MULTILINE)


def _rows(line: Line, limit: int) -> Iterator[str]:
    """A line, written; in several rows if it is longer than a message."""
    if sum(len(piece.text) for piece in line.pieces) <= limit:
        whole = line.prefix + written(line.pieces)
        if len(whole) <= limit:
            yield whole
            return
    prefix = line.prefix
    writer = Writer()
    room = limit - max(len(line.prefix), len(line.hanging)) - _MARKERS
    for atom in _atoms(line.pieces, room):
        longer = writer.with_piece(atom)
        if len(prefix) + longer.length > limit and writer.text:
            yield prefix + writer.closed()
            prefix = line.hanging
            text = atom.text.lstrip()
            longer = Writer().with_piece(replace(atom, text=text)) if text else Writer()
        writer = longer
    if writer.text.strip():
        yield prefix + writer.closed()


def _atoms(pieces: Sequence[Piece], limit: int) -> Iterator[Piece]:
    """The pieces, none longer than `limit`: words, and parts of words that are longer."""
    for piece in pieces:
        if piece.is_whole and len(piece.text) <= limit:
            yield piece
            continue
        if piece.code:
            yield from _pieces_of_code(piece, limit)
            continue
        for word in _WORDS.findall(piece.text):
            yield from (replace(piece, text=part) for part in _parts(word, limit))


def _pieces_of_code(piece: Piece, limit: int) -> Iterator[Piece]:
    """Code within a line that is longer than a message: each piece between its own backticks."""
    rest = piece.code
    while rest:
        place = boundary_at_or_before(rest, min(len(rest), limit // 2), 1)
        yield replace(piece, text=inline_code(rest[:place]), code=rest[:place])
        rest = rest[place:]


def _parts(word: str, limit: int) -> Iterator[str]:
    while len(word) > limit:
        place = cut(word, boundary_at_or_before(word, limit, 1))
        yield word[:place]
        word = word[place:]
    yield word


def _code_rows(code: Code, limit: int) -> Iterator[str]:
    room = limit - len(code.prefix) - 1
    for line in code.lines:
        rest = line
        while len(rest) > room:
            place = boundary_at_or_before(rest, room, 1)
            yield code.prefix + rest[:place]
            rest = rest[place:]
        yield code.prefix + rest
