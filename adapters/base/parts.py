"""What goes out: a reply in parts that each fit one message, and the marks under a person's."""

from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path
from typing import Literal

from adapters.base.events import MediaKind


@dataclass(frozen=True, slots=True)
class Button:
    """A labelled button; `data` comes back in the `ButtonPress`: at most 64 bytes of UTF-8."""

    label: str
    data: str
    meaning: Literal["plain", "good", "bad"] = "plain"  # for platforms that have colours
    opens_form: bool = False  # where there are forms, it asks for a text, which the press brings


@dataclass(frozen=True, slots=True)
class OutgoingFile:
    """A file on this machine that is to be shown. The host has checked that it may be."""

    path: Path
    kind: MediaKind
    name: str  # what the person sees
    caption: str = ""  # what is said of it, in Markdown


@dataclass(frozen=True, slots=True)
class Part:
    """What is shown at once; `payload` is the adapter's own rendered form of it.

    It is one message, but for several files where a platform makes one message of each (an album).
    A part with files is never edited into one without, or back. One with several has no buttons.
    """

    text: str  # the plain text, for logs and comparison; what is said of its files
    payload: object = None  # e.g. message entities; compared with ==
    buttons: tuple[tuple[Button, ...], ...] = ()  # rows of buttons
    files: tuple[OutgoingFile, ...] = ()


class Style(StrEnum):
    """What a text is, for platforms that show such things in a form of their own."""

    ANSWER = "answer"
    QUESTION = "question"
    APPROVAL = "approval"
    STATUS = "status"


class Mark(StrEnum):
    """How far a person's message has come, shown by a reaction to it."""

    SEEN = "seen"
    DONE = "done"
    FAILED = "failed"
