"""Every setting, with its default and what it is for.

What is not written in the YAML file is what stands here. The descriptions become the comments of
`hermes.example.yaml` and the table in `docs/configuration.md` (see `config.reference`). How a file
becomes these classes is the business of `config.loading`. Durations are in seconds and end in
`_s`; sizes in memory end in `_mb` (MiB).
"""

from pathlib import Path
from typing import Annotated, Literal

from pydantic import Field, NonNegativeFloat, NonNegativeInt, PositiveFloat, PositiveInt

from config.code import CodeSettings
from config.discord import DiscordSettings
from config.mcp import McpSettings
from config.media import MediaSettings
from config.models import BudgetSettings, ModelSettings
from config.schedule import ScheduleSettings
from config.section import (
    FileName,
    Folder,
    Section,
    StrangerPolicy,
    TimeOfDay,
    WholePath,
    Word,
)
from config.shell import ShellSettings
from config.telegram import TelegramSettings
from config.tools import ToolSettings
from config.web import WebSettings


class AgentSettings(Section):
    """How every agent behaves."""

    identity: Word | None = Field(
        default=None, description="Replaces the built-in description of who the agent is."
    )
    max_iterations: Annotated[int, Field(ge=1, le=500)] = Field(
        default=25, description="Model calls in one turn before the agent has to conclude."
    )
    compress_threshold: Annotated[float, Field(gt=0.1, lt=1)] = Field(
        default=0.85,
        description="The history is summarised when it fills this part of `context_length`.",
    )
    max_result_chars: Annotated[int, Field(ge=1_000)] = Field(
        default=50_000, description="A longer tool result is cut, and says so."
    )
    memory_limit_chars: PositiveInt = Field(
        default=2_200, description="The most an agent can note about a chat."
    )
    user_limit_chars: PositiveInt = Field(
        default=1_375, description="The most an agent can note about a person."
    )
    disabled_toolsets: tuple[Word, ...] = Field(
        default=(), description="Groups of tools that agents don't get, e.g. `[todo]`."
    )


class RuntimeSettings(Section):
    """Where agents run, and what one may use."""

    mode: Literal["wasm", "native"] = Field(
        default="wasm",
        description="`wasm` runs each agent in a sandbox. `native` runs them as plain Python, "
        "without limits: for development only.",
    )
    max_agents: PositiveInt = Field(
        default=2_000, description="Agents kept warm at a time; the others sleep in the database."
    )
    memory_budget_mb: PositiveInt = Field(
        default=2_048, description="Memory for all warm agents together."
    )
    agent_memory_mb: Annotated[int, Field(ge=32)] = Field(
        default=256, description="Memory that one agent may use before it is restarted."
    )
    step_timeout_s: PositiveFloat = Field(
        default=10, description="Time that one step of an agent may take before it is restarted."
    )
    threads: PositiveInt = Field(default=2, description="Threads that step agents.")
    max_turns: PositiveInt | None = Field(
        default=None,
        description="Turns that run at a time, one at most in each chat, those that wait for a "
        "person's answer included; the others wait in the order in which they came. Unset: as "
        "many as `max_agents`.",
    )


class ChatSettings(Section):
    """What holds for every chat."""

    busy: Literal["queue", "steer", "interrupt"] = Field(
        default="queue",
        description="What happens to a message that comes while an answer is written. `queue`: it "
        "waits and gets an answer of its own. `steer`: it goes into the answer. `interrupt`: it "
        "stops the answer, if that is for the same person. `/queue` and `/steer` say it for one "
        "message.",
    )
    inbox_size: PositiveInt = Field(
        default=32, description="Messages that wait while a turn runs; more are refused, and told."
    )
    join_window_s: NonNegativeFloat = Field(
        default=1,
        description="Pictures of an album, and the parts of a text that was too long for one "
        "message, come one by one: how long to wait for the next.",
    )
    observe: NonNegativeInt = Field(
        default=0,
        description="In groups, so many of the last messages that were not meant for the bot are "
        "told to it with the next one that is. Only of people who may talk to it.",
    )
    clarify_timeout_s: PositiveFloat = Field(
        default=3_600, description="How long the agent waits for the answer to its question."
    )
    turn_timeout_s: PositiveFloat = Field(
        default=1_800, description="A turn in which nothing happens for this long is given up."
    )
    shutdown_grace_s: NonNegativeFloat = Field(
        default=5,
        description="When the gateway is told to stop, answers have so long to end; what is not "
        "ready by then goes on at the next start.",
    )
    streaming: bool = Field(
        default=True, description="Show answers while they are written, by editing the message."
    )
    first_edit_chars: PositiveInt = Field(
        default=24, description="Characters that a streamed answer has before it is first shown."
    )
    tool_activity: Literal["off", "brief", "full"] = Field(
        default="brief",
        description="While tools take long, a line says so and then turns into the answer. `brief` "
        "names the tools that run; `full` has a line for each call, and what it tells of itself.",
    )
    files_from: tuple[WholePath, ...] = Field(
        default=(),
        description="Folders, beside the workspace of the chat, from which answers may send files.",
    )
    file_mb: PositiveInt = Field(
        default=50, description="Larger files are not sent; platforms have limits of their own."
    )
    fetch_pictures: bool = Field(
        default=True,
        description="Fetch the pictures that answers point to and show them; otherwise they stay "
        "links. Nothing is fetched from inside, nor for those who may not use `web_extract`.",
    )
    marks: bool = Field(
        default=False,
        description="React to each message: seen, done or failed, where a platform has reactions.",
    )


