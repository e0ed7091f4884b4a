"""Tools that an administrator brings along: modules named in the settings, each with a function
`tools()` that returns them. They are code like the gateway's own, with all its rights.

A module has a class with methods marked by `gateway.tools.tool.tool`, and returns
`tools_of(TheClass(), "own")`.
"""

from collections.abc import Iterable, Sequence
from dataclasses import replace
from importlib import import_module

from gateway.errors import StartupError
from gateway.tools.tool import Tool

INSIDE = frozenset({"memory", "todo", "clarify"})
"""Tools inside the agent, which would never let another of that name be called."""

TOOLSET = "own"
"""Whatever a module says: naming the module in the settings is what switches its tools on."""


def load_tools(modules: Sequence[str]) -> list[Tool]:
    """All tools of these modules. Blocks. Raises `StartupError`."""
    found: list[Tool] = []
    for name in modules:
        try:
            made: Iterable[object] = import_module(name).tools()
        except (ImportError, AttributeError) as error:
            raise StartupError(f"tools.modules: {name} brings no tools: {error}.") from error
        for tool in made:
            if not isinstance(tool, Tool):
                raise StartupError(
                    f"tools.modules: what {name} brings is no tool; `tools_of` makes tools."
                )
            if tool.name in INSIDE:
                raise StartupError(f"tools.modules: {name} brings a {tool.name}: agents have one.")
            found.append(replace(tool, toolset=TOOLSET))
    return found
