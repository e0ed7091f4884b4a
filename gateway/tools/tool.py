"""What a tool is: a typed async method of a family, with what the host has to know of it.

The JSON schema that a model sees and the check of its arguments both come from the method's
signature (`signature.py`). Whether a call may be made is `policy`'s decision and `approvals`'
business; carrying it out within its limits is `toolbox`'s. Other sources of tools, such as MCP,
make `Tool`s directly.
"""

import inspect
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass
from enum import StrEnum
from typing import Any, TypeVar

from adapters.base import Inbound
from gateway.errors import GatewayError
from gateway.tools.signature import signature_of
from gateway.tools.spill import Output
from gateway.workspace.workspace import Workspace

ToolSchema = dict[str, Any]
"""An OpenAI tool object: `{"type": "function", "function": {"name", "description", …}}`."""

Arguments = Mapping[str, Any]
"""What a model gave, checked: every parameter has its value."""

DEFAULT_TIMEOUT_S = 30.0
DEFAULT_OUTPUT_CHARS = 20_000


class Risk(StrEnum):
    """What the worst call of a tool could do."""

    READ = "read"  # look at what the chat may see anyway
    WRITE = "write"  # change what belongs to the chat
    NETWORK = "network"  # reach out, and thereby tell others something
    EXECUTE = "execute"  # run a program
    MESSAGE = "message"  # speak in the bot's name elsewhere


class ToolFailed(GatewayError):
    """The call could not be carried out; the model reads why."""


@dataclass(frozen=True, slots=True)
class ToolCall:
    """A call that an agent asks for."""

    id: str
    name: str
    arguments: str  # a JSON object, already checked by the agent against the tool's schema
    chat: str  # the session key
    message: Inbound  # what the turn answers: where it is, in whose name, whether scheduled
    depth: int = 0  # 1 for the calls of an agent that another agent has set to work, and so on
    within: frozenset[str] | None = None
    """The tools that such an agent was given; it reaches no other by way of these."""


@dataclass(frozen=True, slots=True)
class ToolResult:
    """What the model gets to read."""

    content: str
    is_error: bool = False


@dataclass(frozen=True, slots=True)
class Approval:
    """What a person has to say yes to before a call."""

    kind: str  # the sort of thing, such as `terminal`
    pattern: str  # what a remembered yes holds for: calls with the same kind and pattern
    text: str  # Markdown, with the exact command or diff
    always: bool = False  # ask every time: such a yes is never remembered


CHANGED = (
    "Nothing was done. Somebody has said yes to what was shown then, and it would be something "
    "else by now: what it is about has changed in the meantime. Look at it again, and call anew."
)


async def _show_nothing(_: str) -> bool:
    return False


@dataclass(frozen=True, slots=True)
class ToolContext:
    """What surrounds one call."""

    call: ToolCall
    workspace: Workspace  # the chat's files; its methods block
    report: Callable[[str], None]  # tell the person how far it has come, in a few words
    run_tool: Callable[[str, Arguments], Awaitable[ToolResult]]
    """Another call from inside this one, under the same policy and with the same approvals."""
    run_deeper: Callable[[str, Arguments, frozenset[str]], Awaitable[ToolResult]]
    """The same for an agent that this call has set to work, with the names of all that it may use:
    one deeper in `ToolCall.depth`."""
    new_output: Callable[[], Output]
    """For a result that may be long: write into it as it comes, return what `finish` says."""
    must_ask: bool = False  # the policy wants a yes: `approve` can say what is asked in its words
    show: Callable[[str], Awaitable[bool]] = _show_nothing
    """Send Markdown, with the files that it speaks of, to the chat: once, also if the call is
    made again after a restart. False: it was not shown."""
    approved: Approval | None = None
    """What a person was shown, and has just said yes to, for this very call."""

    def hold_to(self, approval: Callable[[], Approval]) -> None:
        """Raise `ToolFailed` if somebody has approved something else than would be asked now.

        For a tool whose question shows more than its arguments, such as a diff: between question
        and answer there may be an hour. To be called when nothing can change any more.
        """
        if self.approved is not None and self.approved != approval():
            raise ToolFailed(CHANGED)


