"""What a text is made of before it is cut: lines of prose and blocks of code.

A line's pieces are written as Discord reads them, without the markers of their styles: those are
put in when it is known which pieces stand together (`written`).
"""

from collections.abc import Iterable
from dataclasses import dataclass

LIMIT = 2000  # code points in a message (Discord, "Create Message")
FENCE = "```"

Styles = tuple[str, ...]  # markers, from the outermost in: ("**", "*")


@dataclass(frozen=True, slots=True)
class Piece:
    """A stretch of one line. `text` is escaped; what is whole is not cut as long as it fits."""

    text: str
    styles: Styles = ()
    is_whole: bool = False
    code: str = ""  # what stands between its backticks, if it is code


@dataclass(frozen=True, slots=True)
class Line:
    """A line of prose; without pieces it is blank."""

    pieces: tuple[Piece, ...] = ()
    prefix: str = ""  # what stands before it: a quote's mark, a list's marker, a heading's
    hanging: str = ""  # … and before the rest of it, if it is cut
    is_heading: bool = False

    @property
    def is_blank(self) -> bool:
        """Whether it only separates other lines."""
        return not self.pieces


@dataclass(frozen=True, slots=True)
class Code:
    """A block of code, its lines as they are. `prefix` is that of a quote around it."""

    lines: tuple[str, ...]
    language: str = ""
    prefix: str = ""

    @property
    def opening(self) -> str:
        """The first line of the block as it is written."""
        return f"{self.prefix}{FENCE}{self.language}"

    @property
    def closing(self) -> str:
        """The last one."""
        return f"{self.prefix}{FENCE}"

    def written(self) -> str:
        """The whole block."""
        return "\n".join([self.opening, *(self.prefix + line for line in self.lines), self.closing])


Block = Line | Code


@dataclass(slots=True)
class Writer:
    """A line being written, with the styles that are open at its end."""

    text: str = ""
    open: Styles = ()

    def with_piece(self, piece: Piece) -> "Writer":
        """The line with one piece more; itself if Discord would see no difference."""
        kept = 0
        for ours, theirs in zip(self.open, piece.styles, strict=False):
            if ours != theirs:
                break
            kept += 1
        closing = "".join(reversed(self.open[kept:]))
        opening = "".join(piece.styles[kept:])
        before, after = f"{self.text}{closing}", f"{opening}{piece.text}"
        # Marks that close one thing and open the next would be taken for one long run.
        is_run = (closing.endswith("*") and opening.startswith("*")) or (
            before.endswith("`") and after.startswith("`")
        )
        return Writer(f"{before}\u200b{after}" if is_run else before + after, piece.styles)

    def closed(self) -> str:
        """The line with all its styles closed; they end where the words end."""
        if not self.open:
            return self.text.rstrip()
        return self.text.rstrip() + "".join(reversed(self.open))

    @property
    def length(self) -> int:
        """How long it is once it is closed."""
        return len(self.text) + sum(map(len, self.open))


def written(pieces: Iterable[Piece]) -> str:
    """The pieces as one text."""
    writer = Writer()
    for piece in pieces:
        writer = writer.with_piece(piece)
    return writer.closed()
