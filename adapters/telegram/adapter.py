"""The Telegram adapter: one bot, served by long polling.

Its parts do the work (see the package's docstring); here are the bot's connections, the start and
the end of its life, and what keeps its token out of the logs.
"""

import logging
from collections.abc import AsyncIterator, Awaitable, Callable, Sequence

import structlog
from telegram import Bot, BotCommand, Update
from telegram.error import TelegramError
from telegram.request import BaseRequest

from adapters.base import Address, Attachment, Event, Mark, Part, Rate, RateLimits, Style
from adapters.telegram import downloads, rendering, requests, sending
from adapters.telegram.errors import TokenRefused, scrub, translated
from adapters.telegram.inbound import PLATFORM, Me, to_event
from adapters.telegram.polling import Pace, Poller, RawUpdate
from config.telegram import TelegramSettings

_LOGGERS_WITH_ADDRESSES = ("httpx", "httpcore", "telegram")  # an address has the token in it

_log = structlog.get_logger(__name__)


class _QuietBot(Bot):
    """The client's bot writes its token into its own repr, and so into tracebacks with values."""

    __slots__ = ()

    def __repr__(self) -> str:
        return "Bot[token=<token>]"


class TelegramAdapter:
    """Text in private chats and groups. Raises `TokenRefused` at once if there is no token.

    `commands` are (name, description) pairs for the menu beside the text field. Both request
    objects can be given from outside: the one for calls, and the one for `getUpdates`.
    """

    name = PLATFORM
    hint = "Telegram shows Markdown: bold, italics, links, code, lists, quotes and tables."

    def __init__(
        self,
        settings: TelegramSettings,
        *,
        commands: Sequence[tuple[str, str]] = (),
        pace: Pace | None = None,
        request: BaseRequest | None = None,
        get_updates_request: BaseRequest | None = None,
    ) -> None:
        if settings.token is None:
            raise TokenRefused("telegram.token is not set: get one from @BotFather")
        _silence_addresses()
        self.edit_interval_s = settings.edit_interval_s
        self.limits = _limits(settings)
        self._commands = [BotCommand(name, description) for name, description in commands]
        self._requests = (
            request or requests.for_calls(),
            get_updates_request or requests.for_updates(),
        )
        self._bot = _QuietBot(
            settings.token.get_secret_value(),
            base_url=_base_url(settings),
            request=self._requests[0],
            get_updates_request=self._requests[1],
        )
        self._poller = Poller(self._bot, pace or Pace())
        self.pulse = self._poller.pulse

    async def run(self, receive: Callable[[Event], Awaitable[None]]) -> None:
        """Serve until cancelled; then the connections are closed and nothing can be sent.

        Raises `TokenRefused` if Telegram does not know the token. Whatever else fails is waited
        out. No waiting message is ever dropped.
        """
        try:
            await self._poller.connect(self._prepare)
            user = self._bot.bot
            me = Me(id=user.id, username=user.username or "")
            _log.info("Telegram is being served", bot=me.username)
            await self._announce_commands()

            async def take(raw: RawUpdate) -> None:
                event = self._read(raw, me)
                if event is not None:
                    await receive(event)

            await self._poller.run(take)
        finally:
            await self.close()

    async def close(self) -> None:
        """Let go of all connections; `run` does it at its end. Closing twice is fine."""
        await self._bot.shutdown()
        for request in self._requests:  # the bot leaves them open if it has only been sending
            await request.shutdown()

    async def check(self) -> str:
        """Ask Telegram whose token this is, and close; the answer is the bot's username."""
        with translated(self._bot.token):
            try:
                await self._bot.initialize()
                return self._bot.bot.username or ""
            finally:
                await self.close()

    def render(self, markdown: str, style: Style = Style.ANSWER) -> Sequence[Part]:  # noqa: ARG002 - one form for all
        """The final form of a text, in parts of at most 4096 UTF-16 units."""
        return rendering.render(markdown)

    def preview(self, markdown: str) -> Sequence[Part]:
        """The form of a text that still grows."""
        return rendering.preview(markdown)

    async def send(self, address: Address, part: Part) -> str:
        """Show a new message and return its id, which is unique within its chat."""
        return await sending.send(self._bot, address, part)

    async def edit(self, address: Address, message_id: str, part: Part) -> None:
        """Replace a message. An edit that changes nothing is a success."""
        await sending.edit(self._bot, address, message_id, part)

    async def delete(self, address: Address, message_id: str) -> None:
        """Take a message of ours away. One that is already gone is a success."""
        await sending.delete(self._bot, address, message_id)

    async def typing(self, address: Address) -> None:
        """Show for five seconds that an answer is being made."""
        await sending.typing(self._bot, address)

    async def mark(self, address: Address, message_id: str, mark: Mark | None) -> None:
        """React to a message, in place of an earlier reaction of ours."""
        await sending.mark(self._bot, address, message_id, mark)

    def download(self, attachment: Attachment) -> AsyncIterator[bytes]:
        """The bytes of a file that came in: up to 20 MB (Bot API, getFile)."""
        return downloads.download(self._bot, attachment)

    async def _prepare(self) -> None:
        await self._bot.initialize()
        # A webhook that is set makes every getUpdates fail.
        await self._bot.delete_webhook(drop_pending_updates=False)

    async def _announce_commands(self) -> None:
        if not self._commands:
            return
        try:
            await self._bot.set_my_commands(self._commands)
        except TelegramError as error:
            reason = scrub(error.message, self._bot.token)
            _log.warning("The menu of commands could not be set", reason=reason)

    def _read(self, raw: RawUpdate, me: Me) -> Event | None:
        """One the client can't read is passed over: it would be as unreadable the next time."""
        try:
            update = Update.de_json(raw, self._bot)
        except Exception:  # noqa: BLE001 - the client promises no type for what it can't read
            _log.exception("An update could not be read", update_id=raw.get("update_id"))
            return None
        return to_event(update, me, self._acknowledge)

    async def _acknowledge(self, query_id: str, notice: str | None) -> None:
        await sending.acknowledge(self._bot, query_id, notice)


def _limits(settings: TelegramSettings) -> RateLimits:
    """What Telegram asks of bots (core.telegram.org/bots/faq, on avoiding limits): short bursts in
    a chat are taken. Elsewhere the burst and what flows in after it are one second's, or minute's.
    """
    total_burst = max(1, int(settings.messages_per_s / 6))
    group_burst = max(1, int(settings.group_messages_per_minute / 4))
    return RateLimits(
        chat=Rate(settings.chat_messages_per_s, burst=3),
        group=Rate(_flow(settings.group_messages_per_minute, group_burst) / 60, group_burst),
        total=Rate(_flow(settings.messages_per_s, total_burst), total_burst),
    )


def _flow(most: float, burst: int) -> float:
    return most - burst if most > burst else most


def _base_url(settings: TelegramSettings) -> str:
    """The client adds the token right behind it; the address of a server alone is completed."""
    url = str(settings.base_url)
    return f"{url}bot" if settings.base_url.path in (None, "/") else url


def _silence_addresses() -> None:
    for name in _LOGGERS_WITH_ADDRESSES:
        logger = logging.getLogger(name)
        if logger.getEffectiveLevel() < logging.WARNING:
            logger.setLevel(logging.WARNING)
