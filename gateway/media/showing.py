"""Pictures in an agent's conversation: a name there, and the bytes only in the call to the model.

So a picture never weighs on a history, a journal or an agent, and what models are shown can be
bounded at every call. Names lead into the chat's own workspace and nowhere else.
"""

import asyncio
import base64
from collections.abc import Iterator, Sequence
from typing import Any

from gateway.llm.provider import ChatRequest
from gateway.workspace.errors import WorkspaceError
from gateway.workspace.workspace import Workspace

SCHEME = "workspace:"
MAX_PICTURES = 20
"""In one call; the last of them. Anthropic takes 100 and OpenAI 500, but each costs."""

Part = dict[str, Any]
Message = dict[str, Any]


def picture_part(path: str) -> Part:
    """A picture of the workspace as a part of a message."""
    return {"type": "image_url", "image_url": {"url": f"{SCHEME}{path}"}}


async def with_pictures(request: ChatRequest, workspace: Workspace, turns: int) -> ChatRequest:
    """The request with the pictures of the last `turns` messages of people in it.

    In the place of others, and of those that are gone, stands a note.
    """
    messages: Sequence[Message] = request.get("messages") or ()
    if not any(map(_has_picture, messages)):
        return request
    shown = recent(messages, turns)
    urls = await asyncio.to_thread(_read, workspace, shown)
    return {**request, "messages": [_with(message, urls) for message in messages]}


def path_of(part: object) -> str | None:
    """The path of a picture of the workspace; None of any other part."""
    if not isinstance(part, dict) or part.get("type") != "image_url":
        return None
    image = part.get("image_url")
    url = image.get("url") if isinstance(image, dict) else None
    return url.removeprefix(SCHEME) if isinstance(url, str) and url.startswith(SCHEME) else None


def recent(messages: Sequence[Message], turns: int) -> list[str]:
    """The pictures that a model is shown: the last ones of the last messages of people. Pure."""
    shown: list[str] = []
    seen = 0
    for message in reversed(messages):
        if message.get("role") == "user":
            seen += 1
        if seen > turns:
            break
        paths = [path for part in _parts(message) if (path := path_of(part)) is not None]
        shown += reversed(paths)
    return list(dict.fromkeys(shown))[:MAX_PICTURES]


def _has_picture(message: Message) -> bool:
    content = message.get("content")
    return isinstance(content, list) and any(path_of(part) is not None for part in content)


def _parts(message: Message) -> list[Any]:
    content = message.get("content")
    return content if isinstance(content, list) else []


def _read(workspace: Workspace, paths: Sequence[str]) -> dict[str, str]:
    return dict(_data_urls(workspace, paths))


def _data_urls(workspace: Workspace, paths: Sequence[str]) -> Iterator[tuple[str, str]]:
    for path in paths:
        try:
            with workspace.open_read(path) as file:
                content = base64.b64encode(file.read()).decode()
        except (WorkspaceError, OSError):
            continue  # a note stands there
        yield path, f"data:image/jpeg;base64,{content}"


def _with(message: Message, urls: dict[str, str]) -> Message:
    if not _has_picture(message):
        return message
    return {**message, "content": [_shown(part, urls) for part in _parts(message)]}


def _shown(part: Part, urls: dict[str, str]) -> Part:
    path = path_of(part)
    if path is None:
        return part
    if path in urls:
        return {"type": "image_url", "image_url": {"url": urls[path]}}
    return {"type": "text", "text": f"[A picture stood here, {path}. It is not shown any more.]"}
