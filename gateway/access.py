"""Who may talk: one pure decision for messages and buttons alike, made before anything else.

Default deny. Ids are the platforms' numeric ones, as text. What happens to a refused event, and
what the log says of it, is the router's business.
"""

from collections.abc import Mapping
from dataclasses import dataclass

from adapters.base import ChatKind, Event
from config.settings import Settings


@dataclass(frozen=True, slots=True)
class Allowed:
    """Whom one platform lets in."""

    users: frozenset[str] = frozenset()  # anywhere
    groups: frozenset[str] = frozenset()  # chats in which everybody may talk
    is_local: bool = False  # whoever sits at the machine already has all that it gives

    def __str__(self) -> str:
        if self.is_local:
            return "whoever uses this terminal"
        if not self.users and not self.groups:
            return "nobody yet"
        counts = ((len(self.users), "user"), (len(self.groups), "group"))
        return " and ".join(f"{n} {word}{'s' * (n != 1)}" for n, word in counts if n)


NOBODY = Allowed()


def allowed_by(settings: Settings) -> Mapping[str, Allowed]:
    """Who may talk on each platform; a platform that is not named lets nobody in."""
    return {
        "console": Allowed(is_local=True),
        "telegram": Allowed(
            users=frozenset(map(str, settings.telegram.allowed_users)),
            groups=frozenset(map(str, settings.telegram.allowed_chats)),
        ),
    }


def may_talk(allowed: Mapping[str, Allowed], event: Event) -> bool:
    """Whether this event's sender may use the bot here."""
    if event.sender.is_bot:
        return False
    here = allowed.get(event.address.platform, NOBODY)
    if here.is_local or event.sender.id in here.users:
        return True
    return event.address.kind is ChatKind.GROUP and event.address.chat_id in here.groups
