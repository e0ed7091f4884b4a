"""What is logged, and how: structlog for all, on stderr, for people or for machines.

Known secrets never leave: each event is searched for them last, tracebacks included. Libraries
that log addresses, which may hold a token, are only heard when something is wrong.
"""

import logging
import logging.config
import os
import sys
from collections.abc import Sequence
from typing import Any

import structlog
from pydantic import SecretStr
from structlog.typing import EventDict, Processor, WrappedLogger

from config.settings import LoggingSettings, Section, Settings

MASK = "[secret]"
QUIET_LIBRARIES = (
    "httpx",
    "httpcore",
    "telegram",
    "aiosqlite",
    "asyncio",
    "filelock",
    "markdown_it",
)


def secrets_in(section: Section) -> list[str]:
    """Every secret that the settings hold."""
    found: list[str] = []
    for name in type(section).model_fields:
        value = getattr(section, name)
        if isinstance(value, SecretStr):
            found.append(value.get_secret_value())
        elif isinstance(value, Section):
            found.extend(secrets_in(value))
    return found


def masking(secrets: Sequence[str]) -> Processor:
    """A processor that blots out these texts wherever they stand in an event."""
    known = sorted((secret for secret in secrets if secret), key=len, reverse=True)

    def blot(value: Any) -> Any:  # noqa: ANN401 - events hold anything
        if isinstance(value, dict):
            return {blot(name): blot(item) for name, item in value.items()}
        if isinstance(value, (list, tuple, set, frozenset)):
            return [blot(item) for item in value]
        if isinstance(value, (int, float, bool, type(None))):
            return value
        text = value if isinstance(value, str) else str(value)
        for secret in known:
            text = text.replace(secret, MASK)
        return text

    def mask(_: WrappedLogger, __: str, event: EventDict) -> EventDict:
        return {
            name: value if name.startswith("_") else blot(value) for name, value in event.items()
        }

    return mask


def set_up(settings: Settings, level: str | None = None) -> None:
    """Log as the settings say; `level` overrides theirs."""
    configure(settings.logging, secrets_in(settings), level)


def configure(
    settings: LoggingSettings, secrets: Sequence[str] = (), level: str | None = None
) -> None:
    """Send structlog and the standard library's logging the same way."""
    threshold = getattr(logging, (level or settings.level).upper())
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
    logging.config.dictConfig(
        {
            "version": 1,
            "disable_existing_loggers": False,
            "formatters": {
                "all": {
                    "()": structlog.stdlib.ProcessorFormatter,
                    "foreign_pre_chain": shared,
                    "processors": [
                        structlog.stdlib.ProcessorFormatter.remove_processors_meta,
                        _renderer(settings),
                    ],
                }
            },
            "handlers": {
                "stderr": {
                    "class": "logging.StreamHandler",
                    "formatter": "all",
                    "stream": "ext://sys.stderr",
                }
            },
            "root": {"handlers": ["stderr"], "level": threshold},
            "loggers": {name: {"level": logging.WARNING} for name in QUIET_LIBRARIES},
        }
    )


def _renderer(settings: LoggingSettings) -> Processor:
    if settings.format == "json":
        return structlog.processors.JSONRenderer(ensure_ascii=False)
    return structlog.dev.ConsoleRenderer(
        colors=sys.stderr.isatty() and "NO_COLOR" not in os.environ,
        exception_formatter=structlog.dev.plain_traceback,
    )
