"""The standard library inside the sandbox: bytecode in memory, as `freeze.py` collected it.

Imported before anything of the standard library can be, so it uses only what is built in.
"""

import _frozen_importlib_external as importlib_external
import marshal
import sys

WORKSPACE = "/workspace"
FILE = "stdlib.marshal"

_NO_NETWORK = "this Python has no network; tools that have it: `from hermes import tool`"
_NO_PROCESSES = "this Python starts no processes or threads"
_HINTS = {
    "aiohttp": _NO_NETWORK,
    "asyncio": _NO_PROCESSES,
    "concurrent": _NO_PROCESSES,
    "httpx": _NO_NETWORK,
    "multiprocessing": _NO_PROCESSES,
    "requests": _NO_NETWORK,
    "socket": _NO_NETWORK,
    "ssl": _NO_NETWORK,
    "subprocess": _NO_PROCESSES,
}

_ModuleSpec: type = type(__spec__)  # what `importlib.machinery` has, which can't be imported yet


class StandardLibrary(importlib_external._LoaderBasics):
    """A meta path finder, and the loader of what it finds; its base runs the code."""

    def __init__(self, library: dict[str, tuple[bool, bytes]]) -> None:
        self._library = library

    def find_spec(self, name: str, _path: object, _target: object = None) -> object:
        """The module's spec; None leaves it to the next finder."""
        if name not in self._library:
            return None
        is_package, _ = self._library[name]
        return _ModuleSpec(name, self, origin="<stdlib>", is_package=is_package)

    def get_code(self, name: str) -> object:
        """The module's code. Raises `KeyError` for what `find_spec` does not find."""
        _, code = self._library[name]
        return marshal.loads(code)  # noqa: S302 - our own library


class LastResort:
    """Says of some modules why they are not there."""

    def find_spec(self, name: str, _path: object, _target: object = None) -> None:
        """Raises the error with its reason, if there is one."""
        if hint := _HINTS.get(name):
            raise ModuleNotFoundError(f"No module named {name!r}: {hint}", name=name)


def install() -> None:
    """From here on everything can be imported."""
    with open(f"{WORKSPACE}/{FILE}", "rb") as file:  # noqa: PTH123 - there is no pathlib yet
        library = marshal.load(file)  # noqa: S302 - our own library
    # Behind what is built in and frozen, before what lies in folders.
    finders: list[object] = sys.meta_path  # type: ignore[assignment]  # its abstract class is not there yet
    finders.insert(2, StandardLibrary(library))
    finders.append(LastResort())
