"""What a program in the sandbox imports to call tools: `from hermes import tool`.

    text = tool("read_file", path="notes.txt")

Every tool is there as a function as well: `from hermes import read_file`. The host decides whether
a call is allowed, as for any other call of the agent, and carries it out while the program waits.
"""

import functools
import json
from collections.abc import Callable
from typing import Any

import _host  # type: ignore[import-not-found]  # entry.c

__all__ = ["ToolError", "tool"]


class ToolError(Exception):
    """A tool has failed or was not allowed; the text says why."""


def tool(name: str, /, **arguments: Any) -> str:  # noqa: ANN401 - whatever JSON can hold
    """Call a tool with arguments by name, and return its result as text. Raises `ToolError`."""
    request = json.dumps({"name": name, "arguments": arguments})
    answer: dict[str, Any] = json.loads(_host.call(request.encode()))
    if answer["is_error"]:
        raise ToolError(answer["content"])
    return str(answer["content"])


def __getattr__(name: str) -> Callable[..., str]:
    if name.startswith("_"):
        raise AttributeError(name)
    return functools.partial(tool, name)
