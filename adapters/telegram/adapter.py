"""The Telegram adapter: one bot, served by long polling or by a webhook.

Its parts do the work (see the package's docstring); here are the start and the end of its life.
"""

from collections.abc import AsyncIterator, Awaitable, Callable, Sequence

import structlog
from telegram import BotCommand
from telegram.error import TelegramError
from telegram.request import BaseRequest

from adapters.base import Address, Attachment, Event, Mark, Part, Rate, RateLimits, Style
from adapters.telegram import rendering, sending
from adapters.telegram.bot import base_file_url, make_bot
from adapters.telegram.downloads import Downloads
from adapters.telegram.errors import scrub, translated
from adapters.telegram.inbound.audience import Audience
from adapters.telegram.inbound.entities import Me
from adapters.telegram.inbound.places import PLATFORM
from adapters.telegram.inbound.reader import RawUpdate, Reader
from adapters.telegram.patience import Pace
from adapters.telegram.polling import Poller
from adapters.telegram.webhook import Webhook
from config.telegram import TelegramSettings

_log = structlog.get_logger(__name__)


class TelegramAdapter:
    """All chats of one bot. Raises `TokenRefused` at once if there is no token.

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
        self._settings = settings
        self.edit_interval_s = settings.edit_interval_s
        self.limits = _limits(settings)
        self._commands = [BotCommand(name, description) for name, description in commands]
        self._bot, self._requests = make_bot(settings, request, get_updates_request)
        self._downloads = Downloads(self._bot, settings, base_file_url(settings))
        self._updates: Poller | Webhook = (
            Poller(self._bot, pace or Pace(), self._requests[1])
            if settings.webhook.url is None
            else Webhook(self._bot, pace or Pace(), settings.webhook)
        )
        self.pulse = self._updates.pulse

    async def run(self, receive: Callable[[Event], Awaitable[None]]) -> None:
        """Serve until cancelled; then the connections are closed and nothing can be sent.

        Raises `TokenRefused` if Telegram does not know the token. Whatever else fails is waited
        out. No waiting message is ever dropped.
        """
        try:
            await self._updates.connect()
            user = self._bot.bot
            me = Me(id=user.id, username=user.username or "")
            _log.info("Telegram is being served", bot=me.username)
            await self._announce_commands()
            reader = Reader(self._bot, Audience.of(self._settings, me), self._acknowledge)

            async def take(raw: RawUpdate) -> None:
                for event in reader.read(raw):
                    await receive(event)

            await self._updates.run(take)
        finally:
            await self.close()

    async def close(self) -> None:
        """Let go of all connections; `run` does it at its end. Closing twice is fine."""
        await self._downloads.close()
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
        return self._downloads.fetch(attachment)

    async def _announce_commands(self) -> None:
        if not self._commands:
            return
        try:
            await self._bot.set_my_commands(self._commands)
        except TelegramError as error:
            reason = scrub(error.message, self._bot.token)
            _log.warning("The menu of commands could not be set", reason=reason)

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
