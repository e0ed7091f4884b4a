"""A chat as the full-text indexes have it. Pure.

A search is always one of some chats. With the chat in the index beside the words, SQLite meets only
the rows of those chats, however many others have the same words. Both tokenizers have to take it as
exactly one token: three characters of the private use area, which the one counts as letters and of
which the other makes one piece. It is a digest; who searches compares the chat itself as well.
"""

from hashlib import blake2b

_FIRST, _COUNT = 0xE000, 0xF8FF - 0xE000 + 1  # the private use area of the basic plane


def scope_of(chat: str) -> str:
    """The token of a chat, by its session key."""
    number = int.from_bytes(blake2b(chat.encode(), digest_size=8).digest(), "big")
    token = ""
    for _ in range(3):
        number, digit = divmod(number, _COUNT)
        token += chr(_FIRST + digit)
    return token
