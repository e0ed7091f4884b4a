"""The tools of MCP servers, as tools of this gateway: `mcp_<server>_<tool>`.

What may be called is policy's business as for any other tool. As long as nobody has said how
dangerous a server's tools are (`risk`), a person is asked before each call, and can say always.
"""

import asyncio
import json
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from functools import partial

import structlog

from config.mcp import McpSettings
from gateway.mcp.errors import McpFailure
from gateway.mcp.listing import Offered, plain
from gateway.mcp.results import Brought, File
from gateway.mcp.server import McpServer
from gateway.mcp.servers import running
from gateway.tools.approvals import fenced, inline
from gateway.tools.spill import FOLDER
from gateway.tools.tool import (
    Approval,
    Arguments,
    Risk,
    Tool,
    ToolContext,
    ToolFailed,
    ToolResult,
)
from gateway.tools.toolbox import DuplicateTool, Toolbox
from gateway.tools.untrusted import marked
from gateway.workspace.errors import WorkspaceError

TOOLSET = "mcp"
MAX_OUTPUT_CHARS = 20_000

_log = structlog.get_logger()


@asynccontextmanager
async def mcp_tools(settings: McpSettings, toolbox: Toolbox) -> AsyncIterator[None]:
    """The servers' tools in a toolbox, while the gateway runs."""
    async with running(settings, McpTools(toolbox).update):
        yield


class McpTools:
    """Keeps a toolbox up to date with what servers offer; agents see it when they next wake."""

    def __init__(self, toolbox: Toolbox) -> None:
        self._toolbox = toolbox
        self._servers: dict[str, McpServer] = {}
        self._names: list[str] = []

    def update(self, server: McpServer) -> None:
        """Put all servers' tools in place of those of before, in an order that does not depend on
        which server was quicker: model servers remember requests by their beginning.
        """
        self._servers[server.name] = server
        for name in self._names:
            self._toolbox.remove(name)
        self._names = []
        for _, each in sorted(self._servers.items()):
            for offer in each.tools:
                self._add(each, offer)

    def _add(self, server: McpServer, offer: Offered) -> None:
        try:
            self._toolbox.add(tool_of(server, offer))
        except DuplicateTool:  # a tool of the gateway's own modules may have such a name
            _log.warning("an MCP tool's name is taken", server=server.name, tool=offer.name)
            return
        self._names.append(offer.name)


def tool_of(server: McpServer, offer: Offered) -> Tool:
    """A server's tool as one of ours."""
    risk = server.settings.risk
    return Tool(
        name=offer.name,
        toolset=TOOLSET,
        description=offer.description,
        parameters=offer.parameters,
        read=read,
        carry_out=partial(_carry_out, server, offer),
        risk=Risk.EXECUTE if risk is None else Risk(risk),
        timeout_s=server.settings.timeout_s,
        max_output_chars=MAX_OUTPUT_CHARS,
        approve=partial(_ask, offer, is_known=risk is not None),
    )


def read(text: str) -> Arguments:
    """Arguments of a JSON text; the agent has held them against the schema, the server will again.

    Raises `ToolFailed`.
    """
    try:
        arguments = json.loads(text or "{}")
    except (ValueError, RecursionError) as error:
        raise ToolFailed("Nothing was run: the arguments are no JSON.") from error
    if not isinstance(arguments, dict):
        raise ToolFailed("Nothing was run: the arguments are no JSON object.")
    return arguments


async def _ask(
    offer: Offered, context: ToolContext, arguments: Arguments, *, is_known: bool
) -> Approval | None:
    """The call in full, which whoever is asked has to see.

    A yes for longer holds as long as the tool is described as it is now: a server could be harmless
    until it has one.
    """
    if is_known and not context.must_ask:
        return None
    written = json.dumps(dict(arguments), ensure_ascii=False, indent=1)
    head = f"{inline(offer.tool)} of the MCP server {inline(offer.server)}, with"
    pattern = f"{offer.name}, as it describes itself now ({offer.mark})"
    return Approval("mcp", pattern, f"{plain(head, 200)}\n\n{fenced(written, 'json')}")


async def _carry_out(
    server: McpServer, offer: Offered, context: ToolContext, arguments: Arguments
) -> ToolResult:
    try:
        result = await server.call(offer.tool, dict(arguments), context.report)
    except McpFailure as error:
        raise ToolFailed(marked(str(error), _source(offer))) from error
    return ToolResult(await _told(result, offer, context), result.is_error)


async def _told(result: Brought, offer: Offered, context: ToolContext) -> str:
    kept = [await _keep(file, context) for file in result.files]
    text = result.text or ("Nothing but files." if kept else "It says nothing.")
    return "\n".join([marked(text, _source(offer)), *kept])


async def _keep(file: File, context: ToolContext) -> str:
    try:
        path = await asyncio.to_thread(
            context.workspace.save_new, FOLDER, file.name, [file.content]
        )
    except WorkspaceError as error:
        return f"[a file of {len(file.content):,} bytes could not be kept: {error}]"
    return (
        f"[a file of {len(file.content):,} bytes, {file.media_type or 'of no known kind'}: {path}]"
    )


def _source(offer: Offered) -> str:
    return f"the MCP server {offer.server}"
