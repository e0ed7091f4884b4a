"""Calls the family `files`, in a workspace beside which there is a secret."""

from pathlib import Path
from typing import Any

from gateway.reading.documents import Documents
from gateway.reading.readers import Readers
from gateway.tools.files import FileTools
from gateway.tools.tool import ToolResult, tools_of
from tests.gateway.tools.calling import called

TOOLS = {one.name: one for one in tools_of(FileTools(Documents(Readers(1))), "files")}
SECRET = "the password is swordfish"


async def use(name: str, root: Path, **arguments: Any) -> ToolResult:
    """The result of a call."""
    return await called(TOOLS[name], root, **arguments)
