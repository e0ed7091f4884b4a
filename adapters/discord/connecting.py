"""Brings the client to Discord and keeps it there.

Reconnects, resumes and invalid sessions are the client's own business; what is left are starts
without a network, and refusals that no waiting mends, which are put in words.
"""

import asyncio
from dataclasses import dataclass

import aiohttp
import discord
import structlog

from adapters.base import AdapterError
from adapters.discord.clients import find_gateway
from adapters.discord.errors import intent_refused, token_refused, translate

_TOKEN_REFUSED = 4004  # Discord, "Gateway Close Event Codes"
_NOT_ALLOWED = frozenset({4013, 4014})

_log = structlog.get_logger(__name__)


@dataclass(frozen=True, slots=True)
class Pace:
    """How long to wait after failures: 5, 10, 20, 40, 60, 60, … s."""

    first_wait_s: float = 5
    longest_wait_s: float = 60

    def wait_s(self, failures: int) -> float:
        """The pause after so many failures in a row."""
        return min(self.first_wait_s * 2.0 ** min(failures - 1, 30), self.longest_wait_s)


async def connect(client: discord.AutoShardedClient, token: str, pace: Pace) -> None:
    """Serve until cancelled. Raises `TokenRefused` and `IntentRefused`."""
    failures = 0
    while True:
        try:
            await client.login(token)
            await find_gateway(client)
            _log.info("Discord is being served", bot=str(client.user))
            await client.connect()
        except discord.LoginFailure as error:
            raise token_refused() from error
        except discord.PrivilegedIntentsRequired as error:
            raise intent_refused(client.application_id) from error
        except discord.ConnectionClosed as error:
            if error.code == _TOKEN_REFUSED:
                raise token_refused() from error
            if error.code in _NOT_ALLOWED:
                raise intent_refused(client.application_id) from error
            raise AdapterError(
                f"Discord has closed the connection for good ({error.code})"
            ) from error
        except (discord.DiscordException, aiohttp.ClientError, OSError, TimeoutError) as error:
            failures += 1
            wait_s = pace.wait_s(failures)
            _log.warning(
                "Discord can't be reached", reason=str(translate(error))[:200], wait_s=wait_s
            )
            await client.http.close()
            client.http.connector = discord.utils.MISSING  # a closed one; it makes another
            client.clear()
            await asyncio.sleep(wait_s)
        else:
            return  # it was closed
