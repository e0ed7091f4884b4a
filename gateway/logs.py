"""What is logged, and how: structlog for all, on stderr, for people or for machines.

Secrets never leave: each event is searched for them last, tracebacks included (`masking.py`).
Libraries that log addresses, which may hold a token, are only heard when something is wrong.
"""

import logging
import logging.config
import os
import sys
import threading
from collections.abc import Sequence
from types import TracebackType

import structlog
from structlog.typing import Processor

from config.settings import LoggingSettings, Settings
from gateway.masking import masking, secrets_in

QUIET_LIBRARIES = (
    "PIL",
    "aiohttp",
    "aiosqlite",
    "asyncio",
    "ddgs",
    "discord",
    "filelock",
    "httpcore",
    "httpcore2",
    "httpx",
    "httpx2",
    "markdown_it",
    "telegram",
    "tzlocal",
)

# What an MCP server can have said as often as it likes; `gateway.mcp` logs what matters of it.
SILENT_LIBRARIES = ("client", "mcp")

_log = structlog.get_logger()


def set_up(
    settings: Settings, level: str | None = None, file: logging.Handler | None = None
) -> None:
    """Log as the settings say; `level` overrides theirs, but not in the file."""
    configure(settings.logging, secrets_in(settings), level, file)


def configure(
    settings: LoggingSettings,
    secrets: Sequence[str] = (),
    level: str | None = None,
    file: logging.Handler | None = None,
) -> None:
    """Send structlog and the standard library's logging the same way."""
    on_stderr = getattr(logging, (level or settings.level).upper())
    in_file = getattr(logging, settings.level.upper())
    threshold = on_stderr if file is None else min(on_stderr, in_file)
    shared: list[Processor] = [
        structlog.contextvars.merge_contextvars,
        structlog.stdlib.add_log_level,
        structlog.processors.TimeStamper(fmt="iso", utc=settings.format == "json"),
        structlog.processors.StackInfoRenderer(),
        structlog.processors.format_exc_info,
        masking(secrets),
    ]
    structlog.configure(
        processors=[*shared, structlog.stdlib.ProcessorFormatter.wrap_for_formatter],
        wrapper_class=structlog.make_filtering_bound_logger(threshold),
        logger_factory=structlog.stdlib.LoggerFactory(),
        cache_logger_on_first_use=False,
    )

    def formatter(*, is_for_terminal: bool) -> logging.Formatter:
        return structlog.stdlib.ProcessorFormatter(
            foreign_pre_chain=shared,
            processors=[
                structlog.stdlib.ProcessorFormatter.remove_processors_meta,
                _renderer(settings, has_colours=is_for_terminal),
            ],
        )

    logging.config.dictConfig(
        {
            "version": 1,
            "disable_existing_loggers": False,
            "formatters": {"all": {"()": formatter, "is_for_terminal": sys.stderr.isatty()}},
            "handlers": {
                "stderr": {
                    "class": "logging.StreamHandler",
                    "formatter": "all",
                    "level": on_stderr,
                    "stream": "ext://sys.stderr",
                }
            },
            "root": {"handlers": ["stderr"], "level": threshold},
            "loggers": {
                **{name: {"level": logging.WARNING} for name in QUIET_LIBRARIES},
                **{name: {"level": logging.CRITICAL} for name in SILENT_LIBRARIES},
            },
        }
    )
    if file is not None:
        file.setFormatter(formatter(is_for_terminal=False))
        file.setLevel(in_file)
        logging.getLogger().addHandler(file)


def take_over() -> None:
    """From now on uncaught exceptions and warnings, too, are lines of the log, without secrets."""

    def uncaught(
        kind: type[BaseException], error: BaseException, traceback: TracebackType | None
    ) -> None:
        _log.critical("unexpected error", exc_info=(kind, error, traceback))

    def uncaught_in_thread(happened: threading.ExceptHookArgs) -> None:
        if happened.exc_value is not None:
            uncaught(happened.exc_type, happened.exc_value, happened.exc_traceback)

    sys.excepthook = uncaught
    threading.excepthook = uncaught_in_thread
    logging.captureWarnings(True)


def _renderer(settings: LoggingSettings, *, has_colours: bool) -> Processor:
    if settings.format == "json":
        return structlog.processors.JSONRenderer(ensure_ascii=False)
    return structlog.dev.ConsoleRenderer(
        colors=has_colours and "NO_COLOR" not in os.environ,
        exception_formatter=structlog.dev.plain_traceback,
    )
