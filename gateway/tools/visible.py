"""Shows a text with nothing in it that a person would not see, or would take for something else.

Whoever approves has to read what will be done: not with letters that turn a line round
(CVE-2021-42574), hide in it or look like others (UTS #39), and not with the end of it behind a
thousand blanks. Pure.
"""

import re
import unicodedata
from collections.abc import Iterator

_BLANKS = " \t\u00a0\u202f\u3000"  # those that languages are written with
_GAP = re.compile(rf"[{_BLANKS}]{{40,}}|\n(?:[{_BLANKS}]*\n){{9,}}")
"""What would push the rest out of sight."""

_UNSEEN = frozenset({"Cc", "Cf", "Cs", "Co", "Cn", "Zl", "Zp", "Zs"})
_BLANK_LETTERS = frozenset(
    "\u034f\u115f\u1160\u17b4\u17b5\u180b\u180c\u180d\u180f\u2800\u3164\uffa0\U00016fe4\U0001d159"
).union(map(chr, range(0xFE00, 0xFE10)), map(chr, range(0xE0100, 0xE01F0)))
"""Nothing is drawn for them, although they count as letters or as marks on one (Unicode's
Default_Ignorable_Code_Point, and some that fonts leave empty)."""

_EMOJI_STYLE = "\ufe0f"
_STACKING = frozenset({"Mn", "Me"})
_MAX_STACKED = 4
"""Marks on one letter, more than any language needs; a tower of them covers the lines around it."""

_LOOKALIKES = frozenset(
    # Cyrillic, then Greek, Armenian, Cherokee, letters of phonetics and Roman numerals
    "\u0430\u0435\u043e\u0440\u0441\u0443\u0445\u0456\u0458\u0455\u04bb\u0501\u051b\u051d\u0410"
    "\u0412\u0415\u0405\u0406\u0408\u041a\u041c\u041d\u041e\u0420\u0421\u0422\u0425\u0423\u0474"
    "\u0391\u0392\u0395\u0396\u0397\u0399\u039a\u039c\u039d\u039f\u03a1\u03a4\u03a5\u03a7\u03bf"
    "\u0475\u04c0\u04cf\u03b1\u03b9\u03bd\u03c1\u03c5\u0566\u0570\u0575\u0578\u057d\u0581\u0585"
    "\u13a0\u13a1\u13a2\u13a5\u13aa\u13ab\u13ac\u13b3\u13b7\u13bb\u13c0\u13c3\u13cf\u13d2\u13d4"
    "\u13d5\u13d9\u13da\u13de\u13df\u13e2\u13e6\u13e7\u13f4\u0251\u0261\u0269"
    "\u2160\u2164\u2169\u216c\u216d\u216e\u216f\u2170\u2174\u2179\u217c\u217d\u217e\u217f"
)
"""Letters that many fonts draw like Latin ones. Others of their scripts tell a word apart."""

_WORDS = re.compile(r"\S+")
_WORD = re.compile(r"\w+")


def visible(text: str) -> str:
    """The text, with the code points of what can't be seen, or not be told from something else."""
    return _GAP.sub(_gap_in_words, _WORDS.sub(_told_apart, "".join(_seen(text))))


def _gap_in_words(gap: re.Match[str]) -> str:
    if not gap[0].startswith("\n"):
        return f" ⟨{len(gap[0])} blanks⟩ "
    # On a line of its own: what came to stand beside the marks of a code block would not be shown.
    lines = gap[0].count("\n") - 1
    return f"\n⟨{lines} empty lines⟩\n"


def _seen(text: str) -> Iterator[str]:
    before, stacked = "", 0
    for character in text:
        category = unicodedata.category(character)
        stacked = stacked + 1 if category in _STACKING else 0
        is_style = character == _EMOJI_STYLE and unicodedata.category(before or " ") == "So"
        is_blank = character in _BLANK_LETTERS and not is_style
        is_unseen = category in _UNSEEN and character != "\n" and character not in _BLANKS
        is_hidden = is_blank or is_unseen or stacked > _MAX_STACKED
        yield _code(character) if is_hidden else character
        before = character


def _told_apart(words: re.Match[str]) -> str:
    """Something without blanks, such as a path: its letters are Latin, or plainly are not."""
    if words[0].isascii() or not _has_latin(words[0]):
        return words[0]
    return _WORD.sub(_told_apart_in_word, words[0])


def _told_apart_in_word(word: re.Match[str]) -> str:
    letters = [letter for letter in word[0] if letter.isalpha()]
    if _has_latin(word[0]) or all(letter in _LOOKALIKES for letter in letters):
        return "".join(_code(one) if one in _LOOKALIKES else one for one in word[0])
    return word[0]


def _has_latin(text: str) -> bool:
    return any(letter.isascii() and letter.isalpha() for letter in text)


def _code(character: str) -> str:
    return f"⟨U+{ord(character):04X}⟩"
