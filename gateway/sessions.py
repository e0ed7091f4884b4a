"""Which conversation an address belongs to, and whose memory is used there. Pure.

A session key names a chat for ever; the session that is open in it has an id from the store.
"""

from dataclasses import dataclass

from adapters.base import Address, ChatKind, Sender

_LOCAL_PLATFORMS = frozenset({"console"})  # one chat each
# On Discord a thread is a channel of its own, with an id that no other channel has.
_THREADS_ARE_CHATS = frozenset({"discord"})


@dataclass(frozen=True, slots=True)
class MemoryOwners:
    """The owners, in the store, of the two memory texts that an agent is given."""

    memory: str
    user: str


def session_key(address: Address) -> str:
    """The key of a chat: `telegram:dm:42`, `telegram:group:-100:7` (with a topic), `console`,
    `discord:guild:42` (a channel, or a thread).
    """
    if address.platform in _LOCAL_PLATFORMS:
        return address.platform
    if address.platform in _THREADS_ARE_CHATS and address.kind is ChatKind.GROUP:
        return f"{address.platform}:guild:{address.thread_id or address.chat_id}"
    kind = "dm" if address.kind is ChatKind.DIRECT else "group"
    key = f"{address.platform}:{kind}:{address.chat_id}"
    return key if address.thread_id is None else f"{key}:{address.thread_id}"


def address_of(key: str) -> Address | None:
    """Where the chat of a key is; None for what is no key, or is on this machine."""
    platform, kind, chat_id, *thread = [*key.split(":", 3), "", ""][:4]
    if platform in _LOCAL_PLATFORMS or kind not in {"dm", "group", "guild"} or not chat_id:
        return None
    where = ChatKind.DIRECT if kind == "dm" else ChatKind.GROUP
    return Address(platform, chat_id, where, thread_id=thread[0] or None)


def is_direct(key: str) -> bool:
    """Whether the chat of a session key is one person's alone."""
    return key in _LOCAL_PLATFORMS or key.split(":")[1:2] == ["dm"]


def person_key(address: Address, sender: Sender) -> str:
    """The key of a person, across their chats on a platform: `telegram:42`."""
    return f"{address.platform}:{sender.id}"


def memory_owners(address: Address, sender: Sender) -> MemoryOwners:
    """Whose memory the agent of this chat reads and writes.

    In a direct chat `user` is the person's own, wherever they write from. In a group it belongs
    to the group: what one member told the bot alone never shows up there, and what is noted in
    the group is not mixed into anybody's own notes.
    """
    key = session_key(address)
    if address.kind is ChatKind.GROUP:
        return MemoryOwners(memory=key, user=key)
    return MemoryOwners(memory=key, user=person_key(address, sender))
