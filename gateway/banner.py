"""What stands at the top of the screen when a gateway starts."""

import sys
from collections.abc import Mapping

from adapters.base import Adapter
from agent_core import __version__
from config.models import ModelSettings
from config.settings import Settings
from gateway.access.report import summary
from gateway.access.snapshot import Access
from gateway.runtime.capacity import Capacity


def banner(
    settings: Settings,
    capacity: Capacity,
    adapters: Mapping[str, Adapter],
    access: Access,
    http_address: str | None = None,
) -> str:
    """The lines for whoever has started it: the model, who may talk, how much room there is."""
    model = settings.model
    rows = [
        (
            "model",
            ", then ".join(map(_named, (model, *settings.fallbacks))),
        ),
        *((name, summary(access, name)) for name in adapters),
        ("agents", f"{settings.runtime.mode}, room for {capacity.agents:,} warm ones"),
        ("data", str(settings.data_dir)),
        *([("http", http_address)] if http_address else []),
    ]
    lines = [f"Hermes {__version__}", *(f"  {name:<10}{text}" for name, text in rows)]
    if "console" in adapters and sys.stdin.isatty():
        lines.append("Type a message. /help lists commands, Ctrl-C stops an answer, Ctrl-D leaves.")
    return "\n".join(lines)


def _named(model: ModelSettings) -> str:
    return f"{model.name} ({model.provider})" if model.name != model.provider else model.name
