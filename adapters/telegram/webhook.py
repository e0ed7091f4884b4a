"""Updates that Telegram brings by itself, over HTTP ("setWebhook"), one at a time.

An update is answered with 200 only once it has been taken; after anything else, or nothing,
Telegram brings it again. What waits is never dropped, and the webhook stays when the gateway
stops, so that Telegram keeps what comes meanwhile. The certificate is a reverse proxy's business.
"""

import asyncio
import hmac
import json
import secrets
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from typing import Any

import structlog
from aiohttp import web
from telegram import Bot

from adapters.base import AdapterError, Pulse
from adapters.telegram.errors import scrub
from adapters.telegram.inbound.reader import RawUpdate
from adapters.telegram.inbound.updates import ALLOWED_UPDATES
from adapters.telegram.patience import Pace, Patience
from config.telegram import WebhookSettings

SECRET_HEADER = "X-Telegram-Bot-Api-Secret-Token"  # noqa: S105 - the name of a header
LARGEST_UPDATE_BYTES = 1 << 20  # a text of 4096 characters with all its entities takes far less
_BODY_WITHIN_S = 10.0

Take = Callable[[RawUpdate], Awaitable[None]]

_log = structlog.get_logger(__name__)


class Webhook:
    """A server for the updates of one bot."""

    def __init__(self, bot: Bot, pace: Pace, settings: WebhookSettings) -> None:
        if settings.url is None:
            raise ValueError("a webhook needs an address")
        self._bot = bot
        self._pace = pace
        self._settings = settings
        self._url = str(settings.url)
        self._path = settings.path or settings.url.path or "/"
        secret = settings.secret_token
        self._secret = secret.get_secret_value() if secret else secrets.token_urlsafe(32)
        self._patience = Patience(pace, bot.token)
        self._turn = asyncio.Lock()
        self._last_error_at: object = None
        self.pulse = Pulse(3 * pace.webhook_check_s)
        self.port: int | None = None  # as soon as it listens

    async def connect(self) -> None:
        """Learn who the bot is, as soon as Telegram can be reached. Raises `TokenRefused`."""
        await self._patience.until_done(self._bot.initialize)

    async def run(self, take: Take) -> None:
        """Give each update to `take`. Raises `AdapterError` if the port can't be had."""
        async with self._listening(take):
            await self._patience.until_done(self._announce)
            while True:
                self.pulse.beat()
                await asyncio.sleep(self._pace.webhook_check_s)
                await self._patience.until_done(self._look)

    @asynccontextmanager
    async def _listening(self, take: Take) -> AsyncIterator[None]:
        async def handle(request: web.Request) -> web.Response:
            return await self._handle(request, take)

        app = web.Application(client_max_size=LARGEST_UPDATE_BYTES)
        app.router.add_post(self._path, handle)
        # What is still being taken when the gateway stops has not been taken: Telegram keeps it.
        runner = web.AppRunner(app, access_log=None, shutdown_timeout=0.1)
        await runner.setup()
        try:
            try:
                await web.TCPSite(runner, self._settings.host, self._settings.port).start()
            except OSError as error:
                place = f"{self._settings.host}:{self._settings.port}"
                raise AdapterError(f"telegram.webhook can't listen on {place}: {error}") from error
            self.port = runner.addresses[0][1]
            _log.info("waiting for Telegram's calls", port=self.port, path=self._path)
            yield
        finally:
            await runner.cleanup()

    async def _announce(self) -> None:
        await self._bot.set_webhook(
            self._url,
            allowed_updates=ALLOWED_UPDATES,
            secret_token=self._secret,
            drop_pending_updates=False,
            max_connections=1,  # the order of messages is worth more than a few milliseconds
        )

    async def _look(self) -> None:
        """How Telegram gets on with us; only it knows whether its calls arrive."""
        info = await self._bot.get_webhook_info()
        if info.url != self._url:
            _log.warning("another program has changed the bot's webhook: it is set again")
            await self._announce()
        if info.last_error_date != self._last_error_at:
            self._last_error_at = info.last_error_date
            reason = scrub(info.last_error_message or "", self._bot.token)
            waiting = info.pending_update_count
            _log.warning("Telegram's calls fail", reason=reason, waiting=waiting)

    async def _handle(self, request: web.Request, take: Take) -> web.Response:
        sent = request.headers.get(SECRET_HEADER, "")
        if not hmac.compare_digest(sent.encode(errors="surrogateescape"), self._secret.encode()):
            _log.info("a call without Telegram's secret token", peer=request.remote)
            raise web.HTTPForbidden
        update = await _body(request)
        async with self._turn:
            try:
                await take(update)
            except Exception:  # noqa: BLE001 - whatever the gateway raised, the update is kept
                _log.exception("an update could not be taken; it will come again")
                raise web.HTTPServiceUnavailable from None
        return web.Response()


async def _body(request: web.Request) -> RawUpdate:
    """The update. Raises 413 if it is too large, 408 if it is too slow, 400 if it is none."""
    try:
        async with asyncio.timeout(_BODY_WITHIN_S):
            content = await request.read()
    except TimeoutError:
        raise web.HTTPRequestTimeout from None
    try:
        update: Any = json.loads(content)
    except ValueError:
        raise web.HTTPBadRequest from None
    if not isinstance(update, dict) or not isinstance(update.get("update_id"), int):
        raise web.HTTPBadRequest
    return update
