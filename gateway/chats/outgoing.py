"""Which files an answer may send, and how they are got: from the chat's workspace, from folders
that the administrator has named, and pictures from the web.

Paths come from a model. Each is opened inside its root without following links, and copied into
the outbox from that very descriptor. Pictures come through the guarded fetcher, and only as such.
"""

import asyncio
from collections.abc import Awaitable, Callable, Iterable, Iterator
from contextlib import suppress
from pathlib import Path, PurePosixPath
from typing import BinaryIO
from urllib.parse import unquote, urlsplit

from adapters.base import OutgoingFile
from config.settings import ChatSettings
from gateway.delivery.outbox import PIECE_BYTES, NotSendable, Outbox
from gateway.delivery.references import LongCode, Reference
from gateway.web.errors import WebError
from gateway.web.fetch import Gets
from gateway.workspace.errors import WorkspaceError
from gateway.workspace.workspace import Workspace, Workspaces

MOUNTED_AT = "/workspace/"
"""Where programs in a sandbox see the workspace: they, and so the model, speak of it like this."""

MAX_PICTURE_BYTES = 10_000_000
_MB = 1_000_000
_PICTURES = ("image/png", "image/jpeg", "image/gif", "image/webp")
_SUFFIXES = dict(zip(_PICTURES, (".png", ".jpg", ".gif", ".webp"), strict=True))
_NOT_FROM_THERE = "{} is in none of the folders that I may send files from."


class OutgoingFiles:
    """The files of all chats. Without a fetcher, nothing comes from the web."""

    def __init__(
        self,
        workspaces: Workspaces,
        outbox: Outbox,
        settings: Callable[[], ChatSettings],
        fetcher: Gets | None = None,
    ) -> None:
        self.workspaces = workspaces
        self.outbox = outbox
        self.settings = settings
        self.fetcher = fetcher

    def of(self, chat: str, may_fetch: Callable[[], Awaitable[bool]]) -> "FilesOfChat":
        """Those of one chat, to be closed in the end.

        `may_fetch` says whether anything may be fetched from the web for whoever is answered.
        """
        return FilesOfChat(self, chat, may_fetch)


class FilesOfChat:
    """Implements `gateway.delivery.composing.FileSource`. What was got goes with `close`."""

    def __init__(
        self, all_files: OutgoingFiles, chat: str, may_fetch: Callable[[], Awaitable[bool]]
    ) -> None:
        self._outbox = all_files.outbox
        self._settings = all_files.settings()
        self._fetcher = all_files.fetcher if self._settings.fetch_pictures else None
        self._workspace = all_files.workspaces.of(chat)
        self._may_fetch = may_fetch
        self._made: list[OutgoingFile] = []

    async def fetch(self, reference: Reference) -> OutgoingFile:
        """See `FileSource`."""
        if reference.is_remote:
            return await self._from_web(reference)
        return self._noted(await asyncio.to_thread(self._from_disk, reference.target))

    async def keep(self, code: LongCode) -> OutgoingFile:
        """See `FileSource`."""
        content = code.code.encode("utf-8", "replace")
        return self._noted(await asyncio.to_thread(self._put, code.name, [content]))

    async def close(self) -> None:
        """Remove the copies."""
        made, self._made = self._made, []
        for file in made:
            await asyncio.to_thread(self._outbox.discard, file)

    def _noted(self, file: OutgoingFile) -> OutgoingFile:
        self._made.append(file)
        return file

    def _put(self, name: str, pieces: Iterator[bytes] | list[bytes]) -> OutgoingFile:
        return self._outbox.put(name, pieces, self._settings.file_mb * _MB)

    def _from_disk(self, path: str) -> OutgoingFile:
        # A path in an image is quoted as in an address, or it is not: nobody can tell.
        opened, path = self._opened_as(dict.fromkeys((path, unquote(path))))
        with opened:
            return self._put(PurePosixPath(path).name, _pieces(opened))

    def _opened_as(self, paths: Iterable[str]) -> tuple[BinaryIO, str]:
        """The first of these that is there. Raises `NotSendable`."""
        reason: WorkspaceError | None = None
        for path in paths:
            try:
                return self._opened(path), path
            except WorkspaceError as error:
                reason = error
        raise NotSendable(str(reason)) from reason

    def _opened(self, path: str) -> BinaryIO:
        """Raises `WorkspaceError` and `NotSendable`."""
        path = path.removeprefix("file://")
        for prefix in (MOUNTED_AT, f"{self._workspace.root}/"):
            if path.startswith(prefix):
                return self._workspace.open_read(path.removeprefix(prefix))
        if not path.startswith(("/", "~")):
            return self._workspace.open_read(path)
        for folder in self._settings.files_from:
            with suppress(ValueError):
                inner = PurePosixPath(path).relative_to(folder)
                return Workspace(Path(folder).resolve()).open_read(str(inner))
        raise NotSendable(_NOT_FROM_THERE.format(PurePosixPath(path).name or "That"))

    async def _from_web(self, reference: Reference) -> OutgoingFile:
        # An address can say anything, and so carry away what the chat holds.
        if self._fetcher is None or not await self._may_fetch():
            raise NotSendable("Nothing is fetched from the web.")
        try:
            found = await self._fetcher.get(
                reference.target, max_bytes=MAX_PICTURE_BYTES, types=_PICTURES
            )
        except WebError as error:
            raise NotSendable(str(error)) from error
        stem = PurePosixPath(unquote(urlsplit(found.url).path)).stem or "picture"
        name = stem + _SUFFIXES.get(found.media_type, "")
        return self._noted(await asyncio.to_thread(self._put, name, [found.content]))


def _pieces(file: BinaryIO) -> Iterator[bytes]:
    while piece := file.read(PIECE_BYTES):
        yield piece
