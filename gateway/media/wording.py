"""What a model is told of the things that were sent.

Names and types are what a sender says; they are shown as labels, cut and without line ends. What
stands in a file is marked as data.
"""

import re

from gateway.reading.source import Text
from gateway.tools.untrusted import marked

_MEDIA_TYPE = re.compile(r"[\w.+-]{1,60}/[\w.+-]{1,80}", re.ASCII)
MAX_LABEL_CHARS = 100


def size_text(size_bytes: int) -> str:
    """`1.2 MB`."""
    if size_bytes < 1_000:
        return f"{size_bytes} bytes"
    if size_bytes < 1_000_000:
        return f"{size_bytes / 1_000:.0f} KB"
    return f"{size_bytes / 1_000_000:.1f} MB"


def label(name: str) -> str:
    """What somebody calls a thing, as one short line that can't end its brackets."""
    kept = (c if c.isprintable() and c not in "[]" else " " for c in name)
    return " ".join("".join(kept).split())[:MAX_LABEL_CHARS]


def picture_seen(path: str, width: int, height: int) -> str:
    """Of a picture that goes with the message."""
    return f"[Picture {path}, {width} × {height}.]"


def picture_unseen(path: str, why: str) -> str:
    """Of one that does not; `why` is a sentence."""
    return f"[Picture {path}, which you don't see: {why}]"


def heard(path: str, duration_s: float | None, text: str, *, is_own: bool = True) -> str:
    """Of speech that was turned into text; somebody else's is data, like a file of theirs."""
    said = text if is_own else marked(text, "a recording of somebody else's")
    return f"[{_recording(path, duration_s)}, as a machine has understood it:]\n{said}"


def unheard(path: str, duration_s: float | None, why: str) -> str:
    """Of speech that was not; `why` is a sentence."""
    return f"[{_recording(path, duration_s)}, which you can't hear: {why}]"


def text_file(path: str, size_bytes: int, text: str) -> str:
    """Of a file whose text goes with the message."""
    return f"[File {path}, {size_text(size_bytes)}.]\n{marked(text.rstrip(), f'the file {path}')}"


def other_file(path: str, size_bytes: int, media_type: str | None) -> str:
    """Of any other file."""
    kind = f", {media_type}" if media_type and _MEDIA_TYPE.fullmatch(media_type) else ""
    return f"[File {path}, {size_text(size_bytes)}{kind}.]"


def document(path: str, size_bytes: int, kind: str, found: Text) -> str:
    """Of a document whose text goes with the message."""
    head = f"[File {path}, {size_text(size_bytes)}, {_with_pages(kind, found)}.]"
    return f"{head}\n{marked(found.text.strip(), f'the file {path}')}"


def long_document(path: str, size_bytes: int, kind: str, found: Text) -> str:
    """Of one that is too long for that."""
    what = _with_pages(kind, found)
    return (
        f"[File {path}, {size_text(size_bytes)}, {what}: more text than goes with a message; "
        "read_file shows any part of it.]"
    )


def unread(path: str, size_bytes: int, kind: str, why: str) -> str:
    """Of one that could not be read; `why` is a sentence."""
    return f"[File {path}, {size_text(size_bytes)}, {kind}, which can't be read: {why}]"


def not_there(name: str, why: str) -> str:
    """Of something that was sent and could not be had; `why` is a sentence."""
    return f"[{label(name)} was sent and is not here: {why}]"


def _recording(path: str, duration_s: float | None) -> str:
    length = f", {duration_s:.0f} s" if duration_s is not None else ""
    return f"Spoken message {path}{length}"


def _with_pages(kind: str, found: Text) -> str:
    if found.pages is None:
        return kind
    return f"{kind} of {found.pages} page{'s' * (found.pages != 1)}"
