"""Answers as models write them, in Markdown and in many languages; written for these tests.

Each file of `markdown/` is a theme, and holds answers with a line of `%%%%` between them. They know
no platform: whatever shows answers can be tried with them.
"""

from dataclasses import dataclass
from pathlib import Path

_FOLDER = Path(__file__).parent / "markdown"
_BETWEEN = "\n%%%%\n"


@dataclass(frozen=True, slots=True)
class Answer:
    """One answer; `name` says where it stands, such as `code 7`."""

    theme: str
    name: str
    markdown: str


def read_answers() -> list[Answer]:
    """All of them, in order."""
    return [
        Answer(path.stem, f"{path.stem} {number}", markdown)
        for path in sorted(_FOLDER.glob("*.md"))
        for number, markdown in enumerate(_read(path).split(_BETWEEN), start=1)
    ]


def _read(path: Path) -> str:
    return path.read_text(encoding="utf-8").removesuffix("\n")
