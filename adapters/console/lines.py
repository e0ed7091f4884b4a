"""Lines from a terminal or a pipe, read without stopping the event loop or the end of the process.

A read can't be cancelled, so each happens in a daemon thread that nobody waits for at the end.
"""

import asyncio
import contextlib
import importlib.util
import os
import sys
import threading
from collections.abc import Callable
from typing import Protocol

_CHUNK_BYTES = 65_536


class Lines(Protocol):
    """Where a person's lines come from."""

    async def next(self, prompt: str) -> str | None:
        """The next line without its end; None at the end of the input."""

    def close(self) -> None:
        """Leave the terminal as it was found."""


class TerminalLines:
    """Lines typed at a terminal, with the editing and the history that `readline` gives."""

    def __init__(self) -> None:
        if importlib.util.find_spec("readline"):  # Windows has none
            importlib.import_module("readline")
        self._restore = _terminal_state(sys.stdin.fileno())

    async def next(self, prompt: str) -> str | None:
        """See `Lines`. Ctrl-D ends the input."""

        def read() -> str | None:
            try:
                return input(prompt)
            except EOFError:
                return None

        return await _in_daemon_thread(read)

    def close(self) -> None:
        """A read that is still waiting has the terminal in its own mode."""
        self._restore()


class PipedLines:
    """Lines from a pipe or a file. Bytes that are no UTF-8 become U+FFFD."""

    def __init__(self, descriptor: int) -> None:
        self._descriptor = descriptor
        self._buffer = b""
        self._is_at_end = False

    async def next(self, prompt: str) -> str | None:  # noqa: ARG002 - nobody is there to see it
        """See `Lines`."""
        return await _in_daemon_thread(self._read)

    def close(self) -> None:
        """Nothing was changed."""

    def _read(self) -> str | None:
        # Not by sys.stdin: a daemon thread that waits inside of it holds a lock that the
        # interpreter wants at its end.
        while b"\n" not in self._buffer and not self._is_at_end:
            chunk = os.read(self._descriptor, _CHUNK_BYTES)
            self._buffer += chunk
            self._is_at_end = not chunk
        if not self._buffer:
            return None
        line, _, self._buffer = self._buffer.partition(b"\n")
        return line.decode(errors="replace").removesuffix("\r")


async def _in_daemon_thread(read: Callable[[], str | None]) -> str | None:
    loop = asyncio.get_running_loop()
    result: asyncio.Future[str | None] = loop.create_future()

    def settle(line: str | None, error: OSError | None) -> None:
        if result.done():  # cancelled in the meantime
            return
        if error is not None:
            result.set_exception(error)
        else:
            result.set_result(line)

    def work() -> None:
        line, failure = None, None
        try:
            line = read()
        except OSError as error:
            failure = error
        with contextlib.suppress(RuntimeError):  # the loop is closed: nobody waits any more
            loop.call_soon_threadsafe(settle, line, failure)

    threading.Thread(target=work, name="console-input", daemon=True).start()
    return await result


def _terminal_state(descriptor: int) -> Callable[[], None]:
    """What puts a terminal back into the mode that it is in now."""
    try:
        import termios  # noqa: PLC0415 - not on Windows
    except ImportError:
        return lambda: None
    try:
        mode = termios.tcgetattr(descriptor)
    except termios.error:
        return lambda: None
    return lambda: termios.tcsetattr(descriptor, termios.TCSADRAIN, mode)
