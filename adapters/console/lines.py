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
from types import ModuleType
from typing import Any, Protocol

termios: ModuleType | None
try:
    import termios
except ImportError:  # Windows
    termios = None

_CHUNK_BYTES = 65_536
_LOCAL_MODES = 3  # where they stand in the list that termios gives


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
        self._mode = _TerminalMode(sys.stdin.fileno())

    async def next(self, prompt: str) -> str | None:
        """See `Lines`. Ctrl-D ends the input."""

        def read() -> str | None:
            try:
                return input(prompt)
            except EOFError:
                print()
                return None

        self._mode.restore()
        line = await _in_daemon_thread(read)
        # What is typed in between, and a ^C, would get into the text that is being written. It
        # is not lost: the next prompt shows it.
        self._mode.hide_typing()
        return line

    def close(self) -> None:
        """A read that is still waiting has the terminal in its own mode."""
        self._mode.restore()


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


class _TerminalMode:
    """The mode that a terminal was found in; nothing, where there is no such thing."""

    def __init__(self, descriptor: int) -> None:
        self._descriptor = descriptor
        self._found: list[Any] | None = None
        if termios is not None:
            with contextlib.suppress(termios.error):
                self._found = termios.tcgetattr(descriptor)

    def restore(self) -> None:
        """Put the terminal back into that mode."""
        self._set(0)

    def hide_typing(self) -> None:
        """The same mode, but that typed characters don't show."""
        if termios is not None:
            self._set(termios.ECHO)

    def _set(self, without: int) -> None:
        if termios is not None and self._found is not None:
            mode = [*self._found]
            mode[_LOCAL_MODES] &= ~without
            termios.tcsetattr(self._descriptor, termios.TCSADRAIN, mode)
