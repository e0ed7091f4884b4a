"""The family `files`: read, write, change and search the files of the chat.

Where a path leads is the workspace's business (`gateway.workspace`), what becomes of a file that of
`file_changes`. What stands in a file may come from anybody: it is shown as data.
"""

import asyncio
from contextlib import aclosing
from functools import partial
from typing import Annotated, Literal

from pydantic import Field

from gateway.reading.documents import Documents
from gateway.reading.errors import ReadingError
from gateway.tools import file_changes, searching
from gateway.tools.file_text import Shown, lines_in, lines_of, open_text
from gateway.tools.tool import Approval, Arguments, Risk, ToolContext, ToolFailed, tool
from gateway.tools.untrusted import marked
from gateway.workspace.workspace import Workspace

_READ_CHARS = 40_000
_MAX_LINES = 2_000
_READ_TIMEOUT_S = 120.0  # of a long document that has to be read from its beginning

Path = Annotated[
    str, Field(description="Within the chat's own folder, such as notes/plan.md.", min_length=1)
]


class FileTools:
    """Over the workspace that each call brings along."""

    def __init__(self, documents: Documents) -> None:
        self._documents = documents

    async def _ask_write(self, context: ToolContext, arguments: Arguments) -> Approval | None:
        if not context.must_ask:
            return None
        path, content = arguments["path"], arguments["content"]
        change = await asyncio.to_thread(file_changes.written, context.workspace, path, content)
        return file_changes.approval("write_file", [change])

    async def _ask_patch(self, context: ToolContext, arguments: Arguments) -> Approval | None:
        if not context.must_ask:
            return None
        changes = await asyncio.to_thread(file_changes.patched_files, context.workspace, arguments)
        return file_changes.approval("patch", changes)

    @tool(timeout_s=_READ_TIMEOUT_S, max_output_chars=_READ_CHARS + 2_000, is_repeatable=True)
    async def read_file(
        self,
        context: ToolContext,
        path: Path,
        offset: Annotated[int, Field(ge=1, description="The first line to show.")] = 1,
        limit: Annotated[int, Field(ge=1, le=_MAX_LINES, description="How many lines.")] = 500,
    ) -> str:
        """Read a text file of this chat's folder, or the text of a PDF or Word document, with line
        numbers. What people sent is in inbox/, long results of tools in tool-results/.
        """
        shown = Shown(offset, limit, _READ_CHARS)
        kind = await self._documents.kind(context.workspace, path)
        if kind is None:
            return await asyncio.to_thread(_part, context.workspace, path, shown)
        return await self._document(context.workspace, path, kind.name, shown)

    async def _document(self, workspace: Workspace, path: str, kind: str, shown: Shown) -> str:
        pages = ""
        try:
            async with aclosing(self._documents.parts(workspace, path)) as parts:
                async for part in parts:
                    if part.pages is not None:
                        pages = f" of {part.pages} page{'s' * (part.pages != 1)}"
                    text = part.text if part.next_page is None else f"{part.text}\n"
                    if not await asyncio.to_thread(shown.take, lines_in(text, shown.last + 1)):
                        break
        except ReadingError as error:
            raise ToolFailed(f"{path}: {error}") from error
        return f"{path} is a {kind}{pages}. This is its text:\n{shown.text(path)}"

    @tool(risk=Risk.WRITE, is_parallel=False, approve=_ask_write)
    async def write_file(self, context: ToolContext, path: Path, content: str) -> str:
        """Write a text file in this chat's folder, or replace one; folders are made. To change a
        part of a file, use patch.
        """
        return await asyncio.to_thread(_write, context, path, content)

    @tool(risk=Risk.WRITE, is_parallel=False, timeout_s=60, approve=_ask_patch)
    async def patch(
        self,
        context: ToolContext,
        path: Path = "",
        old_string: Annotated[str, Field(description="The text to replace, without numbers.")] = "",
        new_string: Annotated[
            str | None, Field(description="What takes its place; may be empty.")
        ] = None,
        *,
        replace_all: Annotated[bool, Field(description="Every place, not just the one.")] = False,
        patch: Annotated[
            str,
            Field(
                description="In place of the others, for several changes or files: a patch with "
                "`*** Begin Patch`, `*** Update File: a.py`, `@@ def f():`, lines that begin with "
                "a space, - or +, and `*** End Patch`; also `*** Add File:`, `*** Delete File:` "
                "and `*** Move to:`."
            ),
        ] = "",
    ) -> str:
        """Change a part of a text file: quote a passage that occurs once, and what is to stand
        there. Or change several at once, with a patch. The result is a diff of what was changed.
        """
        given = {
            "path": path, "old_string": old_string, "new_string": new_string,
            "replace_all": replace_all, "patch": patch,
        }  # fmt: skip
        return await asyncio.to_thread(_patch, context, given)

    @tool(timeout_s=60, max_output_chars=_READ_CHARS, is_repeatable=True)
    async def search_files(
        self,
        context: ToolContext,
        pattern: Annotated[
            str, Field(description="A regular expression (RE2), or for files a glob like *.md.")
        ],
        *,
        target: Annotated[
            Literal["content", "files"], Field(description="Search in files, or for their names.")
        ] = "content",
        path: Annotated[str, Field(description="The folder to search, with those in it.")] = "",
        file_glob: Annotated[str, Field(description="Only files like this, e.g. *.py.")] = "*",
        context_lines: Annotated[int, Field(ge=0, le=10)] = 0,
        limit: Annotated[int, Field(ge=1, le=500)] = 100,
    ) -> str:
        """Search the files of this chat's folder by content, or list them by name."""
        query = searching.Query(pattern, path, file_glob, context_lines, limit)
        search = searching.in_names if target == "files" else searching.in_content
        found = await asyncio.to_thread(search, context.workspace, query)
        return marked(found, "the files of this chat") if found else "Nothing was found."


def _part(workspace: Workspace, path: str, shown: Shown) -> str:
    with open_text(workspace, path) as file:
        shown.take(lines_of(file))
    return shown.text(path)


def _write(context: ToolContext, path: str, content: str) -> str:
    workspace = context.workspace
    with workspace.changing():
        change = file_changes.written(workspace, path, content)
        context.hold_to(partial(file_changes.approval, "write_file", [change]))
        file_changes.carry_out(workspace, [change])
    lines = len(content.splitlines())
    said = f"Wrote {path}: {lines} lines, {len(content.encode('utf-8', 'replace')):,} bytes."
    return f"{said}\n{file_changes.told(change)}" if change.before else said


def _patch(context: ToolContext, given: Arguments) -> str:
    workspace = context.workspace
    with workspace.changing():
        changes = file_changes.patched_files(workspace, given)
        context.hold_to(partial(file_changes.approval, "patch", changes))
        file_changes.carry_out(workspace, changes)
    return "\n".join(map(file_changes.in_words, changes))
