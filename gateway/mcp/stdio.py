"""An MCP server as a program on this machine, with lines of bounded length.

The SDK has such a transport too; it holds a line of any length, hands its own standard error on,
and does not say when the program has ended. This one speaks the same streams to the SDK's client.
"""

import asyncio
import contextlib
import os
import signal
from collections.abc import AsyncIterator, Callable, Mapping, Sequence
from contextlib import asynccontextmanager

import anyio
import mcp_types as types
import structlog
from anyio.streams.memory import MemoryObjectReceiveStream, MemoryObjectSendStream
from mcp.shared.message import SessionMessage

from gateway.mcp.errors import Misbehaved
from gateway.mcp.limits import MAX_MESSAGE_BYTES, Meter

GRACE_S = 2.0
"""A server has so long to end after its input has, and once more after SIGTERM."""

_LOOK_AGAIN_S = 0.01
_WATCH_EVERY_S = 0.25
MAX_ERROR_LINE_CHARS = 500
_HANDED_ON = ("PATH", "HOME", "LANG", "LC_ALL", "TMPDIR")
"""Of the gateway's environment; keys live in the rest of it."""

_log = structlog.get_logger()

Incoming = MemoryObjectSendStream[SessionMessage | Exception]
Streams = tuple[
    MemoryObjectReceiveStream[SessionMessage | Exception], MemoryObjectSendStream[SessionMessage]
]


def environment_of(gateway: Mapping[str, str], given: Mapping[str, str]) -> dict[str, str]:
    """The environment of a server. Pure."""
    return {name: gateway[name] for name in _HANDED_ON if name in gateway} | dict(given)


@asynccontextmanager
async def program(
    name: str, command: Sequence[str], env: Mapping[str, str], on_end: Callable[[], None]
) -> AsyncIterator[Streams]:
    """Run a server and speak with it. Raises `OSError` if there is no such program.

    The stream of what it says ends when it does, and when it misbehaves; `on_end` is called then.
    """
    process = await asyncio.create_subprocess_exec(
        *command,
        stdin=asyncio.subprocess.PIPE,
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.PIPE,
        env=dict(env),
        limit=MAX_MESSAGE_BYTES,
        start_new_session=True,  # a group of its own, which is ended as one
    )
    said_send, said = anyio.create_memory_object_stream[SessionMessage | Exception](0)
    to_say, to_say_receive = anyio.create_memory_object_stream[SessionMessage](0)
    listening = asyncio.create_task(_listen(name, process, said_send))
    watching = asyncio.create_task(_stop_when_it_ends(process, listening))
    listening.add_done_callback(lambda _: on_end())
    tasks = [
        listening,
        watching,
        asyncio.create_task(_speak(process, to_say_receive, said_send)),
        asyncio.create_task(_note_errors(name, process)),
    ]
    try:
        yield said, to_say
    finally:
        # Whoever cancels this may not leave a program behind.
        ending = asyncio.ensure_future(_end(process))
        try:
            await asyncio.shield(ending)
        finally:
            if not ending.done():
                _signal(process, signal.SIGKILL)
            for task in tasks:
                task.cancel()
            await asyncio.gather(*tasks, return_exceptions=True)
            for stream in (said_send, said, to_say, to_say_receive):
                stream.close()


async def _listen(name: str, process: asyncio.subprocess.Process, said: Incoming) -> None:
    """Hand on what the server says, line by line."""
    meter = Meter()
    stdout = _pipe(process.stdout)
    async with said:
        with contextlib.suppress(anyio.BrokenResourceError, anyio.ClosedResourceError):
            try:
                while line := await stdout.readline():
                    meter.count(len(line))
                    if (message := _parsed(line)) is not None:
                        await said.send(SessionMessage(message))
            except (ValueError, Misbehaved) as error:  # ValueError: a line over the limit
                _log.warning("an MCP server misbehaves", server=name, reason=str(error))
                _signal(process, signal.SIGKILL)


def _parsed(line: bytes) -> types.JSONRPCMessage | None:
    """A message; None for what is none, such as a greeting that a program prints."""
    try:
        return types.jsonrpc_message_adapter.validate_json(line, by_name=False)
    except ValueError:
        return None


async def _speak(
    process: asyncio.subprocess.Process,
    to_say: MemoryObjectReceiveStream[SessionMessage],
    said: Incoming,
) -> None:
    """Write what is to be said, one line each."""
    stdin = process.stdin
    try:
        async with to_say:
            async for each in to_say:
                line = each.message.model_dump_json(by_alias=True, exclude_unset=True)
                if stdin is not None:
                    stdin.write(line.encode() + b"\n")
                    await stdin.drain()
    except OSError:
        said.close()  # it no longer listens; whoever waits for an answer hears of it


async def _note_errors(name: str, process: asyncio.subprocess.Process) -> None:
    """Keep what it writes to its standard error for whoever looks for a fault."""
    stderr = _pipe(process.stderr)
    while piece := await stderr.read(4_096):
        text = piece.decode("utf-8", "replace").strip()
        _log.debug("an MCP server says", server=name, text=text[:MAX_ERROR_LINE_CHARS])


async def _end(process: asyncio.subprocess.Process) -> None:
    """Close its input, then ask it, then make it (MCP specification, lifecycle, shutdown)."""
    if process.stdin is not None:
        process.stdin.close()
    for number in (signal.SIGTERM, signal.SIGKILL):
        if await _has_ended(process):
            break
        _signal(process, number)
    await _has_ended(process)
    _signal(process, signal.SIGKILL)  # what it has started and left in its group
    # What it has started and let go may hold its pipes open for ever; asyncio has no public way
    # to let go of them.
    transport = getattr(process, "_transport", None)
    if transport is not None:
        transport.close()


async def _has_ended(process: asyncio.subprocess.Process) -> bool:
    """Whether it ends in the time it has."""
    with contextlib.suppress(TimeoutError):
        async with asyncio.timeout(GRACE_S):
            await _until_it_ends(process, _LOOK_AGAIN_S)
    return process.returncode is not None


async def _until_it_ends(process: asyncio.subprocess.Process, look_every_s: float) -> None:
    """`Process.wait` would wait for its pipes as well, which what it has started may hold."""
    while process.returncode is None:  # noqa: ASYNC110 - asyncio tells nobody else of its end
        await asyncio.sleep(look_every_s)


async def _stop_when_it_ends(
    process: asyncio.subprocess.Process, listening: asyncio.Task[None]
) -> None:
    """Its end is the end of what it says, whoever else may hold the pipe."""
    await _until_it_ends(process, _WATCH_EVERY_S)
    await asyncio.wait({listening}, timeout=_WATCH_EVERY_S)  # its last words
    listening.cancel()


def _signal(process: asyncio.subprocess.Process, number: signal.Signals) -> None:
    with contextlib.suppress(ProcessLookupError, PermissionError):
        os.killpg(process.pid, number)


def _pipe(reader: asyncio.StreamReader | None) -> asyncio.StreamReader:
    if reader is None:
        raise Misbehaved("The program has no pipe.")  # it was asked for
    return reader
