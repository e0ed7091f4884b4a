"""YAML text → a tree in which every key and value knows its line and column.

Scalars keep the text they were written with and the sort that YAML gives it; what a setting makes
of it is `config.coercion`'s business. The sorts follow YAML 1.2: only `true` and `false` are
booleans (`no`, `on` and `12:30` are text), numbers are decimal. Anchors, aliases and `<<` work.
"""

import re
from dataclasses import dataclass
from typing import Literal

import yaml

from config.errors import ConfigSyntax, Problem
from config.syntax import explain

Sort = Literal["text", "flag", "whole", "number", "null", "broken"]
"""`broken`: what stands here was already reported."""

_PREFIX = "tag:yaml.org,2002:"
_SORTS: dict[str, Sort] = {
    f"{_PREFIX}str": "text",
    f"{_PREFIX}bool": "flag",
    f"{_PREFIX}int": "whole",
    f"{_PREFIX}float": "number",
    f"{_PREFIX}null": "null",
}
_MERGE = f"{_PREFIX}merge"

_RESOLVERS: tuple[tuple[str, str, str], ...] = (
    ("bool", r"(?:true|True|TRUE|false|False|FALSE)\Z", "tTfF"),
    ("null", r"(?:~|null|Null|NULL|)\Z", "~nN"),
    ("int", r"[-+]?[0-9]+\Z", "-+0123456789"),
    (
        "float",
        r"[-+]?(?:\.[0-9]+|[0-9]+(?:\.[0-9]*)?)(?:[eE][-+]?[0-9]+)?\Z|[-+]?\.(?:inf|nan)\Z",
        "-+.0123456789",
    ),
    ("merge", r"<<\Z", "<"),
)

MAX_NODES = 50_000
"""More than any real file has; aliases of aliases of aliases would otherwise fill the memory."""


@dataclass(frozen=True, slots=True)
class Mark:
    """A place in the file, counted from 1."""

    line: int
    column: int


@dataclass(frozen=True, slots=True)
class Scalar:
    """A single value, as written."""

    mark: Mark
    sort: Sort
    text: str


@dataclass(frozen=True, slots=True)
class Sequence:
    """A list."""

    mark: Mark
    items: "tuple[Node, ...]"


@dataclass(frozen=True, slots=True)
class Entry:
    """A key of a mapping, with its value."""

    mark: Mark  # of the key
    node: "Node"


@dataclass(frozen=True, slots=True)
class Mapping:
    """Keys and values, in the order of the file."""

    mark: Mark
    entries: dict[str, Entry]


Node = Scalar | Sequence | Mapping


class Loader(yaml.SafeLoader):
    """PyYAML's reader with YAML 1.2's idea of what a plain word is."""

    yaml_implicit_resolvers: dict[str, list[tuple[str, re.Pattern[str]]]] = {}  # noqa: RUF012 - PyYAML's attribute


class Dumper(yaml.SafeDumper):
    """PyYAML's writer, quoting exactly what `Loader` would otherwise take for something else."""

    yaml_implicit_resolvers: dict[str, list[tuple[str, re.Pattern[str]]]] = {}  # noqa: RUF012 - PyYAML's attribute


def _represent_text(dumper: Dumper, text: str) -> yaml.ScalarNode:
    # PyYAML folds these as line breaks, and reads them back as spaces (emitter.py, analyze_scalar).
    style = '"' if any(c in text for c in "\x85\u2028\u2029") else None
    return dumper.represent_scalar(f"{_PREFIX}str", text, style)


Dumper.add_representer(str, _represent_text)
for _name, _pattern, _first in _RESOLVERS:
    for _class in (Loader, Dumper):
        _letters = [*_first, ""] if _name == "null" else list(_first)
        _class.add_implicit_resolver(f"{_PREFIX}{_name}", re.compile(_pattern), _letters)


@dataclass(frozen=True, slots=True)
class Document:
    """A file's tree, and what YAML allows in it but we don't: duplicate keys, tags, circles."""

    root: Mapping
    problems: tuple[Problem, ...] = ()


