"""The discord.py client as we want it: its intents, its caches, and nobody is notified by accident.

It is the sharded one in any case: it asks Discord at the start how many shards the bot needs, and
one is as good as a client without.
"""

import discord
from pydantic import HttpUrl

from config.discord import DiscordSettings

LONGEST_RATE_WAIT_S = 30.0  # the client waits so long by itself; what is more is the gateway's
OFFICIAL = DiscordSettings().base_url


def make_client(settings: DiscordSettings) -> discord.AutoShardedClient:
    """A client that isn't connected yet."""
    point_to(settings.base_url)
    return discord.AutoShardedClient(
        intents=intents_of(settings),
        allowed_mentions=mentions_of(settings),
        max_messages=None,  # old messages are the store's business
        max_ratelimit_timeout=LONGEST_RATE_WAIT_S,
        member_cache_flags=discord.MemberCacheFlags.none(),
        chunk_guilds_at_startup=False,
        enable_debug_events=True,  # the pulse listens to heartbeats
        proxy=settings.proxy.get_secret_value() if settings.proxy else None,
    )


def intents_of(settings: DiscordSettings) -> discord.Intents:
    """No more than is needed. Of these, the text of messages has to be allowed in the portal."""
    return discord.Intents(
        guilds=True,
        guild_messages=True,
        dm_messages=True,
        guild_reactions=True,
        dm_reactions=True,
        message_content=settings.message_content,
    )


def mentions_of(settings: DiscordSettings) -> discord.AllowedMentions:
    """Whom mentions in our messages notify: by default nobody, not even who is replied to."""
    allowed = set(settings.allowed_mentions)
    return discord.AllowedMentions(
        everyone="everyone" in allowed,
        users="users" in allowed,
        roles="roles" in allowed,
        replied_user=False,
    )


async def find_gateway(client: discord.Client) -> None:
    """Ask another server than Discord's own where its gateway is, for when a session is over: the
    client then goes to the address that it knows by heart.
    """
    if str(OFFICIAL) != discord.http.Route.BASE:
        _, url, _ = await client.http.get_bot_gateway()
        socket = discord.gateway.DiscordWebSocket
        socket.DEFAULT_GATEWAY = type(socket.DEFAULT_GATEWAY)(url)


def point_to(base_url: HttpUrl) -> None:
    """Where the client's calls go. It knows one API for all clients of a process, so that another
    server than Discord's own can be set once, and no token is ever sent to two.
    """
    if base_url != OFFICIAL:
        discord.http.Route.BASE = str(base_url).rstrip("/")
