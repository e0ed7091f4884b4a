"""YAML's own complaints → a sentence with the cure, at the place where it went wrong.

PyYAML's sentences are for people who know its scanner, and some quote the file; ours do neither.
"""

import re

import yaml

from config.errors import Problem

_TAB = "A tab stands here. YAML is indented with spaces only: put spaces in its place."
_BRACKET = "A bracket that was opened is not closed, or a comma is missing in it."
_STRAY = "A closing bracket or a comma stands here, and no bracket is open. Take it out."
_TRAILING = (
    "This can't follow what stands before it: text after a closing quotation mark, or a line that "
    "is indented too far or too little."
)
_COLON = "A second `: ` in one line. Put a text that has a colon and a space in it in quotes."
_TOO_FAR = (
    "This line is indented too far, or the key above it has no space behind its colon. Settings "
    "of one group begin in the same column."
)
_INDENT = (
    "This line doesn't fit the lines above it. Settings of one group begin in the same column, "
    "those of a group within it two spaces further right."
)

# The first row that fits PyYAML's "context: problem" (yaml/scanner.py, parser.py, composer.py).
_SENTENCES: tuple[tuple[str, str], ...] = (
    (r"character '\\t'", _TAB),
    (
        r"undefined alias|while scanning an alias",
        (
            "A value that begins with `*` refers to an anchor, and there is none of that name. "
            "If it is plain text, put it in quotes."
        ),
    ),
    (
        r"while scanning an anchor",
        "A value that begins with `&` names an anchor. If it is plain text, put it in quotes.",
    ),
    (
        r"duplicate anchor",
        "This anchor (`&name`) was given before. Give one of the two another name.",
    ),
    (
        r"single document|expected '<document start>'",
        "A second document begins here (`---` or `...`). All settings belong into one.",
    ),
    (r"quoted scalar: found unexpected", "A quotation mark that was opened is not closed."),
    (
        r"escape",
        "In double quotes a backslash begins an escape. Write `\\\\`, or use single quotes.",
    ),
    (
        r"block scalar",
        "After `|` or `>` the text begins in the next line, indented with spaces.",
    ),
    (
        r"character .* that cannot start",
        "A value can't begin with this character. Put the value in quotes.",
    ),
    (r"while parsing a flow", _BRACKET),
    (r"while scanning a simple key|expected ':'", "A key stands here without its colon."),
    (
        r"tag|handle",
        (
            "A value that begins with `!` is a tag, and tags mean nothing here. If it is plain "
            "text, put it in quotes."
        ),
    ),
    (r"directive", "A line that begins with `%` is a directive. Take it out."),
    (r"but found '[]},]'", _STRAY),
    (r"but found '<scalar>'", _TRAILING),
    (r"while parsing a block|expected <block end>|sequence entries are not allowed", _INDENT),
)
_OTHERWISE = "This is not valid YAML. Look at quotes, colons and indentation here and just above."

# Here the mistake is where the thing began, and not where its end was looked for in vain.
_AT_BEGINNING = re.compile(
    r"quoted scalar: found unexpected|while scanning a simple key|while parsing a flow"
)


def _complaint(error: yaml.YAMLError) -> str:
    if isinstance(error, yaml.MarkedYAMLError):
        return f"{error.context}: {error.problem}"
    return ""


def _place(error: yaml.YAMLError, text: str) -> tuple[int | None, int | None]:
    """Line and column of an error, from 1."""
    if isinstance(error, yaml.MarkedYAMLError):
        marks = [error.problem_mark, error.context_mark]
        if _AT_BEGINNING.search(_complaint(error)):
            marks.reverse()
        mark = marks[0] or marks[1]
        return (mark.line + 1, mark.column + 1) if mark is not None else (None, None)
    if isinstance(error, yaml.reader.ReaderError):
        before = text[: error.position]
        return before.count("\n") + 1, len(before) - (before.rfind("\n") + 1) + 1
    return None, None


def explain(error: yaml.YAMLError, text: str, file: str) -> Problem:
    """What a person has to change in `text`. Never repeats a part of it."""
    line, column = _place(error, text)
    if isinstance(error, yaml.reader.ReaderError):
        sentence = "An invisible control character stands here. Take it out."
        return Problem(file, line, column, sentence)
    row = ""
    if line is not None:
        rows = text.splitlines() or [""]
        row = rows[min(line, len(rows)) - 1]
        indentation = row[: len(row) - len(row.lstrip())]
        if "\t" in indentation:
            return Problem(file, line, indentation.index("\t") + 1, _TAB)
    complaint = _complaint(error)
    if "mapping values are not allowed" in complaint:
        has_another = ": " in row[: (column or 1) - 1]
        return Problem(file, line, column, _COLON if has_another else _TOO_FAR)
    for pattern, sentence in _SENTENCES:
        if re.search(pattern, complaint):
            return Problem(file, line, column, sentence)
    return Problem(file, line, column, _OTHERWISE)
