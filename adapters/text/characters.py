"""Which characters can be seen, and which can't even be sent."""

import re
import unicodedata

_SURROGATES = re.compile("[\ud800-\udfff]")
_INVISIBLE_CATEGORIES = frozenset({"Cc", "Cf", "Cs", "Zl", "Zp", "Zs"})
_INVISIBLE_LETTERS = frozenset("\u115f\u1160\u2800\u3164\uffa0\ufe0f")  # fillers, by any name


def without_surrogates(text: str) -> str:
    """Half a surrogate pair can't be encoded; a model's JSON may carry one all the same."""
    return _SURROGATES.sub("\ufffd", text)


def is_blank(text: str) -> bool:
    """Whether nothing in it can be seen: a platform would call it empty."""
    return all(
        character in _INVISIBLE_LETTERS or unicodedata.category(character) in _INVISIBLE_CATEGORIES
        for character in text
    )
