"""What a server's tool brings, as text for the model and as files. Pure."""

import base64
import binascii
import json
from dataclasses import dataclass
from typing import Any

import mcp_types as types

from gateway.mcp.listing import plain

MAX_FILES = 8
_MAX_URI_CHARS = 300
_ENDINGS = {
    "image/png": ".png",
    "image/jpeg": ".jpg",
    "image/gif": ".gif",
    "image/webp": ".webp",
    "image/svg+xml": ".svg",
    "audio/wav": ".wav",
    "audio/mpeg": ".mp3",
    "audio/ogg": ".ogg",
    "video/mp4": ".mp4",
    "application/pdf": ".pdf",
    "application/zip": ".zip",
}


@dataclass(frozen=True, slots=True)
class File:
    """Something that is no text."""

    name: str
    media_type: str
    content: bytes


@dataclass(frozen=True, slots=True)
class Brought:
    """A result. `{0}` and so on are not in the text: files follow it."""

    text: str
    files: tuple[File, ...]
    is_error: bool


def brought(result: types.CallToolResult) -> Brought:
    """The parts of a result."""
    texts: list[str] = []
    files: list[File] = []
    for block in result.content:
        _take(block, texts, files)
    if not texts and not files and result.structured_content is not None:
        texts.append(json.dumps(result.structured_content, ensure_ascii=False, indent=1))
    return Brought("\n\n".join(texts), tuple(files[:MAX_FILES]), bool(result.is_error))


def _take(block: Any, texts: list[str], files: list[File]) -> None:  # noqa: ANN401 - a union of the SDK's
    if isinstance(block, types.TextContent):
        texts.append(block.text)
    elif isinstance(block, types.ImageContent | types.AudioContent):
        _decode(block.data, block.mime_type, texts, files)
    elif isinstance(block, types.ResourceLink):
        texts.append(f"[a resource: {plain(str(block.uri), _MAX_URI_CHARS)}]")
    elif isinstance(block, types.EmbeddedResource):
        resource = block.resource
        if isinstance(resource, types.TextResourceContents):
            texts.append(resource.text)
        else:
            _decode(resource.blob, resource.mime_type or "", texts, files)


def _decode(data: str, media_type: str, texts: list[str], files: list[File]) -> None:
    try:
        content = base64.b64decode(data, validate=True)
    except (binascii.Error, ValueError):
        texts.append("[a file that is broken]")
        return
    kind = plain(media_type, 100).partition(";")[0].strip().lower()
    files.append(File(f"file{_ENDINGS.get(kind, '.bin')}", kind, content))
