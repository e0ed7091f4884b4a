"""A tree of `config.document` → plain values for pydantic, setting by setting.

It is as lenient as a person expects (`yes` for true, a quoted number, one id in place of a list)
and no more: what could be meant in two ways is a problem. Ranges are left to `config.settings`.
"""

import difflib
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

from config.document import Mapping as TreeMapping
from config.document import Mark, Node, Scalar
from config.errors import Problem
from config.fallbacks import Path
from config.interpolation import BadReference, escape, interpolate
from config.kinds import Kind, fields_of
from config.section import Section
from config.unknown_keys import explain_unknown

FLAGS = {"true": True, "yes": True, "on": True, "false": False, "no": False, "off": False}
_WHOLE = re.compile(r"[-+]?[0-9][0-9_]{0,18}", re.ASCII)
_NUMBER = re.compile(r"[-+]?(?:\.[0-9]+|[0-9][0-9_]*(?:\.[0-9]*)?)(?:[eE][-+]?[0-9]+)?", re.ASCII)
_WITH_UNIT = re.compile(r"[0-9][0-9.]*\s*[A-Za-z]{1,7}", re.ASCII)
_NAME = re.compile(r"[A-Za-z0-9_][A-Za-z0-9_.-]{0,63}", re.ASCII)
_ABOUT_NAMES = "takes names of letters, digits, `_`, `-` and `.`, at most 64 of them."
_ABOUT_IDS = " It takes ids and no names: when somebody unknown writes, the log has their id."
MAX_WHOLE = 2**63 - 1  # what a database can hold; Discord's ids are beyond 10**18


class BadValue(Exception):
    """A value is not what its setting takes; the text is the end of a sentence."""


def _flag(scalar: Scalar, kind: Kind) -> bool:
    try:
        return FLAGS[scalar.text.strip().lower()]
    except KeyError:
        raise BadValue(f"must be {kind}.") from None


def _whole(scalar: Scalar, kind: Kind) -> int:
    text = scalar.text.strip()
    if not _WHOLE.fullmatch(text):
        raise BadValue(f"must be {kind}.{_about_unit(text)}")
    value = int(text.replace("_", ""))
    if abs(value) > MAX_WHOLE:
        raise BadValue("is too large a number.")
    return value


def _number(scalar: Scalar, kind: Kind) -> float:
    text = scalar.text.strip()
    if not _NUMBER.fullmatch(text):
        raise BadValue(f"must be {kind}.{_about_unit(text)}")
    return float(text.replace("_", ""))


def _about_unit(text: str) -> str:
    """`30m`, `10 MB`: the unit is already in the name (`_s`, `_mb`)."""
    is_with_unit = _WITH_UNIT.fullmatch(text) is not None
    return " Write the number alone: its unit is in the setting's name." if is_with_unit else ""


def _text(scalar: Scalar, kind: Kind) -> str:
    if scalar.sort != "text":
        taken = "true or false" if scalar.sort == "flag" else "a number"
        raise BadValue(f"must be {kind}, and YAML reads this as {taken}. Put it in quotes.")
    return scalar.text


def _trimmed(scalar: Scalar, kind: Kind) -> str:
    return _text(scalar, kind).strip()


def _choice(scalar: Scalar, kind: Kind) -> str:
    word = scalar.text.strip()
    if word in kind.choices:
        return word
    near = difflib.get_close_matches(word.lower(), kind.choices, n=1, cutoff=0.7)
    raise BadValue(f"must be {kind}." + (f" Did you mean `{near[0]}`?" if near else ""))


_SCALARS: dict[str, Callable[[Scalar, Kind], object]] = {
    "flag": _flag,
    "whole": _whole,
    "number": _number,
    "text": _text,
    "folder": _text,
    "hidden": _trimmed,
    "secret": _trimmed,  # a line break at the end is the commonest slip of copying
    "address": _trimmed,
    "choice": _choice,
}


def named(path: Path) -> str:
    """A setting as people name it: "`telegram.token`", "Item 2 of `telegram.allowed_users`"."""
    words = f"`{'.'.join(part for part in path if isinstance(part, str))}`"
    return f"Item {path[-1] + 1} of {words}" if isinstance(path[-1], int) else words


def _is_broken(node: Node) -> bool:
    return isinstance(node, Scalar) and node.sort == "broken"


