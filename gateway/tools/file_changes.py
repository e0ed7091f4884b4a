"""What a call of `write_file` or `patch` makes of files: worked out, shown, and carried out.

How a passage is found is `patching`'s business, how a patch of several files is read that of
`multipatch`. All of it blocks; whoever carries out holds `Workspace.changing` from before.
"""

from collections.abc import Sequence

from gateway.tools.approvals import fenced, inline
from gateway.tools.file_text import whole_text
from gateway.tools.multipatch import BadPatch, Change, changes_of
from gateway.tools.patching import NoSuchPassage, diff, patched
from gateway.tools.tool import Approval, Arguments, ToolFailed
from gateway.workspace.errors import NotThere, WorkspaceError
from gateway.workspace.workspace import Workspace

_DIFF_LINES = 120  # in a result
_ALL = 10**9  # lines


def written(workspace: Workspace, path: str, content: str) -> Change:
    """What writing a whole file changes; what is no text is not shown, but told."""
    try:
        return Change(path, whole_text(workspace, path), content)
    except NotThere:
        return Change(path, None, content)
    except ToolFailed as error:
        return Change(path, None, content, replaced=f"What is replaced: {error}")


def removed(workspace: Workspace, path: str) -> Change:
    """What deleting a file changes. Raises `WorkspaceError`."""
    try:
        return Change(path, whole_text(workspace, path), None)
    except ToolFailed as error:
        return Change(path, None, None, replaced=f"What is deleted: {error}")


def patched_files(workspace: Workspace, given: Arguments) -> list[Change]:
    """What a call of `patch` makes of which files. Raises `ToolFailed` and `WorkspaceError`."""
    path, new = given["path"], given["new_string"]
    try:
        if given["patch"]:
            if path or given["old_string"]:
                raise ToolFailed("Give either a patch, or path, old_string and new_string.")
            return changes_of(given["patch"], lambda path: _text_or_none(workspace, path))
        if not path or new is None:
            raise ToolFailed("Give path, old_string and new_string, or else a patch.")
        before = whole_text(workspace, path)
        done = patched(before, given["old_string"], new, everywhere=given["replace_all"])
    except (NoSuchPassage, BadPatch) as error:
        raise ToolFailed(f"Nothing was changed. {error}") from error
    return [Change(path, before, done.text)]


def carry_out(workspace: Workspace, changes: Sequence[Change]) -> None:
    """All of them, or none if one fails. Raises `WorkspaceError`."""
    done: list[Change] = []
    try:
        for change in changes:
            _put(workspace, change.path, change.after)
            done.append(change)
    except WorkspaceError:
        for change in reversed(done):
            _put(workspace, change.path, change.before)
        raise


def told(change: Change, max_lines: int = _DIFF_LINES) -> str:
    """The change as a unified diff."""
    return diff(change.before or "", change.after or "", change.path, max_lines)


def in_words(change: Change) -> str:
    """What was done, with the diff."""
    did = "Deleted" if change.after is None else "Wrote" if change.before is None else "Changed"
    return f"{did} {change.path}.\n{told(change)}"


def approval(kind: str, changes: Sequence[Change]) -> Approval:
    """The question before it."""
    paths = ", ".join(change.path for change in changes)
    # All of it: whoever approves has to see the last line as well.
    parts = [part for change in changes for part in (change.replaced, told(change, _ALL)) if part]
    # No path holds a tab, so none looks like two.
    pattern = "\t".join(change.path for change in changes)
    return Approval(kind, pattern, f"{inline(paths)}\n\n" + fenced("\n".join(parts), "diff"))


def _put(workspace: Workspace, path: str, text: str | None) -> None:
    if text is None:
        workspace.remove(path)
        return
    with workspace.create(path, replace=True) as file:
        file.write(text.encode("utf-8", "replace"))


def _text_or_none(workspace: Workspace, path: str) -> str | None:
    try:
        return whole_text(workspace, path)
    except NotThere:
        return None
