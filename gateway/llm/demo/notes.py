"""Turns what people say of themselves into notes, notes into answers, and finds the note that a
question is about. Pure; English only, as the demo is.
"""

import re
from collections.abc import Callable, Sequence

from gateway.llm.demo.turn import Note

_MODALS = "am|can|will|must|should|would|could|may|might|did|had|was|do|don't|have|haven't"

_STOP_WORDS = """
a about again an and am are be been can could did do does for from had has have how i in is it know
me my of on or please remember say tell that the to user was were what what's when where which who
who's whose why will with would you your
"""
_QUOTED = re.compile(r"^[\"'“]([^\"“”]*)[\"'”]$")
STOP_WORDS = frozenset(_STOP_WORDS.split())


def to_note(said: str) -> Note:
    """ "my cat is called Luna" → "The user's cat is called Luna.", a note about the user."""
    text = _QUOTED.sub(r"\1", said.strip().rstrip(".!")).rstrip(".!").strip()
    note = text
    for pattern, replacement in _TO_NOTE:
        note = pattern.sub(replacement, note)
    target = "memory" if note == text else "user"
    return Note(target, _sentence(note))


def to_answer(note: str) -> str:
    """ "The user's cat is called Luna." → "Your cat is called Luna." """
    for pattern, replacement in _TO_ANSWER:
        note = pattern.sub(replacement, note)
    return _sentence(note)


def find_note(question: str, notes: Sequence[Note]) -> Note | None:
    """The note that shares the most words with a question, the latest of equals."""
    wanted = _words(question)
    scored = [(len(wanted & _words(note.text)), i) for i, note in enumerate(notes)]
    score, index = max(scored, default=(0, 0))
    return notes[index] if score else None


def _words(text: str) -> set[str]:
    words = re.findall(r"[^\W_]+(?:'[^\W_]+)?", text.casefold().replace("’", "'"))
    stems = {_singular(word.removesuffix("'s")) for word in words if word not in STOP_WORDS}
    return stems - STOP_WORDS


def _singular(word: str) -> str:
    return word[:-1] if len(word) > 3 and word.endswith("s") and not word.endswith("ss") else word


def _sentence(text: str) -> str:
    text = text[:1].upper() + text[1:]
    return text if text.endswith((".", "!", "?")) else f"{text}."


def _third_person(match: re.Match[str]) -> str:
    verb = match[1]
    if re.search(r"(?:s|sh|ch|x|z|o)$", verb):
        return f"the user {verb}es"
    if re.search(r"[^aeiou]y$", verb):
        return f"the user {verb[:-1]}ies"
    return f"the user {verb}s"


def _second_person(match: re.Match[str]) -> str:
    verb = match[1]
    if re.search(r"(?:ss|sh|ch|x|zz|o)es$", verb):
        return f"you {verb[:-2]}"
    return f"you {verb[:-3]}y" if verb.endswith("ies") else f"you {verb.removesuffix('s')}"


Replacement = str | Callable[[re.Match[str]], str]


def _rules(*pairs: tuple[str, Replacement]) -> list[tuple[re.Pattern[str], Replacement]]:
    return [(re.compile(pattern, re.IGNORECASE), replacement) for pattern, replacement in pairs]


_TO_NOTE = _rules(
    (r"\bmy\b", "the user's"),
    (r"\bi(?:'m|’m| am)\b", "the user is"),
    (r"\bi(?:'ve|’ve| have)\b", "the user has"),
    (r"\bi (?:don't|don’t|do not)\b", "the user doesn't"),
    (rf"\bi ({_MODALS})\b", r"the user \1"),
    (r"\bi ([a-z]+)\b", _third_person),
    (r"\b(?:me|myself)\b", "the user"),
)
_TO_ANSWER = _rules(
    (r"\bthe user's\b", "your"),
    (r"\bthe user is\b", "you are"),
    (r"\bthe user was\b", "you were"),
    (r"\bthe user has\b", "you have"),
    (r"\bthe user doesn't\b", "you don't"),
    (rf"\bthe user ({_MODALS})\b", r"you \1"),
    (r"\bthe user ([a-z]+s)\b", _second_person),
    (r"\bthe user\b", "you"),
)
