"""Whose past may be looked at from where. Asked by /search and by the tool `session_search`."""

from adapters.base import Address, ChatKind, Sender
from gateway.sessions import person_key, session_key
from gateway.store.sessions import SessionStore


async def searchable(sessions: SessionStore, address: Address, sender: Sender) -> list[str]:
    """The chats that this person may search from here: this one, then those they were in.

    In a group all can read the answer, so nothing but the group's own past is looked at.
    """
    own = session_key(address)
    if address.kind is ChatKind.GROUP:
        return [own]
    theirs = await sessions.chats_of(person_key(address, sender))
    return [own, *(chat for chat in theirs if chat != own)]
