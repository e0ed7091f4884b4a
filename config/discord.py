"""The settings of Discord. Who may talk is decided by ids, as everywhere."""

from typing import Annotated, Literal

from pydantic import Field, HttpUrl, PositiveFloat

from config.platform import PlatformSettings
from config.proxies import HttpProxyAddress
from config.section import Address, NumericId, PersonId, Secret


class DiscordSettings(PlatformSettings):
    """Discord. On as soon as there is a token."""

    token: Secret | None = Field(
        default=None,
        description="The bot's token, from the page Bot of its application in the developer "
        "portal. Keep it out of the file: `${DISCORD_BOT_TOKEN}` reads it from the environment or "
        "from `.env`.",
    )
    base_url: Address = Field(
        default=HttpUrl("https://discord.com/api/v10"),
        description="Discord's HTTP API; it says where its gateway is.",
    )
    proxy: HttpProxyAddress | None = Field(
        default=None,
        description="A proxy to reach Discord by: `http://` or `https://`, with `user:password@` "
        "if it wants them (then keep it out of the file: `${DISCORD_PROXY}`).",
    )
    allowed_roles: tuple[NumericId, ...] = Field(
        default=(),
        description="Ids of roles whose members may talk to the bot in their server. A server's "
        "own id is the role of everybody in it.",
    )
    allowed_chats: tuple[NumericId, ...] = Field(
        default=(),
        description="Ids of channels in which everybody may talk to the bot, and of their threads.",
    )
    allowed_bots: tuple[PersonId, ...] = Field(
        default=(),
        description="Ids of the bots and webhooks that may talk to this one. No other is heard.",
    )
    require_mention: bool = Field(
        default=True,
        description="In servers, answer only when mentioned, replied to or given a command.",
    )
    free_chats: tuple[NumericId, ...] = Field(
        default=(),
        description="Ids of channels in which every message is answered, in their threads, too.",
    )
    follow_threads: bool = Field(
        default=True, description="Answer every message in the threads that the bot has joined."
    )
    auto_thread: bool = Field(
        default=False,
        description="Begin a thread for each question that is asked in a channel.",
    )
    backfill: Annotated[int, Field(ge=0, le=100)] = Field(
        default=0,
        description="So many earlier messages of a channel are shown to the agent as context, when "
        "it is first asked something there.",
    )
    message_content: bool = Field(
        default=True,
        description="Ask Discord for the text of all messages; the intent has to be switched on in "
        "the developer portal. Without it the bot can read direct messages and mentions only.",
    )
    allowed_mentions: tuple[Literal["users", "roles", "everyone"], ...] = Field(
        default=(),
        description="Whom a mention in an answer notifies. Unset: nobody.",
    )
    command_servers: tuple[NumericId, ...] = Field(
        default=(),
        description="Ids of the only servers in which the slash commands are offered. Unset: all, "
        "and direct messages.",
    )
    edit_interval_s: PositiveFloat = Field(
        default=1.0, description="The least time between two edits of a streamed answer."
    )
