"""What a path in a workspace may look like, and names that are safe to give to files. Pure.

A path is relative and has `/` between its parts. Nothing here looks at the disk: links and devices
are `workspace`'s business.
"""

import hashlib
import re
import unicodedata

from gateway.workspace.errors import BadPath

MAX_PARTS = 32
MAX_NAME_BYTES = 255  # of nearly every file system
MAX_SAFE_BYTES = 120  # leaves room for a number, and for a person's eye
PARTIAL_PREFIX = ".partial-"
"""Begins the names of files that are still being written; nobody else may give such a name."""

_READABLE = re.compile(r"[^A-Za-z0-9_-]+")


def parts_of(path: str) -> tuple[str, ...]:
    """The names on the way from the workspace's root; none for the root itself.

    Raises `BadPath`.
    """
    if path.startswith(("/", "~")):
        raise BadPath("Paths are relative to the workspace, like notes/plan.md.")
    if "\\" in path:
        raise BadPath("Folders are divided by /, not by a backslash.")
    if any(unicodedata.category(character) in {"Cc", "Cs"} for character in path):
        raise BadPath("The path holds a character that no file name may have.")
    parts = tuple(part for part in path.split("/") if part not in {"", "."})
    if ".." in parts:
        raise BadPath("The path may not hold `..`: everything is in the workspace.")
    if len(parts) > MAX_PARTS or any(len(part.encode()) > MAX_NAME_BYTES for part in parts):
        raise BadPath("The path is too long.")
    if any(part.startswith(PARTIAL_PREFIX) for part in parts):
        raise BadPath(f"Names that begin with {PARTIAL_PREFIX} are the workspace's own.")
    return parts


def file_parts(path: str) -> tuple[str, ...]:
    """The same for what has to have a name. Raises `BadPath`."""
    parts = parts_of(path)
    if not parts:
        raise BadPath("A path is missing.")
    return parts


def safe_name(name: str) -> str:
    """A file's name, whatever it was called elsewhere: one part, visible, and not too long."""
    last = unicodedata.normalize("NFC", name.replace("\\", "/").rsplit("/", 1)[-1])
    kept = "".join(c if _is_plain(c) else "_" for c in last).strip(". ")
    stem, dot, suffix = kept.rpartition(".")
    if not stem or len(suffix.encode()) > 16:
        stem, dot, suffix = kept, "", ""
    return _cut(stem, MAX_SAFE_BYTES) + dot + suffix if stem else "file"


def numbered(name: str, number: int) -> str:
    """`photo.jpg` → `photo-2.jpg`; the first of a name is called as it is."""
    if number == 1:
        return name
    stem, dot, suffix = name.rpartition(".")
    return f"{stem}-{number}.{suffix}" if dot and stem else f"{name}-{number}"


def folder_of(chat: str) -> str:
    """The name of a chat's folder: to be recognised by a person, and never that of another."""
    digest = hashlib.sha256(chat.encode("utf-8", "surrogatepass")).hexdigest()[:16]
    return f"{_READABLE.sub('_', chat).strip('_')[:60]}-{digest}"


def _is_plain(character: str) -> bool:
    """No control, format or private character (a name may not read backwards), no mark that means
    something to a shell or on another system, and no bracket: a model is told of files in them."""
    return (
        unicodedata.category(character)[0] != "C" and character not in '~/\\:*?"<>|`$[]\u2028\u2029'
    )


def _cut(text: str, limit_bytes: int) -> str:
    return text.encode()[:limit_bytes].decode("utf-8", "ignore")
