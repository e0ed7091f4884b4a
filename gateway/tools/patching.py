"""Finds a passage in a text although it was not quoted quite exactly, and shows a change. Pure.

Three ways, the strictest first: letter by letter; line by line without regard to spaces; and line
by line by likeness. The later ways are for whole lines, and take only a place that is the one.
"""

import difflib
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

LIKENESS = 0.85  # of two passages, at least
LEAD = 0.05  # so much better than the second best, or nobody knows which is meant
MAX_COMPARED_LINES = 5_000
MAX_QUOTED_LINES = 200  # compared by likeness
MAX_LIKENESS_WORK = 5_000_000  # pairs of the same letter; the worst take a microsecond each
MAX_DIFF_WORK = 30_000_000  # pairs of lines
"""difflib's time grows with the square of what it is given, on hostile texts with more."""

CONTEXT_LINES = 3


_TOO_MUCH = "The text is not in the file. Read the passage and quote it exactly."


class NoSuchPassage(Exception):
    """The passage is not there, or not once; the text is for a model."""


@dataclass(frozen=True, slots=True)
class Patched:
    """A text after a change."""

    text: str
    count: int  # places that were changed
    way: str  # how they were found: `exact`, `spaces`, `likeness`


@dataclass(frozen=True, slots=True)
class _Span:
    first: int  # the line where it begins
    end: int  # the line behind it


def patched(text: str, old: str, new: str, *, everywhere: bool = False) -> Patched:
    """`text` with `new` in the place of `old`. Raises `NoSuchPassage`."""
    if not old:
        raise NoSuchPassage("What is to be replaced is empty. write_file writes a whole file.")
    if old == new:
        raise NoSuchPassage("Old and new text are the same: nothing is to be changed.")
    if count := text.count(old):
        # Places that overlap are counted once, and still nobody knows which of them is meant.
        is_once = text.find(old) == text.rfind(old)
        if not is_once and not everywhere:
            places = ", ".join(map(str, _lines_of(text, old)))
            raise NoSuchPassage(
                f"The text occurs {max(count, 2)} times, in lines {places}. Quote more of what "
                "surrounds it, or set replace_all."
            )
        return Patched(text.replace(old, new), count, "exact")
    lines, wanted = text.splitlines(keepends=True), _without_edges(old.splitlines())
    if not wanted:
        raise NoSuchPassage("The text is not in the file, not even with other spaces.")
    spans = list(_same_but_for_spaces(lines, wanted))
    if len(spans) > 1 and not everywhere:
        places = ", ".join(str(span.first + 1) for span in spans[:10])
        raise NoSuchPassage(f"But for spaces it occurs {len(spans)} times, in lines {places}.")
    if spans:
        return Patched(_replaced(lines, spans, wanted, new), len(spans), "spaces")
    return Patched(_replaced(lines, [_most_like(lines, wanted)], wanted, new), 1, "likeness")


def diff(before: str, after: str, path: str, max_lines: int = 400) -> str:
    """A unified diff; what goes beyond so many lines is left out, and counted.

    Only a newline ends a line; whatever else some take for one is shown, as part of it.
    """
    if before and _is_of_windows(before) and _is_of_windows(after):
        before, after = (text.replace("\r\n", "\n") for text in (before, after))
    old, new = _lines(before), _lines(after)
    make = _unified if len(old) * len(new) <= MAX_DIFF_WORK else _in_one_piece
    found = list(make(old, new, f"a/{path}", f"b/{path}"))
    left_out = len(found) - max_lines
    return "\n".join(found[:max_lines] + ([f"… {left_out} more lines"] if left_out > 0 else []))


def _is_of_windows(text: str) -> bool:
    return text.count("\n") == text.count("\r\n") == text.count("\r")


def _lines(text: str) -> list[str]:
    lines = text.split("\n")
    if lines[-1]:
        lines[-1] += "\n\\ No newline at end of file"  # as every diff says it
        return lines
    return lines[:-1]


def _unified(old: Sequence[str], new: Sequence[str], before: str, after: str) -> Iterable[str]:
    return difflib.unified_diff(old, new, before, after, lineterm="", n=CONTEXT_LINES)


def _in_one_piece(old: Sequence[str], new: Sequence[str], before: str, after: str) -> Iterator[str]:
    """A diff that takes no time: from the first line that differs to the last one, all of it."""
    shorter = min(len(old), len(new))
    same = (number for number in range(shorter) if old[number] != new[number])
    first = next(same, shorter)
    behind = (number for number in range(shorter - first) if old[-1 - number] != new[-1 - number])
    last = next(behind, shorter - first)
    gone, come = old[first : len(old) - last], new[first : len(new) - last]
    yield from (f"--- {before}", f"+++ {after}")
    yield f"@@ -{first + 1},{len(gone)} +{first + 1},{len(come)} @@"
    yield from (f"-{line}" for line in gone)
    yield from (f"+{line}" for line in come)


