"""Reads a patch of several files in the form that many models have learnt, and works it out. Pure.

The form (V4A, OpenAI's `apply_patch`): between `*** Begin Patch` and `*** End Patch` stand sections
`*** Add File:`, `*** Update File:` (perhaps with `*** Move to:`) and `*** Delete File:`; in an
update `@@` begins a passage, with a line to look for first, and lines begin with a space, - or +.
Passages are found as `patching` finds them; reading and writing files is the caller's business.
"""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field

from gateway.tools.patching import NoSuchPassage, patched
from gateway.workspace.paths import file_parts

_BEGIN, _END, _END_OF_FILE = "*** Begin Patch", "*** End Patch", "*** End of File"
_SECTIONS = {"*** Add File:": "add", "*** Update File:": "update", "*** Delete File:": "delete"}
_MOVE = "*** Move to:"
MAX_CHARS = 200_000
MAX_PASSAGES = 100
"""Each is looked for in the whole of its file, by likeness too: a thousand of them could take an
hour, on a thread that nobody can end."""


class BadPatch(Exception):
    """The patch is none, or does not fit; the text is for a model."""


@dataclass(slots=True)
class _Passage:
    """A change of some lines, to be found behind a line that reads like the hint."""

    hint: str = ""
    old: list[str] = field(default_factory=list)
    new: list[str] = field(default_factory=list)


@dataclass(slots=True)
class _Section:
    kind: str  # add, update or delete
    path: str
    target: str
    passages: list[_Passage] = field(default_factory=list)


@dataclass(frozen=True, slots=True)
class Change:
    """What becomes of a file. None: it was not there, or is not to be."""

    path: str
    before: str | None
    after: str | None
    replaced: str = ""  # what is there, in words, if it is no text that could be shown


def changes_of(patch: str, text_of: Callable[[str], str | None]) -> list[Change]:
    """What a patch makes of files; `text_of` says what one holds, or None.

    Raises `BadPatch` and `BadPath`.
    """
    before: dict[str, str | None] = {}
    now: dict[str, str | None] = {}

    def current(path: str) -> str | None:
        if path not in now:
            before[path] = now[path] = text_of(path)
        return now[path]

    for section in _sections(patch):
        text = current(section.path)
        if section.kind == "add":
            if text is not None:
                raise BadPatch(f"{section.path} is there already: update it.")
            now[section.path] = "".join(f"{line}\n" for line in section.passages[0].new)
            continue
        if text is None:
            raise BadPatch(f"{section.path} is not there.")
        if section.target != section.path and current(section.target) is not None:
            raise BadPatch(f"{section.target} is there already.")
        after = None if section.kind == "delete" else _updated(section, text)
        now[section.path] = None
        now[section.target] = after
    return [Change(path, before[path], now[path]) for path in now if before[path] != now[path]]


def _updated(section: _Section, text: str) -> str:
    done, rest = "", text
    for passage in section.passages:
        if passage.hint:
            done, rest = _behind(passage.hint, done, rest, section.path)
        try:
            rest = _changed(passage, rest)
        except NoSuchPassage as error:
            raise BadPatch(f"{section.path}: {error}") from error
    return done + rest


def _changed(passage: _Passage, text: str) -> str:
    if passage.old == passage.new:
        return text
    if not passage.old:  # behind the line that was looked for, else at the end
        added = "".join(f"{line}\n" for line in passage.new)
        if passage.hint:
            return added + text
        return f"{text}\n{added}" if text and not text.endswith("\n") else text + added
    # Whole lines are meant: an exact one begins and ends with a line.
    old, new = (
        "\n" + "".join(f"{line}\n" for line in lines) for lines in (passage.old, passage.new)
    )
    return patched(f"\n{text}", old, new).text.removeprefix("\n")


def _behind(hint: str, done: str, rest: str, path: str) -> tuple[str, str]:
    """What is done, and the rest from behind the line of the hint."""
    lines = rest.splitlines(keepends=True)
    for number, line in enumerate(lines, start=1):
        if line.strip() == hint:
            return done + "".join(lines[:number]), "".join(lines[number:])
    raise BadPatch(f"{path}: no line reads {hint!r} (after @@), or not behind the one before.")


def _sections(patch: str) -> list[_Section]:
    if len(patch) > MAX_CHARS:
        raise BadPatch(f"The patch has more than {MAX_CHARS:,} characters: make it in parts.")
    lines = patch.strip("\n").splitlines()
    if not lines or lines[0].strip() != _BEGIN or lines[-1].strip() != _END:
        raise BadPatch(f"A patch begins with {_BEGIN!r} and ends with {_END!r}.")
    found = list(_read(lines[1:-1]))
    if sum(len(section.passages) for section in found) > MAX_PASSAGES:
        raise BadPatch(f"The patch changes more than {MAX_PASSAGES} passages: make it in parts.")
    if not found:
        raise BadPatch("The patch changes no file.")
    for section in found:
        if section.kind == "update" and not section.passages and section.target == section.path:
            raise BadPatch(f"{section.path}: the update says no change.")
    return found


def _read(lines: Sequence[str]) -> Iterator[_Section]:
    section: _Section | None = None
    for line in lines:
        head = next((head for head in _SECTIONS if line.startswith(head)), None)
        if head is not None:
            if section is not None:
                yield section
            path = _path(line.removeprefix(head))
            section = _Section(_SECTIONS[head], path, path)
            if section.kind == "add":
                section.passages.append(_Passage())
        elif section is None or section.kind == "delete":
            raise BadPatch(f"This line belongs to no file: {line[:80]!r}")
        else:
            _take(section, line)
    if section is not None:
        yield section


def _path(written: str) -> str:
    """One name for one file. Raises `BadPath`."""
    return "/".join(file_parts(written.strip()))


def _take(section: _Section, line: str) -> None:
    if line.startswith(_MOVE) and section.kind == "update" and not section.passages:
        section.target = _path(line.removeprefix(_MOVE))
    elif line.startswith("@@") and section.kind == "update":
        section.passages.append(_Passage(line.removeprefix("@@").strip()))
    elif line.strip() == _END_OF_FILE and section.kind == "update":
        return
    else:
        _take_line(section, line)


def _take_line(section: _Section, line: str) -> None:
    if not section.passages:
        section.passages.append(_Passage())
    passage, mark, text = section.passages[-1], line[:1], line[1:]
    if section.kind == "add" and mark != "+":
        raise BadPatch(f"{section.path}: each line of a new file begins with +.")
    if mark not in {"+", "-", " ", ""}:  # an empty line is an empty one that stays
        raise BadPatch(f"{section.path}: a line begins with neither space, + nor -: {line[:80]!r}")
    if mark != "+":
        passage.old.append(text)
    if mark != "-":
        passage.new.append(text)