class SessionSettings(Section):
    """When a conversation ends by itself. `/resume` goes on with it all the same."""

    reset: Literal["never", "idle", "daily"] = Field(
        default="never",
        description="`idle`: when nothing was said for `idle_hours`. `daily`: at `daily_at`.",
    )
    idle_hours: PositiveFloat = Field(
        default=24, description="Hours of silence after which a new conversation begins."
    )
    daily_at: TimeOfDay = Field(
        default="04:00", description="The time of day at which a new conversation begins."
    )


class JournalSettings(Section):
    """What is written down so that a restart loses nothing."""

    keep_days: PositiveInt = Field(
        default=14, description="How long turns can be shown again with `hermes-gateway replay`."
    )
    keep_calls_days: PositiveInt = Field(
        default=400, description="How far back the ledger of model calls goes, for /usage."
    )
    turns_per_life: PositiveInt = Field(
        default=50,
        description="An agent is woken anew after so many turns; fewer make for a faster restart.",
    )


class AccessSettings(Section):
    """Who may talk, on every platform, and how much. Ids stand under the platforms."""

    strangers: StrangerPolicy | None = Field(
        default=None,
        description="`pair` gives a stranger who writes to the bot directly a code that an owner "
        "can approve; `ignore` gives them silence. Unset: `ignore` as soon as any `allowed_users` "
        "or `allowed_chats` is set, else `pair`.",
    )
    group_commands: tuple[Word, ...] = Field(
        default=("all",),
        description="In groups, the only commands for those who are no owners, e.g. "
        "`[help, stop]`; `all` stands for all that they have elsewhere.",
    )
    user_messages_per_minute: PositiveFloat = Field(
        default=30, description="Messages, commands and buttons that one person may send."
    )
    user_burst: PositiveInt = Field(
        default=30, description="So many of them at once, after a while of quiet."
    )
    chat_messages_per_minute: PositiveFloat = Field(
        default=60, description="The same for all people of one chat together."
    )
    chat_burst: PositiveInt = Field(
        default=60, description="So many of them at once, after a while of quiet."
    )
    limit_owners: bool = Field(default=False, description="Whether that holds for owners, too.")


class ConsoleSettings(Section):
    """The chat in the terminal."""

    enabled: bool | None = Field(
        default=None, description="Unset: on when no other platform is configured."
    )


class LoggingSettings(Section):
    """What is logged, on stderr and, if wanted, in a file. Keys and tokens never are."""

    level: Literal["debug", "info", "warning", "error"] = Field(
        default="info", description="The least important level that is shown."
    )
    format: Literal["human", "json"] = Field(
        default="human", description="`json` writes one object per line, for log collectors."
    )
    file: FileName | None = Field(
        default=None,
        description="The name of a file in the data folder that is written as well, e.g. "
        "`hermes.log`; `hermes.log.1` and so on are older. Useful without systemd or Docker.",
    )
    file_mb: PositiveInt = Field(
        default=10, description="When the file has this size, the next one is begun."
    )
    file_count: Annotated[int, Field(ge=2, le=1_000)] = Field(
        default=5, description="So many files are kept, the one being written included."
    )


class HttpSettings(Section):
    """A local HTTP port for health checks and metrics: `/healthz`, `/readyz`, `/metrics`."""

    port: Annotated[int, Field(ge=0, le=65_535)] | None = Field(
        default=None, description="Unset: off. 0 takes any free port, and says at the start which."
    )
    host: Word = Field(
        default="127.0.0.1",
        description="The address to listen on. It asks nobody for a password, so keep it local.",
    )


class Settings(Section):
    """The whole file."""

    data_dir: Folder = Field(
        default=Path("data"),
        description="Where sessions, history and memory are kept. Relative to this file's folder.",
    )
    model: ModelSettings = ModelSettings()
    fallbacks: tuple[ModelSettings, ...] = Field(
        default=(),
        description="Models that answer when `model` fails, tried in this order. Each item has the "
        "same keys as `model`.",
    )
    models: tuple[ModelSettings, ...] = Field(
        default=(),
        description="More models that a chat can choose with /model. Each item has the same keys "
        "as `model`.",
    )
    compress_model: ModelSettings | None = Field(
        default=None,
        description="A cheaper model that writes the summaries of long histories, with the same "
        "keys as `model`. Unset: the chat's own.",
    )
    budgets: BudgetSettings = BudgetSettings()
    agent: AgentSettings = AgentSettings()
    runtime: RuntimeSettings = RuntimeSettings()
    timezone: Word | None = Field(
        default=None,
        description="The time zone that people here live in, like `Europe/Zurich`. Unset: the "
        "machine's.",
    )
    chats: ChatSettings = ChatSettings()
    sessions: SessionSettings = SessionSettings()
    journal: JournalSettings = JournalSettings()
    tools: ToolSettings = ToolSettings()
    code: CodeSettings = CodeSettings()
    shell: ShellSettings = ShellSettings()
    web: WebSettings = WebSettings()
    media: MediaSettings = MediaSettings()
    mcp: McpSettings = McpSettings()
    access: AccessSettings = AccessSettings()
    schedule: ScheduleSettings = ScheduleSettings()
    console: ConsoleSettings = ConsoleSettings()
    telegram: TelegramSettings = TelegramSettings()
    discord: DiscordSettings = DiscordSettings()
    logging: LoggingSettings = LoggingSettings()
    http: HttpSettings = HttpSettings()
