"""Telling systemd how we are: started, stopping, still alive (sd_notify(3)).

One datagram of `NAME=value` lines on a socket that the environment names. Without it, nothing is
said. The watchdog is fed only while the event loop turns, since the loop itself feeds it, and the
store answers; a gateway that hangs is then restarted by systemd.
"""

import asyncio
import os
import socket
from collections.abc import Mapping

import structlog

from gateway.operations.readiness import Readiness

STORE = "store"
"""The check that has to hold for the watchdog to be fed."""

_log = structlog.get_logger()


class Systemd:
    """The service manager, if we have been started by one."""

    def __init__(self, environ: Mapping[str, str], pid: int | None = None) -> None:
        self._address = environ.get("NOTIFY_SOCKET", "")
        self._watchdog_s = watchdog_s(environ, os.getpid() if pid is None else pid)

    def notify(self, **fields: str | int) -> None:
        """Say `READY=1`, `STATUS=…` and the like. A manager that doesn't listen is no failure."""
        if not self._address:
            return
        # A line break in a value would begin another field.
        lines = [f"{name}={' '.join(str(value).split())}" for name, value in fields.items()]
        message = "\n".join(lines)
        with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as sender:
            sender.setblocking(False)
            # `@name` is a socket in the abstract namespace (systemd.socket(5)).
            path = f"\0{self._address[1:]}" if self._address[0] == "@" else self._address
            try:
                sender.connect(path)
                sender.send(message.encode())
            except OSError as error:
                _log.warning("systemd not told", message=message, reason=error.strerror)

    async def feed_watchdog(self, readiness: Readiness) -> None:
        """Say that we are alive as long as we are, until cancelled."""
        if not self._address or self._watchdog_s is None:
            return
        while True:
            if reason := await readiness.failure(STORE):
                _log.error("watchdog not fed", store=reason)
            else:
                self.notify(WATCHDOG=1)
            # Half the time is what sd_watchdog_enabled(3) recommends; a third forgives one miss.
            await asyncio.sleep(self._watchdog_s / 3)


def watchdog_s(environ: Mapping[str, str], pid: int) -> float | None:
    """How often the watchdog of this process wants to be fed, in seconds; None if there is none."""
    text = environ.get("WATCHDOG_USEC", "")
    if not text.isdecimal() or int(text) == 0:
        return None
    if environ.get("WATCHDOG_PID", str(pid)) != str(pid):
        return None  # meant for another process
    return int(text) / 1_000_000
