"""Names and ids as the Messages API takes them: letters, digits, `_` and `-`. Pure."""

import re
from collections.abc import Container
from itertools import count

LONGEST = 128
_OTHER = re.compile(r"[^a-zA-Z0-9_-]")


def fitting(name: str) -> str:
    """A tool's name, changed where it has to be."""
    return _OTHER.sub("_", name)[:LONGEST] or "_"


def free_id(wanted: str, taken: Container[str]) -> str:
    """An id that is not taken: the API wants each once in a conversation."""
    base = _OTHER.sub("_", wanted) or "call"
    numbered = (f"{base}_{number}" for number in count(2))
    return base if base not in taken else next(i for i in numbered if i not in taken)
