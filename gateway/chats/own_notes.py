"""What an agent knows of a person's notes, when another chat of the same person has changed them.

An agent is told its notes when it is woken. In a direct chat those on the person are theirs in all
their direct chats, so the agents of the others are let go, and are woken with what is stored now.
"""

from adapters.base import ChatKind, Inbound
from gateway.chats.host import Host
from gateway.sessions import is_direct, person_key, session_key


async def forget_old_notes(host: Host, message: Inbound) -> None:
    """Let go of the agents that may have old notes on the sender. Raises `StoreError`."""
    if message.address.kind is not ChatKind.DIRECT:
        return
    here = session_key(message.address)
    for chat in await host.sessions.chats_of(person_key(message.address, message.sender)):
        if chat != here and is_direct(chat):
            host.pool.drop(chat)
