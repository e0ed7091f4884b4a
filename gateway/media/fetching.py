"""From the platform into the workspace: a file's bytes, as many as are allowed, in time.

What an adapter raises on the way ends here, as a sentence that person and model can read.
"""

import asyncio
from contextlib import aclosing

import structlog

from adapters.base import Adapter, AdapterError, Attachment, MediaKind
from gateway.media.errors import NotFetched
from gateway.media.wording import size_text
from gateway.workspace.errors import WorkspaceError
from gateway.workspace.workspace import Workspace
from gateway.workspace.writing import WorkspaceFile

INBOX = "inbox"
WRITE_BYTES = 256 * 1024
"""So much is gathered before a thread is asked to write it."""

_SUFFIXES = {
    "application/json": ".json",
    "application/pdf": ".pdf",
    "application/zip": ".zip",
    "audio/mp4": ".m4a",
    "audio/mpeg": ".mp3",
    "audio/ogg": ".ogg",
    "audio/wav": ".wav",
    "audio/webm": ".webm",
    "image/gif": ".gif",
    "image/jpeg": ".jpg",
    "image/png": ".png",
    "image/webp": ".webp",
    "text/csv": ".csv",
    "text/markdown": ".md",
    "text/plain": ".txt",
    "video/mp4": ".mp4",
    "video/webm": ".webm",
}
# What platforms send when they say nothing.
_NAMES = {
    MediaKind.IMAGE: ("picture", ".jpg"),
    MediaKind.VOICE: ("voice", ".ogg"),
    MediaKind.AUDIO: ("audio", ".mp3"),
    MediaKind.VIDEO: ("video", ".mp4"),
    MediaKind.FILE: ("file", ""),
}

_log = structlog.get_logger()


async def fetch(
    adapter: Adapter,
    attachment: Attachment,
    workspace: Workspace,
    *,
    max_bytes: int,
    timeout_s: float,
) -> str:
    """Put a file into the workspace's inbox; returns its path there. Raises `NotFetched`."""
    if (attachment.size_bytes or 0) > max_bytes:
        raise _too_large(attachment.size_bytes, max_bytes)
    try:
        async with asyncio.timeout(timeout_s):
            file = await _opened(workspace, name_of(attachment))
            await _fill(file, adapter, attachment, max_bytes)
    except TimeoutError as error:
        raise NotFetched("It took too long to come.") from error
    except WorkspaceError as error:
        raise NotFetched(str(error)) from error
    except (AdapterError, OSError) as error:
        _log.warning("a file could not be fetched", reason=str(error))
        raise NotFetched("It could not be fetched.") from error
    return f"{INBOX}/{file.final_name}"


def name_of(attachment: Attachment) -> str:
    """What to call a file: as its sender did, or by what it is."""
    if attachment.name and attachment.name.strip():
        return attachment.name
    name, usual = _NAMES[attachment.kind]
    return name + _SUFFIXES.get((attachment.media_type or "").lower(), usual)


async def _opened(workspace: Workspace, name: str) -> WorkspaceFile:
    """A new file. If the task is cancelled meanwhile, it is thrown away once it is there."""
    opening = asyncio.ensure_future(asyncio.to_thread(workspace.new_file, INBOX, name))
    try:
        return await asyncio.shield(opening)
    except asyncio.CancelledError:
        opening.add_done_callback(_discard)
        raise


def _discard(opening: asyncio.Future[WorkspaceFile]) -> None:
    if not opening.cancelled() and opening.exception() is None:
        asyncio.get_running_loop().run_in_executor(None, opening.result().discard)


async def _fill(
    file: WorkspaceFile, adapter: Adapter, attachment: Attachment, max_bytes: int
) -> None:
    try:
        size, gathered = 0, bytearray()
        async with aclosing(adapter.download(attachment)) as pieces:
            async for piece in pieces:
                size += len(piece)
                if size > max_bytes:
                    raise _too_large(None, max_bytes)
                gathered += piece
                if len(gathered) >= WRITE_BYTES:
                    await asyncio.to_thread(file.write, bytes(gathered))
                    gathered.clear()
        await asyncio.to_thread(file.write, bytes(gathered))
        await asyncio.to_thread(file.close)
    except BaseException:
        # Not awaited, which a cancelled task could not: an unfinished file is soon thrown away.
        asyncio.get_running_loop().run_in_executor(None, file.discard)
        raise


def _too_large(size_bytes: int | None, max_bytes: int) -> NotFetched:
    limit = size_text(max_bytes)
    if size_bytes is None:
        return NotFetched(f"It is larger than the {limit} that I take.")
    return NotFetched(f"It has {size_text(size_bytes)}, and I take no more than {limit}.")