Runner = Callable[[ToolContext, Arguments], Awaitable[str | ToolResult]]
Approver = Callable[[ToolContext, Arguments], Awaitable[Approval | None]]


@dataclass(frozen=True, slots=True)
class Tool:
    """One tool. `read` makes checked arguments of a JSON text, and raises `ToolFailed`."""

    name: str
    toolset: str
    description: str
    parameters: dict[str, Any]  # a JSON schema
    read: Callable[[str], Arguments]
    carry_out: Runner
    risk: Risk = Risk.READ
    timeout_s: float = DEFAULT_TIMEOUT_S
    max_output_chars: int = DEFAULT_OUTPUT_CHARS
    is_repeatable: bool = False  # a call that was cut off by a restart is run once more
    is_parallel: bool = True  # may run beside other calls of the same turn
    approve: Approver | None = None

    @property
    def schema(self) -> ToolSchema:
        """What an agent is told of it."""
        function = {
            "name": self.name,
            "description": self.description,
            "parameters": self.parameters,
        }
        return {"type": "function", "function": function, "toolset": self.toolset}


@dataclass(frozen=True, slots=True)
class _Marks:
    risk: Risk
    timeout_s: float
    max_output_chars: int
    is_repeatable: bool
    is_parallel: bool
    approve: Callable[[Any, ToolContext, Arguments], Awaitable[Approval | None]] | None


_MARKS = "__tool__"
_Method = TypeVar("_Method", bound=Callable[..., Awaitable[str | ToolResult]])


def tool(
    *,
    risk: Risk = Risk.READ,
    timeout_s: float = DEFAULT_TIMEOUT_S,
    max_output_chars: int = DEFAULT_OUTPUT_CHARS,
    is_repeatable: bool = False,
    is_parallel: bool = True,
    approve: Callable[[Any, ToolContext, Arguments], Awaitable[Approval | None]] | None = None,
) -> Callable[[_Method], _Method]:
    """Make an async method of a family a tool: `async def name(self, context, …) -> str`.

    The first paragraph of its docstring is the description; parameters are described by
    `Annotated[…, Field(description=…)]`. `approve` is an async method of the same class, defined
    above it, that says what a person has to be asked before this very call.
    """
    marks = _Marks(risk, timeout_s, max_output_chars, is_repeatable, is_parallel, approve)

    def mark(method: _Method) -> _Method:
        setattr(method, _MARKS, marks)
        return method

    return mark


def tools_of(family: object, toolset: str) -> list[Tool]:
    """All tools among the methods of an object, in the order of their definition."""
    found: dict[str, Callable[..., Any]] = {}
    for owner in reversed(type(family).__mro__):
        found |= {name: value for name, value in vars(owner).items() if hasattr(value, _MARKS)}
    return [_tool(family, name, method, toolset) for name, method in found.items()]


def _tool(family: object, name: str, method: Callable[..., Any], toolset: str) -> Tool:
    marks: _Marks = getattr(method, _MARKS)
    signature = signature_of(method)
    approve = marks.approve

    async def carry_out(context: ToolContext, arguments: Arguments) -> str | ToolResult:
        result: str | ToolResult = await method(family, context, **arguments)
        return result

    async def ask(context: ToolContext, arguments: Arguments) -> Approval | None:
        return None if approve is None else await approve(family, context, arguments)

    def read(text: str) -> Arguments:
        try:
            return signature.read(text)
        except ValueError as error:
            raise ToolFailed(f"Nothing was run: {error}") from error

    return Tool(
        name=name,
        toolset=toolset,
        description=_first_paragraph(method),
        parameters=signature.schema,
        read=read,
        carry_out=carry_out,
        risk=marks.risk,
        timeout_s=marks.timeout_s,
        max_output_chars=marks.max_output_chars,
        is_repeatable=marks.is_repeatable,
        is_parallel=marks.is_parallel,
        approve=None if approve is None else ask,
    )


def _first_paragraph(method: Callable[..., Any]) -> str:
    paragraph = (inspect.getdoc(method) or "").split("\n\n")[0]
    if not paragraph:
        raise TypeError(f"{method.__qualname__}: a tool needs a docstring, for the model to read")
    return " ".join(paragraph.split())
