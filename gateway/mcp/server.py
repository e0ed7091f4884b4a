"""The life of one MCP server: connected, asked what it can, connected again when it is lost.

It has a task of its own, in which the SDK's client is opened and closed. Calls come from other
tasks. What a server lists is taken at the start, when it says that this has changed, and when a
call has failed in a way that may mean that it is gone.
"""

import asyncio
import contextlib
import itertools
from collections.abc import AsyncIterator, Callable
from contextlib import AsyncExitStack, asynccontextmanager
from typing import Any

import mcp_types as types
import structlog
from mcp import Client, MCPError
from mcp.client.streamable_http import streamable_http_client
from mcp.client.subscriptions import SubscriptionLost
from mcp_types.version import MODERN_PROTOCOL_VERSIONS

from agent_core import __version__
from config.mcp import McpServerSettings
from gateway.mcp.errors import Misbehaved, NotRunning
from gateway.mcp.http import make_client
from gateway.mcp.limits import MAX_MESSAGE_BYTES
from gateway.mcp.listing import MAX_LISTED, Listed, Offered, offered
from gateway.mcp.results import Brought, brought
from gateway.mcp.stdio import environment_of, program

CONNECT_TIMEOUT_S = 30.0
"""npx may have to fetch a package first."""

LIST_TIMEOUT_S = 20.0
MAX_PAGES = 20  # of a list of tools
PAUSE_S = 2.0
"""Between two listings: a server that changes all the time is asked no more often."""

FIRST_WAIT_S, LONGEST_WAIT_S = 0.5, 60.0
STEADY_S = 60.0
"""A server that was there for so long is connected again at once when it is lost."""

CANCEL_AGAIN_S = 5.0

_log = structlog.get_logger()

Report = Callable[[str], None]
"""Tells the person how far a call has come."""


def wait_s(failures: int) -> float:
    """How long to wait before the next try; twice as long each time. Pure."""
    return float(min(FIRST_WAIT_S * 2 ** min(failures, 16), LONGEST_WAIT_S))


