"""Drafts: a message that grows in a private chat before it is sent ("sendMessageDraft").

A draft is shown for 30 seconds after its last change, or until the bot's next message in the chat.
It is no message: it has no id, and nothing of it stays.
"""

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from tests.fakes.telegram import texts
from tests.fakes.telegram.arguments import chat_of, topic_of
from tests.fakes.telegram.errors import bad_request
from tests.fakes.telegram.parameters import integer
from tests.fakes.telegram.world import Json

if TYPE_CHECKING:
    from tests.fakes.telegram.server import FakeTelegram


@dataclass(slots=True)
class Draft:
    """What is shown of one draft; `versions` are the texts that were seen, the latest last."""

    chat_id: int
    id: int
    topic: int | None
    is_shown: bool = True
    can_stop: bool = False  # then it has a button (Bot API 10.3)
    keep_on_stop: bool = False
    versions: list[str] = field(default_factory=list)

    @property
    def text(self) -> str:
        """As it stands."""
        return self.versions[-1]


async def send_message_draft(server: "FakeTelegram", arguments: Json) -> Any:
    """Show a draft, or change it."""
    chat = chat_of(server, arguments)
    if chat.type != "private":
        raise bad_request("TEXTDRAFT_PEER_INVALID")
    draft_id = integer(arguments, "draft_id")
    if draft_id == 0:
        raise bad_request("RANDOM_ID_EMPTY")
    topic = topic_of(chat, arguments)
    entities = arguments.get("entities", [])
    server.world.violations += texts.violations(entities)
    text = ""
    if arguments.get("text"):  # without one, clients show a placeholder
        text, _ = texts.accept(arguments["text"], entities, "message is too long")
    server.flood.admit(chat.id)
    drafts = server.world.drafts
    shown = next((one for one in drafts if (one.chat_id, one.id) == (chat.id, draft_id)), None)
    if shown is None:
        shown = Draft(chat.id, draft_id, topic)
        drafts.append(shown)
    shown.is_shown = True
    shown.can_stop = bool(arguments.get("can_stop"))
    shown.keep_on_stop = bool(arguments.get("keep_on_stop"))
    shown.versions.append(text)
    return True


def end_drafts(server: "FakeTelegram", chat_id: int) -> None:
    """A message of the bot has come: it takes the place of any draft."""
    for draft in server.world.drafts:
        if draft.chat_id == chat_id:
            draft.is_shown = False
