"""The family `skills`: an agent looks up how something is done, and writes down what it learned.

What a skill is and where it lies is `gateway.skills`' business.
"""

import asyncio
from collections.abc import Callable, Iterator
from dataclasses import replace
from functools import partial
from typing import Annotated, Literal, TypeVar

from pydantic import Field

from gateway.skills.library import FOLDER, Skills
from gateway.skills.skill import FILE, BadSkill, Skill, check_name
from gateway.tools.file_changes import approval, removed, written
from gateway.tools.multipatch import Change
from gateway.tools.patching import NoSuchPassage, diff, patched
from gateway.tools.tool import Approval, Arguments, Risk, ToolContext, ToolFailed, tool
from gateway.tools.untrusted import marked
from gateway.workspace.workspace import Workspace

_OWN = "[A note of this chat's own, none of the installation's skills.]\n"

_T = TypeVar("_T")

Name = Annotated[str, Field(description="Small letters, digits and -.")]


class SkillTools:
    """Over the skills of the installation and of the chat of each call."""

    def __init__(self, skills: Skills) -> None:
        self._skills = skills

    @tool(is_repeatable=True)
    async def skills_list(self, context: ToolContext) -> str:
        """List the skills that you have, with what each is for."""
        found = await asyncio.to_thread(self._skills.listed, context.workspace)
        rows = [f"{one.name}{' (own)' if one.is_own else ''}: {one.description}" for one in found]
        return "\n".join(rows) or "There are no skills yet."

    @tool(is_repeatable=True, max_output_chars=110_000)
    async def skill_view(
        self,
        context: ToolContext,
        name: Name,
        file_path: Annotated[
            str | None, Field(description="Another file of the skill, e.g. references/api.md.")
        ] = None,
    ) -> str:
        """Read a skill before you do what it is for. Skills of the installation can be relied on;
        one of your own is a note of yours.
        """
        return await _told(self._view, context.workspace, name, file_path)

    async def _ask_manage(self, context: ToolContext, arguments: Arguments) -> Approval | None:
        if not context.must_ask:
            return None
        return await _told(self._question, context.workspace, arguments)

    @tool(risk=Risk.WRITE, is_parallel=False, approve=_ask_manage)
    async def skill_manage(
        self,
        context: ToolContext,
        action: Literal["create", "edit", "patch", "delete", "write_file", "remove_file"],
        name: Name,
        *,
        content: Annotated[
            str | None,
            Field(
                description="For create and edit: the whole SKILL.md: `---`, `name: …`, "
                "`description: …`, `---`, then the text. For write_file: the file's text."
            ),
        ] = None,
        old_string: Annotated[str | None, Field(description="For patch: what is there.")] = None,
        new_string: Annotated[str | None, Field(description="For patch: what is to be.")] = None,
        file_path: Annotated[
            str | None, Field(description="For write_file and remove_file: within the skill.")
        ] = None,
    ) -> str:
        """Keep a skill of this chat: how to do something that took several tries, or that the
        person has explained and will want again. Change one that turned out to be wrong.
        """
        given = {
            "action": action, "name": name, "content": content, "old_string": old_string,
            "new_string": new_string, "file_path": file_path,
        }  # fmt: skip
        return await _told(self._manage, context, given)

    def _manage(self, context: ToolContext, given: Arguments) -> str:
        workspace, action, name = context.workspace, given["action"], given["name"]
        with workspace.changing():  # while no other agent of the chat changes its skills or files
            context.hold_to(partial(self._question, workspace, given))
            if action in {"create", "edit"}:
                text = _given(given["content"])
                return self._write(workspace, name, text, is_new=action == "create")
            if action == "patch":
                return self._patch(workspace, given)
            if action == "delete":
                return self._delete(workspace, name)
            content = _given(given["content"]) if action == "write_file" else None
            return self._change_file(workspace, name, _given(given["file_path"]), content)

    def _question(self, workspace: Workspace, given: Arguments) -> Approval:
        """What is asked before a change: what becomes of which files."""
        action, name = given["action"], check_name(given["name"])
        changes = list(self._changes(workspace, given, f"{FOLDER}/{name}"))
        # A yes to one action is none to another.
        return replace(approval("skill_manage", changes), pattern=f"{action} {name}")

    def _changes(self, workspace: Workspace, given: Arguments, root: str) -> Iterator[Change]:
        match given["action"]:
            case "create" | "edit":
                yield written(workspace, f"{root}/{FILE}", _given(given["content"]))
            case "patch":
                skill = self._found(workspace, given["name"])
                yield Change(f"{root}/{FILE}", skill.text, _patched(skill, given))
            case "write_file":
                path = _given(given["file_path"])
                yield written(workspace, f"{root}/{path}", _given(given["content"]))
            case "remove_file":
                yield removed(workspace, f"{root}/{_given(given['file_path'])}")
            case _:
                skill = self._found(workspace, given["name"])
                for path in (FILE, *self._skills.files(workspace, skill)):
                    yield removed(workspace, f"{root}/{path}")

    def _view(self, workspace: Workspace, name: str, file_path: str | None) -> str:
        skill = self._skills.find(workspace, name)
        if file_path is not None:
            text = self._skills.text_of(workspace, skill, file_path)
            return marked(text, f"the skill {name}") if skill.is_own else text
        files = self._skills.files(workspace, skill)
        tail = "\n\nOther files: " + ", ".join(files) if files else ""
        return (_OWN if skill.is_own else "") + skill.text + tail

    def _write(self, workspace: Workspace, name: str, text: str, is_new: bool) -> str:
        exists = self._own(workspace, name) is not None
        if is_new and exists:
            raise BadSkill(f"There is a skill {name} already: edit or patch it.")
        if not is_new and not exists:
            raise BadSkill(f"There is no skill {name} of this chat.")
        skill = self._skills.write(workspace, name, text)
        return f"The skill {name} is kept: {skill.description}"

    def _patch(self, workspace: Workspace, given: Arguments) -> str:
        skill = self._found(workspace, given["name"])
        after = _patched(skill, given)
        self._skills.write(workspace, skill.name, after)
        return f"Changed the skill {skill.name}.\n{diff(skill.text, after, FILE, 60)}"

    def _delete(self, workspace: Workspace, name: str) -> str:
        self._skills.remove(workspace, name)
        return f"The skill {name} is gone."

    def _change_file(self, workspace: Workspace, name: str, path: str, text: str | None) -> str:
        self._found(workspace, name)
        if path.strip("/").casefold() == FILE.casefold():
            raise BadSkill(f"{FILE} is changed with edit and patch.")
        whole = f"{FOLDER}/{name}/{path}"
        if text is None:
            workspace.remove(whole)
            return f"{path} is gone from the skill {name}."
        with workspace.create(whole, replace=True) as file:
            file.write(text.encode("utf-8", "replace"))
        return f"{path} is part of the skill {name} now."

    def _found(self, workspace: Workspace, name: str) -> Skill:
        skill = self._own(workspace, name)
        if skill is None:
            raise BadSkill(f"There is no skill {name} of this chat.")
        return skill

    def _own(self, workspace: Workspace, name: str) -> Skill | None:
        """The chat's own skill of that name, if it has one that can be read."""
        check_name(name)
        return next(
            (one for one in self._skills.listed(workspace) if one.name == name and one.is_own), None
        )


def _given(value: str | None) -> str:
    if not value:
        raise ToolFailed("Something is missing for this action: see the parameters.")
    return value


def _patched(skill: Skill, given: Arguments) -> str:
    try:
        return patched(skill.text, _given(given["old_string"]), given["new_string"] or "").text
    except NoSuchPassage as error:
        raise BadSkill(str(error)) from error


async def _told(work: Callable[..., _T], *arguments: object) -> _T:
    try:
        return await asyncio.to_thread(work, *arguments)
    except BadSkill as error:
        raise ToolFailed(str(error)) from error
