"""Growing answers as drafts, which private chats show and nothing is left of (sendMessageDraft).

A draft has no buttons of ours. Since Bot API 10.3 it has one of Telegram's own that stops it; its
press tells the draft's id, and stands here for a press of the button that the draft was to have.
Whether drafts are wanted is a setting; whether a server knows them shows with the first one.
"""

from collections import OrderedDict

from telegram import Bot
from telegram.error import InvalidToken

from adapters.base import Address, ChatKind, Part, Rejected
from adapters.telegram.errors import has_text, is_from_another, translated
from adapters.telegram.sending import entities_for

_MAX_REMEMBERED = 10_000  # drafts; a busy bot has some hundreds at a time
# The client does not know these yet. A server that does not either passes them over. Kept, the text
# stays to be seen until the message comes that it becomes.
_STOPPABLE = {"can_stop": True, "keep_on_stop": True}


class Drafts:
    """The drafts of one bot."""

    def __init__(self, bot: Bot, *, is_wanted: bool) -> None:
        self._bot = bot
        self._is_possible = is_wanted
        self._buttons: OrderedDict[int, tuple[Address, str]] = OrderedDict()

    def can_draft(self, address: Address) -> bool:
        """Only in private chats; a group's members would all see the same draft."""
        return self._is_possible and address.kind is ChatKind.DIRECT

    async def draft(self, address: Address, draft_id: int, part: Part) -> None:
        """Show, or change, a draft. Raises `Rejected` where there are none."""
        data = next((button.data for row in part.buttons for button in row), None)
        if data is not None:
            self._remember(draft_id, address, data)
        with translated(self._bot.token):
            try:
                await self._bot.send_message_draft(
                    chat_id=int(address.chat_id),
                    draft_id=draft_id,
                    text=part.text,
                    entities=entities_for(part),
                    message_thread_id=int(address.thread_id) if address.thread_id else None,
                    api_kwargs=None if data is None else dict(_STOPPABLE),
                )
            except InvalidToken as error:  # what the client makes of any 404
                if is_from_another(error) or not has_text(error, "not found"):
                    raise
                self._is_possible = False
                raise Rejected("this Bot API server has no drafts") from None

    def button_of(self, draft_id: int) -> tuple[Address, str] | None:
        """Where a draft is shown, and the data of its button; None of one from before a restart."""
        return self._buttons.get(draft_id)

    def _remember(self, draft_id: int, address: Address, data: str) -> None:
        self._buttons[draft_id] = (address, data)
        self._buttons.move_to_end(draft_id)
        while len(self._buttons) > _MAX_REMEMBERED:
            self._buttons.popitem(last=False)
