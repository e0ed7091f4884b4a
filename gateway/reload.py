"""Reads the settings again while the gateway runs, and lets its parts know.

Settings with a mistake in them change nothing: those before stay in force. Which of them can take
effect at once is said in `config.live`.
"""

import asyncio
from collections.abc import Awaitable, Callable
from typing import Final

import structlog

from config.errors import ConfigError
from config.live import Change, change
from config.settings import Settings

Load = Callable[[], Settings]
"""Reads and checks the settings; blocks, and raises `ConfigError`."""

Listener = Callable[[Settings], Awaitable[None]]
"""Lets a part of the gateway go by new settings."""

IN_PART: Final = (
    "Something broke while the settings were exchanged, so that some of them may hold and others "
    "not. The log has the rest; a restart makes sure."
)
UNCHANGED: Final = "The settings are what they were."

_log = structlog.get_logger()


class Reload:
    """The settings in force. `load` None: there is nothing to read them from."""

    def __init__(self, settings: Settings, load: Load | None = None) -> None:
        self._settings = settings
        self._load = load
        self._listeners: list[Listener] = []
        self._lock = asyncio.Lock()

    def tell(self, listener: Listener) -> None:
        """Let a part know of new settings, after those that were named before it."""
        self._listeners.append(listener)

    async def __call__(self) -> str:
        """Read the settings again; returns, and logs, what came of it."""
        if self._load is None:
            return "These settings were not read from anywhere."
        async with self._lock:
            try:
                settings = await asyncio.to_thread(self._load)
            except ConfigError as error:
                _log.error("settings not reloaded", reason=str(error))
                return f"Nothing has changed, because of a mistake in the settings:\n\n{error}"
            found = change(self._settings, settings)
            try:
                for listener in self._listeners:
                    await listener(found.settings)
            except Exception:  # noqa: BLE001 - logged with its traceback; what runs goes on
                # Not noted as in force: the next time, all of it is tried again.
                _log.exception("settings reloaded only in part")
                return IN_PART
            self._settings = found.settings
        _log.info("settings reloaded", changed=found.live, at_the_next_start=found.at_the_start)
        return told(found)


def told(found: Change) -> str:
    """What a person is told of new settings. Names only: values may be secrets."""
    lines = []
    if found.live:
        lines.append(f"In force from now on: {_names(found.live)}.")
    if found.at_the_start:
        lines.append(f"Only after a restart: {_names(found.at_the_start)}.")
    return "\n\n".join(lines) or UNCHANGED


def _names(names: tuple[str, ...]) -> str:
    return ", ".join(f"`{name}`" for name in names)