def _lines_of(text: str, old: str, limit: int = 10) -> Iterator[int]:
    place = -1
    for _ in range(limit):
        place = text.find(old, place + 1)
        if place < 0:
            return
        yield text.count("\n", 0, place) + 1


def _without_edges(lines: Sequence[str]) -> list[str]:
    """Without the empty lines around it."""
    kept = list(lines)
    while kept and not kept[0].strip():
        del kept[0]
    while kept and not kept[-1].strip():
        del kept[-1]
    return kept


def _plain(line: str) -> str:
    return " ".join(line.split())


def _same_but_for_spaces(lines: Sequence[str], wanted: Sequence[str]) -> Iterator[_Span]:
    plain, sought = [_plain(line) for line in lines], [_plain(line) for line in wanted]
    start = 0
    while start + len(sought) <= len(plain):
        if plain[start : start + len(sought)] == sought:
            yield _Span(start, start + len(sought))
            start += len(sought)
        else:
            start += 1


def _most_like(lines: Sequence[str], wanted: Sequence[str]) -> _Span:
    if len(lines) > MAX_COMPARED_LINES or len(wanted) > MAX_QUOTED_LINES:
        raise NoSuchPassage(_TOO_MUCH)
    plain, sought = [_plain(line) for line in lines], "\n".join(map(_plain, wanted))
    matcher = difflib.SequenceMatcher(autojunk=False)
    matcher.set_seq2(sought)  # what it keeps counts of, so the one that stays
    letters = Counter(sought)
    left = MAX_LIKENESS_WORK
    found: list[tuple[float, _Span]] = []
    for size in {len(wanted), len(wanted) - 1, len(wanted) + 1} - {0}:
        for start in range(len(lines) - size + 1):
            candidate = "\n".join(plain[start : start + size])
            matcher.set_seq1(candidate)
            if matcher.real_quick_ratio() < LIKENESS:
                continue
            left -= len(candidate)
            if left > 0 and matcher.quick_ratio() < LIKENESS:
                continue
            left -= sum(count * letters[letter] for letter, count in Counter(candidate).items())
            if left <= 0:
                raise NoSuchPassage(_TOO_MUCH)
            if (ratio := matcher.ratio()) >= LIKENESS:
                found.append((ratio, _Span(start, start + size)))
    if not found:
        raise NoSuchPassage(_nearest(lines, wanted))
    found.sort(key=lambda one: -one[0])
    best, span = found[0]
    for ratio, other in found[1:]:
        is_apart = other.first >= span.end or other.end <= span.first
        if is_apart and best - ratio < LEAD:
            raise NoSuchPassage(
                f"The text is not in the file; lines {span.first + 1} and {other.first + 1} are "
                "both like it. Quote the passage exactly."
            )
    return span


def _nearest(lines: Sequence[str], wanted: Sequence[str]) -> str:
    """What is said when nothing is like it; with the line that comes nearest to the first."""
    near = difflib.get_close_matches(
        _plain(wanted[0]), [_plain(line) for line in lines[:2_000]], n=1, cutoff=0.6
    )
    hint = f" The nearest line is: {near[0][:200]}" if near else ""
    return f"The text is not in the file. Read the passage and quote it exactly.{hint}"


def _replaced(lines: Sequence[str], spans: Sequence[_Span], wanted: Sequence[str], new: str) -> str:
    out: list[str] = []
    at = 0
    for span in spans:
        old = lines[span.first : span.end]
        out += lines[at : span.first]
        out.append(_indented_like(old, wanted, new))
        at = span.end
    return "".join([*out, *lines[at:]])


def _indented_like(old: Sequence[str], wanted: Sequence[str], new: str) -> str:
    """The new passage, moved to where the old one stands, with the line end that it had."""
    has, meant = _indent(old[0]), _indent(wanted[0])
    new_lines = _without_edges(new.splitlines())
    if has != meant:
        new_lines = [
            has + line[len(meant) :] if line.startswith(meant) and line.strip() else line
            for line in new_lines
        ]
    end = "\r\n" if old[-1].endswith("\r\n") else "\n"
    is_last = not old[-1].endswith(("\n", "\r"))
    return end.join(new_lines) + ("" if is_last or not new_lines else end)


def _indent(line: str) -> str:
    return line[: len(line) - len(line.lstrip())].rstrip("\r\n")
