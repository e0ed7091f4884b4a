"""Updates sent to an address of the bot's ("setWebhook"), one after the other.

An answer of 2xx takes the update from the queue; after anything else it is sent again. Where the
real server waits longer and longer in between, this one waits for as long as it is told.
"""

import asyncio
import re
import time
from collections.abc import Awaitable
from urllib.parse import urlsplit

import aiohttp

from tests.fakes.telegram.errors import bad_request
from tests.fakes.telegram.updates import Changes, UpdateQueue
from tests.fakes.telegram.world import Json

_PORTS = {80, 88, 443, 8443}
_SECRET = re.compile(r"[A-Za-z0-9_-]{1,256}")


def check(arguments: Json, *, is_local: bool) -> None:
    """Raises `ApiError` for an address that the server would not send to.

    With `--local`, plain HTTP and any port will do ("Using a Local Bot API Server").
    """
    if not (url := arguments.get("url", "")):
        return
    parts = urlsplit(url)
    if not is_local and parts.scheme != "https":
        raise bad_request("bad webhook: An HTTPS URL must be provided for webhook")
    if not is_local and (parts.port or 443) not in _PORTS:
        raise bad_request("bad webhook: Webhook can be set up only on ports 80, 88, 443 or 8443")
    if (secret := arguments.get("secret_token")) and not _SECRET.fullmatch(secret):
        raise bad_request("secret token contains unallowed characters")


class Webhook:
    """The one of a bot; sends as long as there is an address."""

    def __init__(self, updates: UpdateQueue, changes: Changes) -> None:
        self._updates = updates
        self._changes = changes
        self._arguments: Json = {}
        self._sending: asyncio.Task[None] | None = None
        self._error: tuple[int, str] | None = None
        self.answers: list[int] = []  # the status of each request that was answered
        self.pause_s = 0.02

    def set(self, arguments: Json) -> None:
        """Send to another address, or to none."""
        self._stop()
        self._arguments = arguments
        if arguments.get("drop_pending_updates") is True:
            self._updates.pending.clear()
        if "allowed_updates" in arguments:
            self._updates.allowed = list(arguments["allowed_updates"])
        self._updates.webhook_url = arguments.get("url", "")
        if self._updates.webhook_url:
            self._sending = asyncio.create_task(self._send(self._updates.webhook_url))
        self._changes.notify()

    def describe(self) -> Json:
        """A `WebhookInfo`."""
        info: Json = {
            "url": self._updates.webhook_url,
            "has_custom_certificate": False,
            "pending_update_count": len(self._updates.pending),
        }
        if self._updates.webhook_url:
            info["max_connections"] = int(self._arguments.get("max_connections", 40))
            info["allowed_updates"] = self._updates.allowed
        if self._error is not None:
            info["last_error_date"], info["last_error_message"] = self._error
        return info

    @property
    def secret(self) -> str | None:
        """What is sent along, so that the bot knows who sends."""
        return self._arguments.get("secret_token")

    async def close(self) -> None:
        """Send no more."""
        if task := self._stop():
            await asyncio.wait([task])

    def _stop(self) -> asyncio.Task[None] | None:
        task, self._sending = self._sending, None
        if task is not None:
            task.cancel()
        return task

    async def _send(self, url: str) -> None:
        headers = {"X-Telegram-Bot-Api-Secret-Token": self.secret} if self.secret else {}
        async with aiohttp.ClientSession(headers=headers) as session:
            while True:
                update = await self._changes.until(lambda: self._updates.pending[:1])
                if error := await _failure(self._post(session, url, update[0])):
                    self._error = (int(time.time()), error)
                    await asyncio.sleep(self.pause_s)
                else:
                    self._updates.take_away(update[0]["update_id"])

    async def _post(self, session: aiohttp.ClientSession, url: str, update: Json) -> int:
        async with session.post(url, json=update) as response:
            self.answers.append(response.status)
            self._changes.notify()
            return response.status


async def _failure(answer: Awaitable[int]) -> str | None:
    """Why it was not taken, in the words of the real server."""
    try:
        status = await answer
    except aiohttp.ClientError:
        return "Connection refused"
    return None if 200 <= status < 300 else f"Wrong response from the webhook: {status}"
