"""Searches the files of a workspace, by content or by name. Blocking.

Patterns come from a model and run in linear time (RE2): none of them can hang the gateway. Files
that are no text are passed over.
"""

import time
from collections import deque
from collections.abc import Iterator
from dataclasses import dataclass
from fnmatch import fnmatchcase
from typing import Any

import re2

from gateway.tools.file_text import Line, lines_of, open_text
from gateway.tools.tool import ToolFailed
from gateway.workspace.errors import WorkspaceError
from gateway.workspace.workspace import Entry, Workspace

MAX_FILES = 20_000
MAX_TIME_S = 20.0
_SHOWN_CHARS = 300  # of a line
_MAX_PATTERN_MEMORY_BYTES = 8 * 1024**2


@dataclass(frozen=True, slots=True)
class Query:
    """What is looked for."""

    pattern: str
    folder: str = ""
    file_glob: str = "*"
    context_lines: int = 0
    limit: int = 100


def in_names(workspace: Workspace, query: Query) -> str:
    """The files whose name or path is like the pattern, with their sizes."""
    rows: list[str] = []
    for entry in _files(workspace, query.folder):
        if _is_like(entry, query.pattern):
            if len(rows) == query.limit:
                rows.append("[There are more.]")
                break
            rows.append(f"{entry.path} ({entry.size_bytes:,} bytes)")
    return "\n".join(rows)


def in_content(workspace: Workspace, query: Query) -> str:
    """The lines that match, as `path:number|line`, with those around them as `path-number|line`.

    Raises `ToolFailed` if the pattern is none.
    """
    pattern = _compiled(query.pattern)
    deadline = time.monotonic() + MAX_TIME_S
    rows: list[str] = []
    found = 0
    for entry in _files(workspace, query.folder):
        if not _is_like(entry, query.file_glob):
            continue
        for row, is_hit in _matches(workspace, entry, pattern, query.context_lines):
            found += is_hit
            if found > query.limit:
                return "\n".join([*rows, "[There are more.]"])
            rows.append(row)
        if time.monotonic() > deadline:
            return "\n".join([*rows, "[The search took too long and was ended here.]"])
    return "\n".join(rows)


def _compiled(pattern: str) -> Any:  # noqa: ANN401 - the library has no types
    options = re2.Options()
    options.max_mem = _MAX_PATTERN_MEMORY_BYTES
    options.log_errors = False
    try:
        return re2.compile(pattern, options=options)
    except re2.error as error:
        raise ToolFailed(f"That is no regular expression of RE2: {error}") from error


def _matches(
    workspace: Workspace,
    entry: Entry,
    pattern: Any,  # noqa: ANN401 - the library has no types
    around: int,
) -> Iterator[tuple[str, bool]]:
    before: deque[Line] = deque(maxlen=around) if around else deque(maxlen=0)
    after = 0
    try:
        file = open_text(workspace, entry.path)
    except (ToolFailed, WorkspaceError):  # no text, or gone by now
        return
    with file:
        for line in lines_of(file):
            if pattern.search(line.text):
                for earlier in before:
                    yield _row(entry, earlier, "-"), False
                before.clear()
                yield _row(entry, line, ":"), True
                after = around
            elif after:
                after -= 1
                yield _row(entry, line, "-"), False
            else:
                before.append(line)


def _row(entry: Entry, line: Line, mark: str) -> str:
    return f"{entry.path}{mark}{line.number}|{line.text[:_SHOWN_CHARS]}"


def _is_like(entry: Entry, pattern: str) -> bool:
    return fnmatchcase(entry.name, pattern) or fnmatchcase(entry.path, pattern)


def _files(workspace: Workspace, folder: str) -> Iterator[Entry]:
    """All files below a folder, by path. Raises `WorkspaceError` if that is none."""
    waiting = deque([workspace.list(folder)])
    seen = 0
    while waiting:
        for entry in waiting.popleft():
            if entry.is_folder:
                try:
                    waiting.append(workspace.list(entry.path))
                except WorkspaceError:  # removed in the meantime
                    continue
            else:
                seen += 1
                if seen > MAX_FILES:
                    return
                yield entry