class McpServer:
    """One server. `on_change` is called with what it offers, each time that this has changed."""

    def __init__(
        self,
        name: str,
        settings: McpServerSettings,
        gateway_env: dict[str, str],
        on_change: Callable[["McpServer"], None],
    ) -> None:
        self.name = name
        self.settings = settings
        self.tools: list[Offered] = []
        self.has_been_asked = asyncio.Event()
        """Set when it has listed its tools for the first time, or could not be reached."""
        self._env = gateway_env
        self._on_change = on_change
        self._client: Client | None = None
        self._is_up = asyncio.Event()
        self._look = asyncio.Event()
        self._is_gone = asyncio.Event()
        self._is_closing = False
        self._task: asyncio.Task[None] | None = None

    def start(self) -> None:
        """Begin to keep it connected. What it does wrong is logged, and nothing more."""
        self._task = asyncio.create_task(self._run())

    async def close(self) -> None:
        """End it. Every connection has ended when this returns."""
        self._is_closing = True
        while self._task is not None and not self._task.done():
            # One cancel is not enough: what a server has raised at this moment can hide it.
            self._task.cancel()
            await asyncio.wait({self._task}, timeout=CANCEL_AGAIN_S)

    async def _run(self) -> None:
        now = asyncio.get_running_loop().time
        failures = 0
        while not self._is_closing:
            began_at = now()
            try:
                await self._live()
            except (Exception, BaseExceptionGroup) as error:  # noqa: BLE001 - a strange server raises anything
                _log.warning("an MCP server is lost", server=self.name, reason=reason_of(error))
            finally:
                self._lose()
            self.has_been_asked.set()
            failures = 0 if now() - began_at > STEADY_S else failures + 1
            await asyncio.sleep(wait_s(failures - 1) if failures else 0)

    async def look(self) -> list[Offered]:
        """What it offers, asked once and without `start`. Raises what keeps it from answering."""
        async with asyncio.timeout(CONNECT_TIMEOUT_S), self._opened() as client:
            await self._list(client)
        return self.tools

    async def call(self, tool: str, arguments: dict[str, Any], report: Report) -> Brought:
        """Have it carry out a tool. Raises `McpFailure`; being cancelled tells the server so."""
        client = await self._connected()

        async def on_progress(
            progress: float,
            total: float | None,
            message: str | None,  # noqa: ARG001 - a server's words are not for the screen
        ) -> None:
            report(f"{progress:g} of {total:g}" if total else f"{progress:g}")

        try:
            result = await client.call_tool(
                tool, arguments, self.settings.timeout_s, progress_callback=on_progress
            )
        except MCPError as error:
            if error.code == types.CONNECTION_CLOSED:
                self._lose()
                raise NotRunning(
                    f"The server {self.name} broke off: nobody knows how far the call came."
                ) from error
            # It may be gone, or only dislike the call: asking what it can will tell.
            self._look.set()
            raise Misbehaved(f"The server {self.name} answers: {str(error)[:500]}") from error
        except Exception as error:
            _log.warning("an MCP call broke", server=self.name, tool=tool, reason=reason_of(error))
            self._look.set()
            raise Misbehaved(f"The server {self.name} gave no answer that makes sense.") from error
        return brought(result)

    def _lose(self) -> None:
        """The connection is not to be used any more."""
        self._client = None
        self._is_up.clear()
        self._is_gone.set()
        self._look.set()

    async def _connected(self) -> Client:
        with contextlib.suppress(TimeoutError):
            async with asyncio.timeout(min(CONNECT_TIMEOUT_S, self.settings.timeout_s) / 2):
                await self._is_up.wait()
        if self._client is None:
            raise NotRunning(f"The server {self.name} is not there. It is being started again.")
        return self._client

    async def _live(self) -> None:
        """One connection, from its beginning to its end. Raises what ended it."""
        self._is_gone.clear()
        self._look.clear()
        async with AsyncExitStack() as stack:
            async with asyncio.timeout(CONNECT_TIMEOUT_S):
                client = await stack.enter_async_context(self._opened())
                await self._list(client)
            self._client = client
            self._is_up.set()
            self.has_been_asked.set()
            _log.info("an MCP server is there", server=self.name, tools=len(self.tools))
            watching = asyncio.create_task(self._watch(client))
            stack.push_async_callback(_ended, watching)
            while True:
                await self._look.wait()
                self._look.clear()
                if self._is_gone.is_set():
                    raise Misbehaved("it has ended or broken off")
                async with asyncio.timeout(LIST_TIMEOUT_S):
                    await self._list(client)
                with contextlib.suppress(TimeoutError):
                    async with asyncio.timeout(PAUSE_S):
                        await self._is_gone.wait()

    @asynccontextmanager
    async def _opened(self) -> AsyncIterator[Client]:
        async with AsyncExitStack() as stack:
            transport = await self._transport(stack)
            client = Client(
                transport,
                read_timeout_seconds=CONNECT_TIMEOUT_S,
                client_info=types.Implementation(name="hermes-pywasm", version=__version__),
                message_handler=self._hear,
                cache=None,
            )
            await stack.enter_async_context(client)
            # What is said to describe results may hold a regular expression that never ends.
            client.session.validate_tool_result = _taken_as_it_is  # type: ignore[method-assign] # the SDK has no setting for it
            yield client

    async def _transport(self, stack: AsyncExitStack) -> Any:  # noqa: ANN401 - the SDK's `Transport`
        settings = self.settings
        if settings.url is not None:
            headers = {name: value.get_secret_value() for name, value in settings.headers.items()}
            http = await asyncio.to_thread(make_client, headers, settings.timeout_s)
            await stack.enter_async_context(http)
            return streamable_http_client(
                str(settings.url), http_client=http, max_sse_event_size=MAX_MESSAGE_BYTES
            )
        given = {name: value.get_secret_value() for name, value in settings.env.items()}
        command = [settings.command or "", *settings.args]
        return program(self.name, command, environment_of(self._env, given), on_end=self._lose)

    async def _hear(self, message: object) -> None:
        if isinstance(message, types.ToolListChangedNotification):
            self._look.set()

    async def _watch(self, client: Client) -> None:
        """Newer servers tell of changes only those who subscribe; and when they end, that ends."""
        for number in itertools.count():
            if client.protocol_version not in MODERN_PROTOCOL_VERSIONS:
                return
            try:
                async with client.listen(tools_list_changed=True) as changes:
                    async for _ in changes:
                        self._look.set()
            except MCPError as error:
                if error.code == types.METHOD_NOT_FOUND:
                    return
                reason = str(error)
            except (SubscriptionLost, TimeoutError) as error:
                reason = str(error)
            else:
                reason = "it has ended the subscription"
            _log.debug("an MCP server tells of no changes", server=self.name, reason=reason)
            await asyncio.sleep(wait_s(number))
            self._look.set()

    async def _list(self, client: Client) -> None:
        listed: list[Listed] = []
        cursor: str | None = None
        for _ in range(MAX_PAGES):
            page = await client.list_tools(cursor=cursor)
            listed += [Listed(t.name, t.description or "", t.input_schema) for t in page.tools]
            cursor = page.next_cursor
            if not cursor or len(listed) > MAX_LISTED:
                break
        tools = await asyncio.to_thread(offered, self.name, self.settings.allow, listed)
        if tools != self.tools:
            self.tools = tools
            self._on_change(self)


async def _ended(task: asyncio.Task[None]) -> None:
    task.cancel()
    await asyncio.gather(task, return_exceptions=True)


async def _taken_as_it_is(name: str, result: types.CallToolResult) -> None:
    """Results are text to us, whatever their schema says."""


def reason_of(error: BaseException) -> str:
    """The first thing that went wrong, for the log."""
    while isinstance(error, BaseExceptionGroup):
        error = error.exceptions[0]
    return f"{type(error).__name__}: {error}"[:300]
