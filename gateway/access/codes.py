"""One-time codes: making them, what is kept of them, comparing. Pure, but for the randomness.

A pairing code says who asks, and only an owner can do something with it; its 40 bits last for an
hour and five wrong guesses. An ownership code is all that a new owner needs, so it has 60 bits:
too many to find from a stolen digest within the day that it is good for, and so neither needs a
slow hash.
"""

import hashlib
import hmac
import re
import secrets

from gateway.store.access import Digest

ALPHABET = "ABCDEFGHJKLMNPQRSTUVWXYZ23456789"  # without what looks alike: I and 1, O and 0
PAIRING_CHARS = 8
CLAIM_GROUPS = 3
GROUP_CHARS = 4
SALT_BYTES = 16

_CLAIM_SHAPE = re.compile(rf"[{ALPHABET}]{{{GROUP_CHARS}}}(-[{ALPHABET}]{{{GROUP_CHARS}}}){{2}}")


def new_pairing_code() -> str:
    """Eight characters, e.g. `K7WQ2MXA`."""
    return _random(PAIRING_CHARS)


def new_claim_code() -> str:
    """Three groups of four, e.g. `K7WQ-2MXA-9RTB`: no pairing code and no word looks like it."""
    return "-".join(_random(GROUP_CHARS) for _ in range(CLAIM_GROUPS))


def has_claim_shape(text: str) -> bool:
    """Whether a message is an attempt at an ownership code."""
    return _CLAIM_SHAPE.fullmatch(text.strip()) is not None


def digest_of(code: str, salt: bytes | None = None) -> Digest:
    """What is kept of a code."""
    salt = secrets.token_bytes(SALT_BYTES) if salt is None else salt
    written = hashlib.blake2b(code.encode("utf-8", "replace"), salt=salt, person=b"hermes-code")
    return Digest(salt, written.digest())


def matches(code: str, kept: Digest) -> bool:
    """Whether this is the code; takes the same time whether it nearly is or not at all."""
    return hmac.compare_digest(digest_of(code, kept.salt).digest, kept.digest)


def _random(length: int) -> str:
    return "".join(secrets.choice(ALPHABET) for _ in range(length))
