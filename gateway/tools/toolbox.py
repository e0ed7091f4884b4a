"""The tools of this gateway, by name, and how a call of one is kept within its limits.

Time, size of the result and secrets in it are looked after here, and whatever goes wrong becomes a
result that the model can read. Whether a call may be made at all is decided before, by whoever
calls `carry_out`.
"""

import asyncio
import secrets
from collections.abc import Callable, Iterable

import structlog

from gateway.errors import StartupError
from gateway.masking import Mask
from gateway.tools.spill import Output
from gateway.tools.tool import Approval, Arguments, Tool, ToolContext, ToolFailed, ToolResult
from gateway.workspace.errors import WorkspaceError
from gateway.workspace.workspace import Workspace

WORDS_AROUND_CHARS = 800
"""A tool may say so much around an output: the marks of what is data, and how it ended."""

_log = structlog.get_logger()


class DuplicateTool(StartupError):
    """Two tools have the same name."""


class Toolbox:
    """The tools, by name.

    `mask` knows the secrets of the present settings, `longest` how many characters an agent takes.
    """

    def __init__(
        self,
        tools: Iterable[Tool] = (),
        mask: Callable[[], Mask] = Mask,
        longest: Callable[[], int] | None = None,
    ) -> None:
        self._tools: dict[str, Tool] = {}
        self._mask = mask
        self._longest = longest
        self.add(*tools)

    def add(self, *tools: Tool) -> None:
        """Put more tools in, such as those of a server that has just been reached.

        Raises `DuplicateTool`.
        """
        for tool in tools:
            if tool.name in self._tools:
                raise DuplicateTool(f"There are two tools named {tool.name!r}.")
            self._tools[tool.name] = tool

    def remove(self, name: str) -> None:
        """Take a tool out; one that is not there is no mistake."""
        self._tools.pop(name, None)

    def all(self) -> list[Tool]:
        """All tools, in the order in which they came."""
        return list(self._tools.values())

    def find(self, name: str) -> Tool | None:
        """The tool of that name."""
        return self._tools.get(name)

    def is_repeatable(self, name: str) -> bool:
        """Whether a call may be run again if nobody knows how far it came."""
        tool = self._tools.get(name)
        return tool is not None and tool.is_repeatable

    def output(self, tool: Tool, workspace: Workspace) -> Output:
        """What a call of this tool can write its result into."""
        max_chars = self._max_chars(tool)
        # What the tool says around it is not to push it over the limit, and be spilled once more.
        room = max_chars - min(WORDS_AROUND_CHARS, max_chars // 4)
        return Output(workspace, tool.name, max_chars=room, mask=self._mask())

    def plain(self, text: str) -> str:
        """A text without the secrets that the settings hold, for people to read."""
        return self._mask().text(text)

    async def carry_out(self, tool: Tool, arguments: Arguments, context: ToolContext) -> ToolResult:
        """Run a tool, within its limits. A failure is a result, with `is_error`."""
        try:
            async with asyncio.timeout(tool.timeout_s) as limit:
                said = await tool.carry_out(context, arguments)
        except (ToolFailed, WorkspaceError) as error:
            said = ToolResult(str(error), is_error=True)
        except TimeoutError as error:
            if not limit.expired():
                return self._broken(tool, error)
            said = ToolResult(f"It took longer than {tool.timeout_s:g} s, and was ended.", True)
        except Exception as error:  # noqa: BLE001 - logged; one bad call does not end a turn
            return self._broken(tool, error)
        result = ToolResult(said) if isinstance(said, str) else said
        content = await self._within_limits(tool, result.content, context.workspace)
        return ToolResult(content, result.is_error)

    async def approval(
        self, tool: Tool, arguments: Arguments, context: ToolContext
    ) -> Approval | None:
        """What has to be asked before a call. Raises `ToolFailed`."""
        if tool.approve is None:
            return None
        try:
            return await tool.approve(context, arguments)
        except WorkspaceError as error:
            raise ToolFailed(str(error)) from error
        except ToolFailed:
            raise
        except Exception as error:
            raise ToolFailed(self._broken(tool, error).content) from error

    async def _within_limits(self, tool: Tool, text: str, workspace: Workspace) -> str:
        if len(text) <= self._max_chars(tool):
            return self._mask().text(text)
        output = Output(workspace, tool.name, max_chars=self._max_chars(tool), mask=self._mask())
        await asyncio.to_thread(output.write, text)
        return await asyncio.to_thread(output.finish)

    def _max_chars(self, tool: Tool) -> int:
        """What is longer would be cut by the agent, and nobody could read the rest."""
        limits = [tool.max_output_chars, *([self._longest()] if self._longest else [])]
        return min(limits)

    def _broken(self, tool: Tool, error: Exception) -> ToolResult:
        error_id = secrets.token_hex(3)
        _log.error("a tool broke down", tool=tool.name, error_id=error_id, exc_info=error)
        text = f"{tool.name} broke down (error {error_id}). Trying the same again is of no use."
        return ToolResult(text, is_error=True)


def mask_of(secrets_now: Callable[[], Iterable[str]]) -> Callable[[], Mask]:
    """A mask of what the settings hold at the time; made anew only when that has changed."""
    made: list[tuple[tuple[str, ...], Mask]] = []

    def mask() -> Mask:
        known = tuple(secrets_now())
        if not made or made[0][0] != known:
            made[:] = [(known, Mask(known))]
        return made[0][1]

    return mask
