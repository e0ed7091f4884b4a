"""The skills on the disk: the installation's, which an administrator puts there, and each chat's.

Those of a chat lie in its workspace, where its agent writes them; so they are looked at anew each
time, and one that is no skill, or no safe one, is passed over. All methods block.
"""

from collections.abc import Callable, Sequence
from pathlib import Path

import structlog

from config.tools import SkillSettings
from gateway.skills.skill import FILE, BadSkill, Skill, check_name, read_skill
from gateway.workspace.errors import NotThere, WorkspaceError
from gateway.workspace.paths import parts_of
from gateway.workspace.workspace import Workspace

FOLDER = "skills"
MAX_LISTED = 200
_MAX_FILE_CHARS = 100_000
_BYTES_PER_CHAR = 4  # at most, in UTF-8

_log = structlog.get_logger()


class Skills:
    """The skills of all chats; `shared` is the installation's folder."""

    def __init__(self, shared: Path, settings: Callable[[], SkillSettings]) -> None:
        self._shared = Workspace(shared)
        self._settings = settings

    def listed(self, workspace: Workspace) -> list[Skill]:
        """All skills that a chat has, by name; its own go before the installation's."""
        found: dict[str, Skill] = {}
        for place, root, is_own in ((self._shared, "", False), (workspace, FOLDER, True)):
            names = _names(place, root)
            # A program of the chat can make any number of folders; each is read at each waking.
            for name in names[: self._settings().max_skills] if is_own else names:
                try:
                    found[name] = self._read(place, root, name, is_own=is_own)
                except (BadSkill, WorkspaceError) as error:
                    _log.info("skill passed over", skill=name, reason=str(error))
        return [found[name] for name in sorted(found)][:MAX_LISTED]

    def find(self, workspace: Workspace, name: str) -> Skill:
        """One skill. Raises `BadSkill` and `WorkspaceError`."""
        check_name(name)
        try:
            return self._read(workspace, FOLDER, name, is_own=True)
        except NotThere:
            return self._read(self._shared, "", name, is_own=False)

    def files(self, workspace: Workspace, skill: Skill) -> list[str]:
        """The other files of a skill, as paths in it."""
        place, root = (workspace, f"{FOLDER}/{skill.name}") if skill.is_own else (
            self._shared,
            skill.name,
        )  # fmt: skip
        waiting, found = [root], list[str]()
        while waiting and len(found) < MAX_LISTED:
            for entry in place.list(waiting.pop()):
                if entry.is_folder:
                    waiting.append(entry.path)
                elif (path := entry.path.removeprefix(f"{root}/")) != FILE:
                    found.append(path)
        return sorted(found)

    def text_of(self, workspace: Workspace, skill: Skill, path: str) -> str:
        """Another file of a skill. Raises `BadSkill` and `WorkspaceError`."""
        parts = parts_of(path)
        root = (FOLDER, skill.name) if skill.is_own else (skill.name,)
        place = workspace if skill.is_own else self._shared
        return _text(place, "/".join((*root, *parts)), _MAX_FILE_CHARS)

    def write(self, workspace: Workspace, name: str, text: str) -> Skill:
        """Make or replace a skill of the chat. Raises `BadSkill` and `WorkspaceError`."""
        settings = self._settings()
        skill = read_skill(name, text, is_own=True, max_chars=settings.max_chars)
        own = _names(workspace, FOLDER)
        if name not in own and len(own) >= settings.max_skills:
            raise BadSkill(f"There are {len(own)} skills already, and no more are allowed.")
        with workspace.create(f"{FOLDER}/{name}/{FILE}", replace=True) as file:
            file.write(text.encode("utf-8", "replace"))
        return skill

    def remove(self, workspace: Workspace, name: str) -> None:
        """Delete a skill of the chat. Raises `BadSkill` and `WorkspaceError`."""
        root = f"{FOLDER}/{check_name(name)}"
        folders = [root]
        for folder in folders:  # grows while it is walked
            for entry in workspace.list(folder):
                if entry.is_folder:
                    folders.append(entry.path)
                else:
                    workspace.remove(entry.path)
        for folder in reversed(folders):
            workspace.remove(folder)

    def _read(self, place: Workspace, root: str, name: str, *, is_own: bool) -> Skill:
        path = "/".join(filter(None, (root, name, FILE)))
        max_chars = self._settings().max_chars
        text = _text(place, path, max_chars)
        return read_skill(name, text, is_own=is_own, max_chars=max_chars)


def _names(place: Workspace, root: str) -> Sequence[str]:
    try:
        return [entry.name for entry in place.list(root) if entry.is_folder]
    except WorkspaceError:  # nobody has put anything there
        return []


def _text(place: Workspace, path: str, max_chars: int) -> str:
    with place.open_read(path) as file:
        content = file.read(max_chars * _BYTES_PER_CHAR + 1)
    if len(content) > max_chars * _BYTES_PER_CHAR:
        raise BadSkill(f"{path.rpartition('/')[2]} is longer than {max_chars:,} characters.")
    try:
        return content.decode()
    except UnicodeDecodeError as error:
        raise BadSkill(f"{path.rpartition('/')[2]} is no text in UTF-8.") from error
