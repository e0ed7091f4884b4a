"""An agent's notes and skills as files in one folder: MEMORY.md, USER.md and skills/*.md.

A skill's name is its file's, its description the first line that says something.
"""

from pathlib import Path
from typing import Any

NOTES = {"memory": "MEMORY.md", "user": "USER.md"}
SKILLS = "skills"


def read_notes(folder: Path) -> dict[str, str]:
    """The texts by kind; what is not there is empty."""
    return {kind: _read(folder / name) for kind, name in NOTES.items()}


def write_notes(folder: Path, notes: dict[str, str]) -> None:
    """Put the notes in place, each file whole or not at all."""
    folder.mkdir(parents=True, exist_ok=True)
    for kind, name in NOTES.items():
        new = folder / f".{name}.new"
        new.write_text(notes[kind], encoding="utf-8")
        new.replace(folder / name)


def read_skills(folder: Path) -> list[dict[str, Any]]:
    """The skills in the order of their names."""
    found = []
    for path in sorted((folder / SKILLS).glob("*.md")):
        content = _read(path)
        described = next((line.strip("# \t") for line in content.splitlines() if line.strip()), "")
        found.append({"name": path.stem, "description": described, "content": content})
    return found


def _read(path: Path) -> str:
    return path.read_text(encoding="utf-8") if path.is_file() else ""