def parse(text: str, file: str) -> Document:
    """The tree of a file; an empty one if there is nothing in it.

    Raises `ConfigSyntax` if it isn't YAML. Problems name the file as `file`.
    """
    problems: list[Problem] = []
    tree: Node | None = None
    failure: Problem | None = None
    try:
        raw = Loader(text).get_single_node()
        tree = None if raw is None else _Builder(file, problems).node(raw)
    except yaml.YAMLError as error:
        failure = explain(error, text, file)
    except RecursionError:
        failure = Problem(file, None, None, "The file is nested too deeply.")
    if failure is not None:
        # Raised out here, where no YAML error hangs on as the context: its text quotes the file.
        raise ConfigSyntax([failure])
    if isinstance(tree, Mapping):
        return Document(tree, tuple(problems))
    if tree is not None and not (isinstance(tree, Scalar) and tree.sort in {"null", "broken"}):
        sentence = "The file must consist of settings, each a line like `data_dir: data`."
        problems.append(Problem(file, tree.mark.line, tree.mark.column, sentence))
    return Document(Mapping(Mark(1, 1), {}), tuple(problems))


class _Builder:
    """Turns PyYAML's nodes into ours. Collects what YAML allows and we don't."""

    def __init__(self, file: str, problems: list[Problem]) -> None:
        self._file = file
        self._problems = problems
        self._open: set[int] = set()  # nodes being built: an alias to one of them is a circle
        self._count = 0

    def node(self, raw: yaml.Node) -> Node:
        mark = _mark(raw)
        self._count += 1
        if self._count == MAX_NODES:
            self._report(mark, "The aliases (`*name`) make the file too large. Use fewer of them.")
        if self._count >= MAX_NODES:
            return Scalar(mark, "broken", "")
        if id(raw) in self._open:
            self._report(mark, "This anchor (`&name`) contains itself. Take the alias out.")
            return Scalar(mark, "broken", "")
        if isinstance(raw, yaml.ScalarNode):
            return self._scalar(raw, mark)
        self._open.add(id(raw))
        try:
            if isinstance(raw, yaml.SequenceNode):
                self._check_tag(raw, mark, "seq")
                return Sequence(mark, tuple(self.node(item) for item in raw.value))
            self._check_tag(raw, mark, "map")
            return self._mapping(raw, mark)
        finally:
            self._open.discard(id(raw))

    def _scalar(self, raw: yaml.ScalarNode, mark: Mark) -> Scalar:
        if raw.tag == _MERGE:  # `<<` where a value stands, or in quotes: just text
            return Scalar(mark, "text", raw.value)
        sort = _SORTS.get(raw.tag)
        if sort is None:
            self._report(mark, "Tags (`!name`) mean nothing here. Take this one out.")
        return Scalar(mark, sort or "broken", raw.value)

    def _mapping(self, raw: yaml.Node, mark: Mark) -> Mapping:
        entries: dict[str, Entry] = {}
        merged: dict[str, Entry] = {}
        for key, value in raw.value:
            key_mark = _mark(key)
            if key.tag == _MERGE and not key.style:
                for name, entry in self._merged(value).items():
                    merged.setdefault(name, entry)
            elif not isinstance(key, yaml.ScalarNode):
                self._report(key_mark, "A key must be a single word, followed by a colon.")
            elif key.value in entries:
                first = entries[key.value].mark.line
                self._report(
                    key_mark, f"This key was given before, in line {first}. Keep one of the two."
                )
            else:
                entries[key.value] = Entry(key_mark, self.node(value))
        return Mapping(mark, merged | entries)

    def _merged(self, raw: yaml.Node) -> dict[str, Entry]:
        node = self.node(raw)
        sources = node.items if isinstance(node, Sequence) else (node,)
        merged: dict[str, Entry] = {}
        for source in sources:
            if not isinstance(source, Mapping):
                self._report(node.mark, "`<<` takes the alias of a group of settings, `*name`.")
                break
            for name, entry in source.entries.items():
                merged.setdefault(name, entry)  # the first of several wins (YAML merge keys)
        return merged

    def _check_tag(self, raw: yaml.Node, mark: Mark, expected: str) -> None:
        if raw.tag != f"{_PREFIX}{expected}":
            self._report(mark, "Tags (`!name`) mean nothing here. Take this one out.")

    def _report(self, mark: Mark, sentence: str) -> None:
        self._problems.append(Problem(self._file, mark.line, mark.column, sentence))


def _mark(raw: yaml.Node) -> Mark:
    return Mark(raw.start_mark.line + 1, raw.start_mark.column + 1)
