"""The settings of Telegram: how the bot is reached, who may talk, and what it listens to in groups.

Ids are Telegram's own. What a token is worth is found out by the adapter.
"""

import re
from typing import Annotated

from pydantic import AfterValidator, Field, HttpUrl, PositiveFloat, SecretStr
from pydantic_core import PydanticCustomError

from config.names import Name
from config.platform import PlatformSettings
from config.proxies import ProxyAddress
from config.section import (
    SENTENCE,
    Address,
    Folder,
    NumericId,
    PersonId,
    Secret,
    Section,
    Word,
)

_TOPIC = re.compile(r"-[0-9]{1,18}:[0-9]{1,18}", re.ASCII)
# Bot API, setWebhook: what a secret token may consist of.
_SECRET_TOKEN = re.compile(r"[A-Za-z0-9_-]{1,256}", re.ASCII)


def _is_topic(name: str) -> str:
    if not _TOPIC.fullmatch(name):
        raise PydanticCustomError(
            SENTENCE, 'must be the ids of a group and of a topic in quotes, like "-1001234:7".'
        )
    return name


def _is_path(path: str) -> str:
    if not re.fullmatch(r"/[A-Za-z0-9/_.~-]*", path):
        raise PydanticCustomError(
            SENTENCE, "must start with a slash and hold no spaces, `?`, `#` or `{`."
        )
    return path


def _is_secret_token(secret: SecretStr) -> SecretStr:
    if not _SECRET_TOKEN.fullmatch(secret.get_secret_value()):
        raise PydanticCustomError(
            SENTENCE, "must be 1 to 256 letters, digits, underscores and hyphens."
        )
    return secret


TopicName = Annotated[Word, AfterValidator(_is_topic)]
UrlPath = Annotated[Word, AfterValidator(_is_path)]
SecretToken = Annotated[Secret, AfterValidator(_is_secret_token)]


class WebhookSettings(Section):
    """Telegram calls the bot, instead of being asked for news. On as soon as there is a `url`."""

    url: Address | None = Field(
        default=None,
        description="The address that Telegram calls, with HTTPS, on port 443, 80, 88 or 8443. A "
        "reverse proxy that leads it to `host` and `port` sees to the certificate.",
    )
    host: Word = Field(default="127.0.0.1", description="The address to listen on.")
    port: Annotated[int, Field(ge=0, le=65_535)] = Field(
        default=8_080, description="The port to listen on. 0 takes any free one."
    )
    path: UrlPath | None = Field(
        default=None,
        description="The path that requests come in with. Unset: that of `url`; set it if the "
        "reverse proxy changes it.",
    )
    secret_token: SecretToken | None = Field(
        default=None,
        description="What Telegram sends along to show that it is Telegram. Unset: made anew at "
        "each start.",
    )


class TelegramSettings(PlatformSettings):
    """Telegram. On as soon as there is a token."""

    token: Secret | None = Field(
        default=None,
        description="The bot's token from @BotFather. Keep it out of the file: "
        "`${TELEGRAM_BOT_TOKEN}` reads it from the environment or from `.env`.",
    )
    base_url: Address = Field(
        default=HttpUrl("https://api.telegram.org/bot"),
        description="The Bot API; the token is put right behind it.",
    )
    base_file_url: Address | None = Field(
        default=None,
        description="Where files are fetched; the token is put right behind it. Unset: `/file/bot` "
        "on the host of `base_url`.",
    )
    local_files: Folder | None = Field(
        default=None,
        description="For a Bot API server of your own that runs with `--local`: the folder in "
        "which it keeps files, as an absolute path. They are read from there, and may be larger "
        "than 20 MB.",
    )
    proxy: ProxyAddress | None = Field(
        default=None,
        description="A proxy to reach Telegram by: `http://`, `https://`, `socks5://` or "
        "`socks5h://`, with `user:password@` if it wants them (then keep it out of the file: "
        "`${TELEGRAM_PROXY}`).",
    )
    allowed_chats: tuple[NumericId, ...] = Field(
        default=(), description="Ids of groups in which everybody may talk to the bot."
    )
    allowed_bots: tuple[PersonId, ...] = Field(
        default=(), description="Ids of the bots that may talk to this one. No other bot is heard."
    )
    require_mention: bool = Field(
        default=True,
        description="In groups, answer only when mentioned, replied to or given a command.",
    )
    names: tuple[Name, ...] = Field(
        default=(),
        description="Words that address the bot in groups as a mention does, e.g. `[hermes]`; what "
        "stands between slashes is a regular expression: `'/^(hey|hi) bot\\b/'`. Case never "
        "matters.",
    )
    free_chats: tuple[NumericId, ...] = Field(
        default=(),
        description="Ids of groups in which the bot answers every message of those who may talk.",
    )
    free_topics: tuple[TopicName, ...] = Field(
        default=(),
        description="Topics in which it does the same, as `'CHAT:TOPIC'`, e.g. "
        "`'-1001234567890:7'`. General is topic 1.",
    )
    edit_interval_s: PositiveFloat = Field(
        default=0.8, description="The least time between two edits of a streamed answer."
    )
    mentions_notify: bool = Field(
        default=False,
        description="Whether an `@name` in an answer notifies whoever has that name, if they are "
        "in the chat. Otherwise it is a link to them.",
    )
    drafts: bool = Field(
        default=True,
        description="In private chats, show a growing answer as a draft instead of by edits: "
        "nothing of it stays behind, whatever happens. Its Stop button needs a Telegram app from "
        "August 2026 on; `/stop` works in all.",
    )
    messages_per_s: PositiveFloat = Field(
        default=30,
        description="What Telegram takes from the bot in all; more waits, previews are left out.",
    )
    chat_messages_per_s: PositiveFloat = Field(default=1, description="The same for any one chat.")
    group_messages_per_minute: PositiveFloat = Field(
        default=20, description="The same for any one group."
    )
    webhook: WebhookSettings = WebhookSettings()
