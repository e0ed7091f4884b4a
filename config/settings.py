"""Every setting, with its default. What is not written in the YAML file is what stands here.

Durations are in seconds and end in `_s`; sizes in memory end in `_mb` (MiB).
"""

from pathlib import Path
from typing import Annotated, Literal

from pydantic import BaseModel, ConfigDict, Field, HttpUrl, PositiveFloat, PositiveInt, SecretStr

NumericId = Annotated[int, Field(strict=True)]


class Section(BaseModel):
    """A part of the file. Unknown keys are mistakes."""

    model_config = ConfigDict(extra="forbid", frozen=True)


class ModelSettings(Section):
    """Which model answers."""

    provider: Literal["demo", "openai"] = "demo"
    name: str = "demo"
    base_url: HttpUrl = HttpUrl("https://api.openai.com/v1")
    api_key: SecretStr | None = None
    temperature: float | None = Field(default=None, ge=0, le=2)
    top_p: float | None = Field(default=None, gt=0, le=1)
    max_tokens: PositiveInt | None = None
    context_length: Annotated[int, Field(ge=2_000)] = 128_000
    connect_timeout_s: PositiveFloat = 10
    idle_timeout_s: PositiveFloat = 120  # nothing arrives for this long: the call has failed
    tries: Annotated[int, Field(ge=1, le=10)] = 3
    max_retry_after_s: PositiveFloat = 60


class AgentSettings(Section):
    """How every agent behaves."""

    identity: str | None = None  # replaces the built-in description of who the agent is
    max_iterations: Annotated[int, Field(ge=1, le=500)] = 25
    compress_threshold: Annotated[float, Field(gt=0.1, lt=1)] = 0.85
    max_result_chars: Annotated[int, Field(ge=1_000)] = 50_000
    memory_limit_chars: PositiveInt = 2_200
    user_limit_chars: PositiveInt = 1_375
    disabled_toolsets: tuple[str, ...] = ()


class RuntimeSettings(Section):
    """Where agents run, and what one may use."""

    mode: Literal["wasm", "native"] = "wasm"
    max_agents: PositiveInt = 2_000  # warm at a time
    memory_budget_mb: PositiveInt = 2_048  # for all warm agents
    agent_memory_mb: Annotated[int, Field(ge=32)] = 256  # for one agent
    step_timeout_s: PositiveFloat = 10
    threads: PositiveInt = 2


class ChatSettings(Section):
    """What holds for every chat."""

    inbox_size: PositiveInt = 32
    clarify_timeout_s: PositiveFloat = 3_600
    turn_timeout_s: PositiveFloat = 1_800
    streaming: bool = True
    first_edit_chars: PositiveInt = 24


class ConsoleSettings(Section):
    """The chat in the terminal. Unset: on when no other platform is."""

    enabled: bool | None = None


class TelegramSettings(Section):
    """Telegram. On as soon as there is a token."""

    token: SecretStr | None = None
    base_url: HttpUrl = HttpUrl("https://api.telegram.org/bot")
    allowed_users: tuple[NumericId, ...] = ()  # may talk anywhere; nobody else may
    allowed_chats: tuple[NumericId, ...] = ()  # groups in which everybody may talk
    require_mention: bool = True  # in groups
    edit_interval_s: PositiveFloat = 0.8


class LoggingSettings(Section):
    """What is logged, on stderr."""

    level: Literal["debug", "info", "warning", "error"] = "info"
    format: Literal["human", "json"] = "human"


class Settings(Section):
    """The whole file."""

    data_dir: Path = Path("data")  # relative to the file's folder
    model: ModelSettings = ModelSettings()
    agent: AgentSettings = AgentSettings()
    runtime: RuntimeSettings = RuntimeSettings()
    chats: ChatSettings = ChatSettings()
    console: ConsoleSettings = ConsoleSettings()
    telegram: TelegramSettings = TelegramSettings()
    logging: LoggingSettings = LoggingSettings()
