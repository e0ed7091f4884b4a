"""Gives Nuitka's C functions the signatures under which Python calls them.

A getter is called with two arguments and Nuitka writes it with one, cast to fit; the same holds
for setters and for methods without arguments. Native machines shrug; WebAssembly checks every
indirect call and traps ("indirect call type mismatch"), for instance at the first `@property`.
So each such entry of a table gets a function of the right shape in front of it.
"""

import re
from dataclasses import dataclass

_ENTRY = re.compile(
    r"\((?P<cast>getter|setter)\)\s*(?P<slot>\w+)"
    r"|\(PyCFunction\)\s*(?P<method>\w+)(?=\s*,\s*METH_NOARGS\b)"
)


@dataclass(frozen=True, slots=True)
class _Shape:
    """How Python calls a kind of function, and how many arguments it may have been written with."""

    result: str
    parameters: str
    written_with: int
    arguments: str


_SHAPES = {
    "getter": _Shape("PyObject *", "PyObject *self, void *closure", 1, "(void *)self"),
    "setter": _Shape(
        "int ", "PyObject *self, PyObject *value, void *closure", 2, "(void *)self, value"
    ),
    "method": _Shape("PyObject *", "PyObject *self, PyObject *unused", 1, "(void *)self"),
}


def with_true_signatures(source: str) -> str:
    """The C source with adapters after its functions, and tables that name them.

    Entries that are right already, and a second run, change nothing.
    """
    adapted: set[str] = set()
    edits: list[tuple[int, int, str]] = []  # start, end, text in its place
    for entry in _ENTRY.finditer(source):
        kind, name = entry["cast"] or "method", entry["slot"] or entry["method"]
        shape, adapter = _SHAPES[kind], f"{name}_as_{kind}"
        definitions = _definitions(source, name)  # several, if the preprocessor chooses
        if not definitions or any(count != shape.written_with for count, _ in definitions):
            continue
        edits.append((entry.end() - len(name), entry.end(), adapter))
        if adapter not in adapted:
            adapted.add(adapter)
            text = (
                f"static {shape.result}{adapter}({shape.parameters}) {{\n"
                f"    return {name}({shape.arguments});\n}}\n"
            )
            edits += [(end, end, text) for _, end in definitions]
    for start, end, text in sorted(edits, reverse=True):
        source = source[:start] + text + source[end:]
    return source


def _definitions(source: str, name: str) -> list[tuple[int, int]]:
    """Number of parameters and end of each definition of a function in this file."""
    pattern = rf"^[^\s#][^\n;={{}}]*?\b{name}\(([^)]*)\)\s*{{.*?^}}\n"
    return [
        (found[1].count(",") + 1, found.end())
        for found in re.finditer(pattern, source, re.MULTILINE | re.DOTALL)
    ]