@dataclass(slots=True)
class Coercion:
    """One run over one tree: the marks and the problems it found."""

    file: str
    environ: Mapping[str, str]
    marks: dict[Path, Mark] = field(default_factory=dict)
    problems: list[Problem] = field(default_factory=list)

    def section(self, node: TreeMapping, section: type[Section], path: Path = ()) -> dict[str, Any]:
        """The values of a group. What has a problem is left out."""
        values: dict[str, Any] = {}
        kinds = fields_of(section)
        for key, entry in node.entries.items():
            here = (*path, key)
            if key not in kinds:
                self._report(entry.mark, explain_unknown(here, tuple(kinds)))
                continue
            self.marks[here] = entry.node.mark
            if _is_broken(entry.node):
                continue
            try:
                values[key] = self.value(entry.node, kinds[key], here)
            except BadValue as wrong:
                self._report(entry.node.mark, f"{named(here)} {wrong}")
            except BadReference as bad:
                self._report(entry.node.mark, str(bad))
        return values

    def value(self, node: Node, kind: Kind, path: Path) -> object:
        """The value of one setting."""
        if kind.section is not None:
            if isinstance(node, Scalar) and node.sort == "null":
                return None if kind.is_optional else {}  # all in it is commented out
            if not isinstance(node, TreeMapping):
                raise BadValue(f"must be {kind}.")
            return self.section(node, kind.section, path)
        if kind.item is not None:
            return self._list(node, kind.item, path)
        if kind.of is not None:
            return self._map(node, kind, kind.of, path)
        if not isinstance(node, Scalar):
            raise BadValue(f"must be {kind}.")
        return self._scalar(node, kind)

    def variable(self, text: str, kind: Kind, path: Path) -> object:
        """The value of one setting that an environment variable gives, taken literally.

        Raises `BadValue`.
        """
        return self.value(Scalar(Mark(1, 1), "text", escape(text)), kind, path)

    def _list(self, node: Node, kind: Kind, path: Path) -> tuple[object, ...]:
        if isinstance(node, TreeMapping):
            raise BadValue(f"must be {Kind('list', item=kind)}.")
        if isinstance(node, Scalar):
            # `42`, `42, 43` and `${ALLOWED}` are lists as well.
            text = "" if node.sort == "null" else self._text_of(node)
            words = [word.strip() for word in text.split(",")]
            items: tuple[Node, ...] = tuple(Scalar(node.mark, "text", w) for w in words if w)
        else:
            items = node.items
        values: list[object] = []
        for index, item in enumerate(items):
            here = (*path, index)
            self.marks[here] = item.mark
            if _is_broken(item):
                continue
            try:
                values.append(self.value(item, kind, here))
            except BadValue as wrong:
                cure = _ABOUT_IDS if kind.name == "whole" else ""
                self._report(item.mark, f"{named(here)} {wrong}{cure}")
            except BadReference as bad:
                self._report(item.mark, str(bad))
        return tuple(values)

    def _map(self, node: Node, kind: Kind, of: Kind, path: Path) -> dict[str, object]:
        if isinstance(node, Scalar) and node.sort == "null":
            return {}  # all in it is commented out
        if not isinstance(node, TreeMapping):
            raise BadValue(f"must be {kind}.")
        values: dict[str, object] = {}
        for name, entry in node.entries.items():
            if not _NAME.fullmatch(name):
                self._report(entry.mark, f"{named(path)} {_ABOUT_NAMES}")
                continue
            here = (*path, name)
            self.marks[here] = entry.node.mark
            if _is_broken(entry.node):
                continue
            try:
                values[name] = self.value(entry.node, of, here)
            except BadValue as wrong:
                self._report(entry.node.mark, f"{named(here)} {wrong}")
            except BadReference as bad:
                self._report(entry.node.mark, str(bad))
        return values

    def _text_of(self, scalar: Scalar) -> str:
        return interpolate(scalar.text, self.environ) if scalar.sort == "text" else scalar.text

    def _scalar(self, scalar: Scalar, kind: Kind) -> object:
        text = self._text_of(scalar)
        is_nothing = scalar.sort == "null" or (scalar.sort == "text" and not text.strip())
        if is_nothing and kind.is_optional:
            return None
        if is_nothing:
            raise BadValue("has no value. Give it one, or take the line out.")
        return _SCALARS[kind.name](Scalar(scalar.mark, scalar.sort, text), kind)

    def _report(self, mark: Mark, sentence: str) -> None:
        self.problems.append(Problem(self.file, mark.line, mark.column, sentence))
