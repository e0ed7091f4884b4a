"""Growing answers as drafts, which private chats show and nothing is left of (sendMessageDraft).

A draft has no buttons. Whether drafts are wanted is a setting; whether a server knows them shows
with the first one.
"""

from telegram import Bot
from telegram.error import InvalidToken

from adapters.base import Address, ChatKind, Part, Rejected
from adapters.telegram.errors import has_text, translated
from adapters.telegram.sending import entities_for


class Drafts:
    """The drafts of one bot."""

    def __init__(self, bot: Bot, *, is_wanted: bool) -> None:
        self._bot = bot
        self._is_possible = is_wanted

    def can_draft(self, address: Address) -> bool:
        """Only in private chats; a group's members would all see the same draft."""
        return self._is_possible and address.kind is ChatKind.DIRECT

    async def draft(self, address: Address, draft_id: int, part: Part) -> None:
        """Show, or change, a draft. Raises `Rejected` where there are none."""
        with translated(self._bot.token):
            try:
                await self._bot.send_message_draft(
                    chat_id=int(address.chat_id),
                    draft_id=draft_id,
                    text=part.text,
                    entities=entities_for(part),
                    message_thread_id=int(address.thread_id) if address.thread_id else None,
                )
            except InvalidToken as error:  # what the client makes of any 404
                if not has_text(error, "not found"):
                    raise
                self._is_possible = False
                raise Rejected("this Bot API server has no drafts") from None
