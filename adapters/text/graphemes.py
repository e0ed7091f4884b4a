"""Where a person sees one character end and the next begin, as far as cutting a text needs it.

The rules are those of UAX #29 that matter in chats: combining marks, joined and coloured emoji,
flags and Hangul syllables. A full segmentation would need a dependency with its own tables.
"""

import unicodedata

_ZWJ = "\u200d"
_EXTENDING = frozenset({"Mn", "Me", "Mc"})
_SEARCH_LIMIT = 64  # a cluster longer than this is not a character but an attack


def is_boundary(text: str, index: int) -> bool:
    """Whether `text` may be cut before `index` without taking a character apart."""
    if index <= 0 or index >= len(text):
        return True
    before, after = text[index - 1], text[index]
    if before == "\r" and after == "\n":
        return False
    if before == _ZWJ or _extends(after):
        return False
    if _is_flag_letter(after) and _is_flag_letter(before):
        return _flag_letters_before(text, index) % 2 == 0
    return not (_is_hangul(before) and _is_hangul_tail(after))


def boundary_at_or_before(text: str, index: int, least: int) -> int:
    """The last boundary in (least, index]; `index` itself if there is none near."""
    for candidate in range(index, max(least, index - _SEARCH_LIMIT), -1):
        if is_boundary(text, candidate):
            return candidate
    return index


def _extends(character: str) -> bool:
    return (
        character == _ZWJ
        or "\U0001f3fb" <= character <= "\U0001f3ff"  # skin tones
        or "\U000e0020" <= character <= "\U000e007f"  # tags, in the flags of regions
        or (character > "\u02ff" and unicodedata.category(character) in _EXTENDING)
    )


def _is_flag_letter(character: str) -> bool:
    return "\U0001f1e6" <= character <= "\U0001f1ff"


def _flag_letters_before(text: str, index: int) -> int:
    start = index
    while start > 0 and _is_flag_letter(text[start - 1]):
        start -= 1
    return index - start


def _is_hangul(character: str) -> bool:
    return "\u1100" <= character <= "\u11ff" or "\uac00" <= character <= "\ud7a3"


def _is_hangul_tail(character: str) -> bool:
    return "\u1160" <= character <= "\u11ff"
