"""The part of the family `files` that sends them: into the chat that the file belongs to.

How a file gets there, once and checked, is the business of what answers are sent with.
"""

import asyncio
from typing import Annotated

from pydantic import Field

from gateway.tools.tool import ToolContext, ToolFailed, tool

_SHOWN = "{path} was sent. Don't send it again, and don't repeat what is in it."


class SendingTools:
    """Over the workspace that each call brings along."""

    @tool(is_repeatable=True, is_parallel=False, timeout_s=300)
    async def send_file(
        self,
        context: ToolContext,
        path: Annotated[
            str, Field(description="Within the chat's own folder, such as plots/a.png.")
        ],
        caption: Annotated[str, Field(description="A few words under it.", max_length=300)] = "",
    ) -> str:
        """Send a file of this chat's folder to the chat, now: a picture, a document, a recording.
        To send one along with the answer, write MEDIA:path on a line of its own instead; several
        such lines are shown together.
        """
        entry = await asyncio.to_thread(context.workspace.stat, path)
        if entry.is_folder:
            raise ToolFailed(f"{path} is a folder. Pack it into one file, or name a file in it.")
        if not await context.show(_as_image(path, caption)):
            raise ToolFailed(f"{path} could not be sent.")
        return _SHOWN.format(path=path)


def _as_image(path: str, caption: str) -> str:
    """What stands for a file with its caption, in an answer."""
    if any(mark in path for mark in "<>\n\\%:"):
        return f"MEDIA:{path}"
    words = " ".join("".join(" " if c in "[]\\`*_" else c for c in caption).split())
    return f"![{words}](<{path}>)"
