"""A styled text in parts that each fit one message.

Parts are filled from the front, so what comes later in a growing text does not move an earlier
cut. A cut falls, in this order of preference, on a blank line, a line's end, a line's end within
code, a space, the beginning of a link or style, and at last between any two characters as a person
sees them. Styles and code that are cut go on in the next part.
"""

from bisect import bisect_right
from collections.abc import Iterable

from adapters.telegram.styled import QUOTES, Span, Styled, utf16_offsets
from adapters.text.characters import is_blank
from adapters.text.graphemes import boundary_at_or_before

_BLOCKS = QUOTES | {"pre"}
_CUTS = (  # what ends before the cut, allowed within code, least filling of the part
    ("\n\n", False, 0.5),
    ("\n", False, 0.5),
    ("\n", True, 0.5),
    (" ", False, 0.5),
    ("\n", True, 0.0),
    (" ", False, 0.0),
)


def split(styled: Styled, limit_utf16: int) -> list[Styled]:
    """Parts of at most `limit_utf16` units (2 or more), none of them blank.

    All that is lost between two parts is the white space at the cut.
    """
    if limit_utf16 < 2:
        raise ValueError("a character may take two UTF-16 units")
    cutter = _Cutter(styled, limit_utf16)
    parts = []
    start = cutter.first_visible(0)
    while start < len(styled.text):
        end = cutter.cut_after(start)
        part = _clipped(styled, start, end)
        if not is_blank(part.text):
            parts.append(part)
        start = cutter.first_visible(end)
    return parts


def _clipped(styled: Styled, start: int, end: int) -> Styled:
    text = styled.text[start:end].rstrip()
    end = start + len(text)
    spans = (
        Span(span.kind, max(span.start, start) - start, min(span.end, end) - start, span.value)
        for span in styled.spans
        if span.start < end and span.end > start
    )
    return Styled(text, tuple(spans))


class _Cutter:
    """Finds the cuts of one text."""

    def __init__(self, styled: Styled, limit_utf16: int) -> None:
        self._text = styled.text
        self._limit = limit_utf16
        self._offsets = utf16_offsets(styled.text)
        self._code = _Ranges((span.start, span.end) for span in styled.spans if span.kind == "pre")
        self._whole = _Ranges(  # not to be cut as long as there is another way
            [
                (span.start, span.end)
                for span in styled.spans
                if span.kind not in _BLOCKS and span.end - span.start <= limit_utf16 // 2
            ]
            + list(styled.atoms)
        )

    def first_visible(self, index: int) -> int:
        """Where a part begins that may begin at `index`: indentation counts in code only."""
        if self._code.around(index):
            return index
        stop = self._code.next_start(index, len(self._text))
        while index < stop and self._text[index].isspace():
            index += 1
        return index

    def cut_after(self, start: int) -> int:
        """The end of the part that begins at `start`; white space before it is not yet gone."""
        end = bisect_right(self._offsets, self._offsets[start] + self._limit) - 1
        if end >= len(self._text):
            return len(self._text)
        # White space is taken off a part's end, so one more of it costs nothing.
        reach = end + 1 if self._text[end].isspace() else end
        for needle, within_code, least_filling in _CUTS:
            least = start + int((end - start) * least_filling)
            cut = self._last(needle, least, reach, within_code=within_code)
            if cut is not None:
                return cut
        whole = self._whole.around(end)
        if whole and whole[0] > start:
            return whole[0]
        return boundary_at_or_before(self._text, end, start)

    def _last(self, needle: str, least: int, reach: int, *, within_code: bool) -> int | None:
        index = self._text.rfind(needle, least, reach)
        while index >= 0:
            cut = index + len(needle)
            if not self._whole.around(cut) and (within_code or not self._code.around(cut)):
                return cut
            index = self._text.rfind(needle, least, index + len(needle) - 1)
        return None


class _Ranges:
    """Ranges of a text; of those within each other only the outermost."""

    def __init__(self, ranges: Iterable[tuple[int, int]]) -> None:
        self._starts: list[int] = []
        self._ends: list[int] = []
        for start, end in sorted(ranges, key=lambda pair: (pair[0], -pair[1])):
            if not self._ends or start >= self._ends[-1]:
                self._starts.append(start)
                self._ends.append(end)

    def around(self, index: int) -> tuple[int, int] | None:
        """The range that a cut at `index` would go through."""
        place = bisect_right(self._starts, index) - 1
        if place >= 0 and self._starts[place] < index < self._ends[place]:
            return self._starts[place], self._ends[place]
        return None

    def next_start(self, index: int, otherwise: int) -> int:
        """The first start at or after `index`."""
        place = bisect_right(self._starts, index - 1)
        return self._starts[place] if place < len(self._starts) else otherwise
