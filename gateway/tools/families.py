"""All tools that this gateway has, one line for each family. Who may use which is `policy`'s."""

import asyncio
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from importlib import import_module

from config.mcp import McpSettings
from config.settings import Settings
from config.tools import ToolSettings
from gateway.chats.directory import Chats
from gateway.chats.host import Host
from gateway.errors import StartupError
from gateway.reading.documents import Documents
from gateway.sandbox.base import Sandbox
from gateway.schedule.book import Book
from gateway.shell.table import JobTable
from gateway.tools.code import CodeTools
from gateway.tools.cronjob import TimeTools
from gateway.tools.delegate import AgentTools
from gateway.tools.files import FileTools
from gateway.tools.modules import load_tools
from gateway.tools.past import PastTools
from gateway.tools.people import PeopleTools
from gateway.tools.policy import unknown_names
from gateway.tools.sending import SendingTools
from gateway.tools.shell import ShellTools
from gateway.tools.skills import SkillTools
from gateway.tools.tool import Tool, tools_of
from gateway.tools.toolbox import Toolbox
from gateway.tools.web import WebTools
from gateway.web.web import Web

FAMILIES: tuple[tuple[type, str], ...] = (
    (FileTools, "files"),
    (SendingTools, "files"),
    (PastTools, "past"),
    (SkillTools, "skills"),
    (TimeTools, "time"),
    (PeopleTools, "people"),
    (AgentTools, "agents"),
    (CodeTools, "code"),
    (ShellTools, "shell"),
    (WebTools, "web"),
)
"""All families with their toolsets, for the docs; what makes them of live parts is below."""


def described_tools() -> list[Tool]:
    """The tools of all families that are part of this package; none of them can be called."""
    return [
        tool for family, toolset in FAMILIES for tool in tools_of(object.__new__(family), toolset)
    ]


def check_names(settings: ToolSettings, tools: Sequence[Tool]) -> None:
    """Refuse rules about tools that nobody knows. Raises `StartupError`."""
    unknown = unknown_names(settings, [*described_tools(), *tools])
    if unknown:
        raise StartupError(
            f"tools.toolsets and tools.rules: no tool, toolset or risk is called {unknown[0]!r}."
        )


def make_own_tools(host: Host, chats: Chats) -> list[Tool]:
    """The tools that work on the gateway itself."""
    return [
        *tools_of(PastTools(host.sessions, host.search, host.clock), "past"),
        *tools_of(SkillTools(host.skills), "skills"),
        *tools_of(PeopleTools(host, chats), "people"),
        *tools_of(AgentTools(host), "agents"),
    ]


@asynccontextmanager
async def served_tools(settings: McpSettings, toolbox: Toolbox) -> AsyncIterator[None]:
    """The tools of MCP servers in the toolbox, while they run. Raises `StartupError`."""
    if not any(server.enabled for server in settings.servers.values()):
        yield
        return
    try:
        # Imported only where it is used, and not on the event loop: the SDK takes a second.
        family = await asyncio.to_thread(import_module, "gateway.tools.mcp")
    except ImportError as error:
        raise StartupError(
            f"mcp.servers needs the package {error.name!r}: install hermes-pywasm[tools]."
        ) from error
    async with family.mcp_tools(settings, toolbox):
        yield


def make_tools(
    settings: Settings,
    book: Book | None,
    web: Web,
    documents: Documents,
    *,
    sandbox: Sandbox,
    jobs: JobTable,
) -> list[Tool]:
    """The tools. Blocks while modules are loaded. Raises `StartupError`."""
    return [
        *tools_of(FileTools(documents), "files"),
        *tools_of(SendingTools(), "files"),
        *(tools_of(TimeTools(book), "time") if book else []),
        *tools_of(WebTools(web), "web"),
        *tools_of(CodeTools(sandbox, settings.code), "code"),
        *tools_of(ShellTools(settings.shell, jobs), "shell"),
        *load_tools(settings.tools.modules),
    ]
