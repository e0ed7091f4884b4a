"""Sends something beside text to a small gateway, and looks at what the model was told of it."""

import asyncio
from typing import Any

from gateway.workspace.errors import NotThere
from gateway.workspace.workspace import Workspace
from tests.gateway.chats.small_gateway import SmallGateway

CHAT = "telegram:dm:1"


def workspace(gateway: SmallGateway) -> Workspace:
    """The folder of Ada's chat."""
    return gateway.host.workspaces.of(CHAT)


async def files(gateway: SmallGateway) -> list[str]:
    """What came into it."""
    try:
        return [e.path for e in await asyncio.to_thread(workspace(gateway).list, "inbox")]
    except NotThere:
        return []


def told(gateway: SmallGateway, index: int = -1) -> str:
    """The text of the last message of a person in a request."""
    content = gateway.request(index)["messages"][-1]["content"]
    if isinstance(content, str):
        return content
    return "\n".join(part["text"] for part in content if part["type"] == "text")


async def talk(gateway: SmallGateway, text: str, *attachments: Any, answer: str = "I see") -> str:
    """Say something to which the model gives that answer; returns what it was told."""
    await gateway.talk(text, answer, attachments=attachments)
    return told(gateway)
