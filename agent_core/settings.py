"""What `init.config` sets, typed and with the protocol's defaults. Never changes in a session."""

from dataclasses import dataclass, field
from typing import Any

from agent_core.protocol import level_of
from agent_core.wire import Message


@dataclass(frozen=True, slots=True)
class Settings:
    """A session's settings; names and defaults as in the protocol's `init`."""

    level: int = 1
    model: str = "gpt-4"
    max_iterations: int = 25
    enabled_toolsets: tuple[str, ...] = ()
    disabled_toolsets: tuple[str, ...] = ()
    quiet_mode: bool = False
    system_prompt: str | None = None
    temperature: float | None = None
    top_p: float | None = None
    max_tokens: int | None = None
    context_length: int = 128_000
    compress_threshold: float = 0.85
    host_tool_schemas: tuple[dict[str, Any], ...] = ()
    host_available_tools: tuple[str, ...] = ()  # none: all of them
    session_id: str = "default"
    identity: str | None = None
    platform: dict[str, Any] = field(default_factory=dict)
    chat: dict[str, Any] = field(default_factory=dict)
    now: str | None = None
    max_result_chars: int = 50_000
    memory_limit_chars: int = 2_200
    user_limit_chars: int = 1_375
    replay_reasoning: bool = False

    @property
    def is_group(self) -> bool:
        """Whether several people write in this chat."""
        return self.chat.get("kind") == "group"

    @property
    def compress_above_tokens(self) -> int:
        """The size of a request, in tokens, from which on the history is compressed."""
        return int(self.context_length * self.compress_threshold)


_TUPLES = (
    "enabled_toolsets",
    "disabled_toolsets",
    "host_tool_schemas",
    "host_available_tools",
)


def read_settings(init: Message) -> Settings:
    """The settings of a checked `init`; null means the default, unknown names are ignored."""
    given: dict[str, Any] = {
        name: _typed(name, value)
        for name, value in (init.get("config") or {}).items()
        if name in Settings.__slots__ and name != "level" and value is not None
    }
    return Settings(level=level_of(init), **given)


def _typed(name: str, value: Any) -> Any:  # noqa: ANN401 - any JSON, checked before
    if name in _TUPLES:
        return tuple(value)
    # JSON knows no difference between 5 and 5.0.
    is_whole = isinstance(value, float) and value.is_integer()
    return int(value) if is_whole else value
