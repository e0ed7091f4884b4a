"""Which settings take effect while a gateway runs, and which only at its next start. Pure.

The two tables together name every setting, a section standing for all that is in it. What they say
is carried out in `gateway.reload`.
"""

from dataclasses import dataclass
from typing import TypeVar

from pydantic import BaseModel

from config.settings import Settings

_Part = TypeVar("_Part", bound=BaseModel)

LIVE = (
    "model",
    "fallbacks",
    "models",
    "compress_model",
    "budgets",
    "agent",
    "chats",
    "sessions",
    "journal.turns_per_life",
    "media.max_file_mb",
    "media.download_timeout_s",
    "media.inline_text_chars",
    "media.picture_turns",
    "access",
    "tools.toolsets",
    "tools.risks",
    "tools.rules",
    "tools.approvals",
    "tools.skills",
    "tools.delegation",
    "telegram.owners",
    "telegram.allowed_users",
    "telegram.allowed_chats",
    "telegram.allowed_bots",
    "discord.owners",
    "discord.allowed_users",
    "discord.allowed_roles",
    "discord.allowed_chats",
    "discord.allowed_bots",
    "logging.level",
    "logging.format",
)

AT_THE_START = (
    "data_dir",
    "runtime",
    "timezone",
    "journal.keep_days",
    "journal.keep_calls_days",
    "tools.modules",
    "tools.workspace_mb",
    "code",
    "shell",
    "web",
    "media.transcription",
    "mcp",
    "schedule",
    "console",
    "telegram.enabled",
    "telegram.token",
    "telegram.base_url",
    "telegram.base_file_url",
    "telegram.local_files",
    "telegram.proxy",
    "telegram.require_mention",
    "telegram.names",
    "telegram.free_chats",
    "telegram.free_topics",
    "telegram.edit_interval_s",
    "telegram.mentions_notify",
    "telegram.drafts",
    "telegram.messages_per_s",
    "telegram.chat_messages_per_s",
    "telegram.group_messages_per_minute",
    "telegram.webhook",
    "discord.enabled",
    "discord.token",
    "discord.base_url",
    "discord.proxy",
    "discord.require_mention",
    "discord.free_chats",
    "discord.follow_threads",
    "discord.auto_thread",
    "discord.backfill",
    "discord.message_content",
    "discord.allowed_mentions",
    "discord.command_servers",
    "discord.edit_interval_s",
    "logging.file",
    "logging.file_mb",
    "logging.file_count",
    "http",
)


@dataclass(frozen=True, slots=True)
class Change:
    """What new settings change. Names are those of the YAML file, with dots."""

    settings: Settings  # what holds from now on
    live: tuple[str, ...]  # what is different in it
    at_the_start: tuple[str, ...]  # what is different in the file and waits for a restart


def change(old: Settings, new: Settings) -> Change:
    """What of new settings can take effect at once."""
    live: list[str] = []
    waiting: list[str] = []
    merged = _merged(old, new, "", live, waiting)
    return Change(merged, tuple(live), tuple(waiting))


def is_live(name: str) -> bool:
    """Whether a setting takes effect while a gateway runs."""
    return any(name == row or name.startswith(f"{row}.") for row in LIVE)


def _merged(old: _Part, new: _Part, prefix: str, live: list[str], waiting: list[str]) -> _Part:
    taken: dict[str, object] = {}
    for key in type(new).model_fields:
        name, before, after = f"{prefix}{key}", getattr(old, key), getattr(new, key)
        if isinstance(before, BaseModel) and isinstance(after, BaseModel):
            taken[key] = _merged(before, after, f"{name}.", live, waiting)
        elif before != after and is_live(name):
            live.append(name)
        elif before != after:
            waiting.append(name)
            taken[key] = before
    return new.model_copy(update=taken)
