"""What a skill is: a `SKILL.md` with a name and a description in front, and text. Pure.

The name and the description stand in the system prompt, so a skill that an agent or a program of
its chat has written is scanned as a whole, and its description is kept to one line.
"""

import re
from dataclasses import dataclass

import yaml

from agent_core.injection import scan

FILE = "SKILL.md"
MAX_DESCRIPTION_CHARS = 200
MAX_WORD_CHARS = 500
"""Whatever is scanned for takes the square of its longest word, and all chats wait meanwhile."""

NAME = r"[a-z0-9][a-z0-9-]{0,47}"
_NAME = re.compile(NAME)
_FRONT_MATTER = re.compile(r"\A---\r?\n(.*?)\r?\n---\r?\n?(.*)\Z", re.DOTALL)
_CONTROL = re.compile(r"[\x00-\x1f\x7f\u2028\u2029]+")


class BadSkill(Exception):
    """A text is no skill, or none that may be used; the text says why."""


@dataclass(frozen=True, slots=True)
class Skill:
    """A skill, with all of its text."""

    name: str
    description: str
    text: str  # the whole file
    is_own: bool  # written in the chat; the others are the installation's


def check_name(name: str) -> str:
    """The name, if it may be one. Raises `BadSkill`."""
    if not _NAME.fullmatch(name):
        raise BadSkill("A skill's name is of small letters, digits and `-`, at most 48.")
    return name


def read_skill(name: str, text: str, *, is_own: bool, max_chars: int) -> Skill:
    """The skill in a file that lies in the folder of that name. Raises `BadSkill`."""
    check_name(name)
    if len(text) > max_chars:
        raise BadSkill(f"A skill has at most {max_chars:,} characters; this one has {len(text):,}.")
    match = _FRONT_MATTER.match(text)
    if match is None:
        raise BadSkill(f"{FILE} begins with a line `---`, then `name:` and `description:`, `---`.")
    description = _description(name, match[1])
    if is_own and max(map(len, text.split())) > MAX_WORD_CHARS:
        raise BadSkill(f"A word in the skill has more than {MAX_WORD_CHARS} characters.")
    if is_own and (found := scan(text)):
        raise BadSkill(f"The skill contains {found}.")
    if not match[2].strip():
        raise BadSkill("The skill says nothing beside its name.")
    return Skill(name, description, text, is_own)


def _description(name: str, front: str) -> str:
    try:
        fields = yaml.safe_load(front)
    # Not only YAML's own: a date that is none, or brackets without end. Such a file may not keep
    # its chat from talking.
    except (yaml.YAMLError, ValueError, RecursionError) as error:
        raise BadSkill("What stands between the lines `---` is not valid YAML.") from error
    if not isinstance(fields, dict) or fields.get("name") != name:
        raise BadSkill(f"`name:` must be that of the folder, {name}.")
    description = fields.get("description")
    if not isinstance(description, str) or not description.strip():
        raise BadSkill("`description:` is missing: when is the skill of use?")
    return _CONTROL.sub(" ", description).strip()[:MAX_DESCRIPTION_CHARS]
