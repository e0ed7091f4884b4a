"""What is to be read, wherever its bytes are."""

from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True, slots=True)
class Source:
    """Something to read, of which somebody has said what it is.

    Its bytes are `content`, or those of `file` where there is one.
    """

    url: str  # what addresses in it are relative to
    media_type: str
    charset: str | None
    content: bytes = b""
    file: Path | None = None
