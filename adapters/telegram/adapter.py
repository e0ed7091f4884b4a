"""The Telegram adapter: one bot, served by long polling or by a webhook.

Its parts do the work (see the package's docstring); here are the start and the end of its life.
"""

import asyncio
from collections.abc import AsyncGenerator, Awaitable, Callable, Sequence

import structlog
from telegram.request import BaseRequest

from adapters.base import (
    Address,
    Attachment,
    Event,
    Mark,
    Menus,
    OutgoingFile,
    Part,
    Rate,
    RateLimits,
    Style,
)
from adapters.telegram import rendering, sending
from adapters.telegram.bot import base_file_url, make_bot
from adapters.telegram.downloads import Downloads
from adapters.telegram.drafts import Drafts
from adapters.telegram.errors import translated
from adapters.telegram.files import MOST_IN_ALBUM, albums_of
from adapters.telegram.inbound.audience import Audience
from adapters.telegram.inbound.entities import Me
from adapters.telegram.inbound.places import PLATFORM
from adapters.telegram.inbound.reader import RawUpdate, Reader
from adapters.telegram.mentions import without_notice
from adapters.telegram.menus import MenuKeeper
from adapters.telegram.patience import Pace
from adapters.telegram.polling import Poller
from adapters.telegram.webhook import Webhook
from config.telegram import TelegramSettings

_CLOSER_BY = 1.05

_log = structlog.get_logger(__name__)


class TelegramAdapter:
    """All chats of one bot. Raises `TokenRefused` at once if there is no token.

    `menus` says what the menus of commands should show at the moment. Both request objects can be
    given from outside: the one for calls, and the one for `getUpdates`.
    """

    name = PLATFORM
    hint = (
        "Telegram shows Markdown: bold, italics, links, code, lists, quotes, tables, formulas and "
        "||spoilers||."
    )

    def __init__(
        self,
        settings: TelegramSettings,
        *,
        menus: Callable[[], Menus] = Menus,
        pace: Pace | None = None,
        request: BaseRequest | None = None,
        get_updates_request: BaseRequest | None = None,
    ) -> None:
        self._settings = settings
        self.edit_interval_s = settings.edit_interval_s
        self.limits = _limits(settings)
        self._bot, self._requests = make_bot(settings, request, get_updates_request)
        self._downloads = Downloads(self._bot, settings, base_file_url(settings))
        self._updates: Poller | Webhook = (
            Poller(self._bot, pace or Pace(), self._requests[1])
            if settings.webhook.url is None
            else Webhook(self._bot, pace or Pace(), settings.webhook)
        )
        self._menus = MenuKeeper(self._bot, menus)
        self._drafts = Drafts(self._bot, is_wanted=settings.drafts)
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
            menus = asyncio.create_task(self._menus.keep())
            audience = Audience.of(self._settings, me)
            reader = Reader(self._bot, audience, self._acknowledge, self._drafts.button_of)

            async def take(raw: RawUpdate) -> None:
                for event in reader.read(raw):
                    await receive(event)
                self._menus.look_again()

            try:
                await self._updates.run(take)
            finally:
                menus.cancel()
                await asyncio.wait([menus])
                if not menus.cancelled():
                    _log.error("the menus are not kept any more", exc_info=menus.exception())
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

    def render_files(self, files: Sequence[OutgoingFile]) -> Sequence[Part]:
        """Albums of photos and videos, of documents or of audio; all else alone. Blocks."""
        albums = albums_of(files, sending.largest_file_bytes(self._bot))
        return [part for album in albums for part in rendering.render_album(album)]

    async def send(self, address: Address, part: Part) -> tuple[str, ...]:
        """Show a new part and return its ids, which are unique within their chat."""
        return await sending.send(self._bot, address, self._discreet(part))

    async def edit(self, address: Address, message_id: str, part: Part) -> None:
        """Replace a message. An edit that changes nothing is a success."""
        await sending.edit(self._bot, address, message_id, self._discreet(part))

    async def delete(self, address: Address, message_id: str) -> None:
        """Take a message of ours away. One that is already gone is a success."""
        await sending.delete(self._bot, address, message_id)

    def can_draft(self, address: Address) -> bool:
        """Whether a growing text can be shown there as a draft."""
        return self._drafts.can_draft(address)

    async def draft(self, address: Address, draft_id: int, part: Part) -> None:
        """Show, or change, a draft: it goes when a message comes, or after 30 seconds."""
        await self._drafts.draft(address, draft_id, self._discreet(part))

    async def typing(self, address: Address) -> None:
        """Show for five seconds that an answer is being made."""
        await sending.typing(self._bot, address)

    async def mark(self, address: Address, message_id: str, mark: Mark | None) -> None:
        """React to a message, in place of an earlier reaction of ours."""
        await sending.mark(self._bot, address, message_id, mark)

    def download(self, attachment: Attachment) -> AsyncGenerator[bytes, None]:
        """The bytes of a file that came in: up to 20 MB (Bot API, getFile)."""
        return self._downloads.fetch(attachment)

    def _discreet(self, part: Part) -> Part:
        return part if self._settings.mentions_notify else without_notice(part)

    async def _acknowledge(self, query_id: str, notice: str | None) -> None:
        await sending.acknowledge(self._bot, query_id, notice)


def _limits(settings: TelegramSettings) -> RateLimits:
    """What Telegram asks of bots (core.telegram.org/bots/faq, on avoiding limits), and a little
    less: on the way two messages come nearer to each other. The burst and what flows in after it
    are one second's, or minute's. An album counts as its messages; more than a chat takes in a
    second, it goes at once all the same, and keeps back what comes after it.
    """
    total_burst = max(1, int(settings.messages_per_s / 6))
    group_burst = max(1, int(settings.group_messages_per_minute / 4))
    return RateLimits(
        chat=Rate(settings.chat_messages_per_s / _CLOSER_BY, credit=MOST_IN_ALBUM),
        group=Rate(_flow(settings.group_messages_per_minute, group_burst) / 60, group_burst),
        total=Rate(_flow(settings.messages_per_s, total_burst), total_burst),
        counts_files=True,
    )


def _flow(most: float, burst: int) -> float:
    return (most - burst if most > burst else most) / _CLOSER_BY
