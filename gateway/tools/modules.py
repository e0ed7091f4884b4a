"""Tools that an administrator brings along: modules named in the settings, each with a function
`tools()` that returns them. They are code like the gateway's own, with all its rights.
"""

from collections.abc import Iterable, Sequence
from importlib import import_module

from gateway.errors import StartupError
from gateway.tools.toolbox import Tool


def load_tools(modules: Sequence[str]) -> list[Tool]:
    """All tools of these modules. Blocks. Raises `StartupError`."""
    found: list[Tool] = []
    for name in modules:
        try:
            made: Iterable[Tool] = import_module(name).tools()
        except (ImportError, AttributeError) as error:
            raise StartupError(f"tools.modules: {name} brings no tools: {error}.") from error
        found += made
    return found
