"""Takes in what comes with a message: into the workspace, and into words and pictures for a model.

It never fails because of a file: what can't be fetched, seen or heard is said to the model and,
where the person has to know, to them. How each is done is its own file's business.
"""

import asyncio
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import BinaryIO

from adapters.base import Adapter, Attachment, Inbound, MediaKind
from config.media import MediaSettings
from gateway.media import wording
from gateway.media.errors import NotFetched, NotHeard, NotSeen
from gateway.media.fetching import INBOX, fetch, name_of
from gateway.media.pictures import Picture, shrink
from gateway.media.showing import picture_part
from gateway.media.texts import MAX_BYTES_PER_CHAR, text_in
from gateway.media.transcribing import Transcriber
from gateway.reading.documents import Documents
from gateway.reading.errors import ReadingError
from gateway.sessions import session_key
from gateway.workspace.errors import WorkspaceError
from gateway.workspace.workspace import Workspace, Workspaces

SEEN = f"{INBOX}/.seen"
"""Where the pictures are as models are shown them."""

AT_A_TIME = 4
"""Files that are fetched at a time, of all chats; a decoded picture takes up to 150 MB."""

BLIND = "your model takes no pictures. Say so if it matters."
NO_TRANSCRIBER = "nothing that could write it down is set up here. Say so, and ask for text."
DEAF = "I can't listen to recordings here. Please write it."

_MIB = 1_048_576


@dataclass(frozen=True, slots=True)
class Taken:
    """What a message's attachments have become."""

    notes: tuple[str, ...] = ()  # for the model, one for each, in their order
    pictures: tuple[str, ...] = ()  # paths of what the model is shown
    told: tuple[str, ...] = ()  # sentences for the person

    def content(self, text: str) -> "str | list[dict[str, object]]":
        """All of it as the content of a message that says `text`."""
        whole = "\n\n".join([*([text] if text.strip() else []), *self.notes])
        if not self.pictures:
            return whole
        return [{"type": "text", "text": whole}, *map(picture_part, self.pictures)]


NOTHING = Taken()


@dataclass(frozen=True, slots=True)
class _One:
    """What one attachment has become."""

    note: str
    picture: str | None = None
    told: str | None = None


@dataclass(frozen=True, slots=True)
class _Taking:
    """One message whose attachments are taken in."""

    message: Inbound
    settings: MediaSettings
    sees_pictures: bool
    reading: asyncio.Lock = field(default_factory=asyncio.Lock)


class Intake:
    """What all chats' attachments go through."""

    def __init__(
        self,
        adapters: Mapping[str, Adapter],
        workspaces: Workspaces,
        documents: Documents,
        transcriber: Transcriber | None = None,
    ) -> None:
        self._adapters = adapters
        self._workspaces = workspaces
        self._documents = documents
        self._transcriber = transcriber
        self._places = asyncio.Semaphore(AT_A_TIME)

    async def take(
        self, message: Inbound, settings: MediaSettings, *, sees_pictures: bool
    ) -> Taken:
        """Fetch all that came with a message, and put it into words."""
        if not message.attachments:
            return NOTHING
        taking = _Taking(message, settings, sees_pictures)
        taken = await asyncio.gather(*(self._take(taking, one) for one in message.attachments))
        return Taken(
            notes=tuple(one.note for one in taken),
            pictures=tuple(one.picture for one in taken if one.picture is not None),
            told=tuple(one.told for one in taken if one.told is not None),
        )

    async def in_words(self, message: Inbound, settings: MediaSettings) -> str:
        """All of a message as text, what is spoken as if it had been written.

        Raises `MediaError` if something that is spoken can't be understood.
        """
        spoken = [one for one in message.attachments if _is_said_by(message, one)]
        heard = [await self._spoken(message, one, settings) for one in spoken]
        others = tuple(one for one in message.attachments if not _is_said_by(message, one))
        rest = replace(message, attachments=others)
        taken = await self.take(rest, settings, sees_pictures=True)
        return "\n\n".join(part for part in (message.text, *heard, *taken.notes) if part.strip())

    async def _take(self, taking: _Taking, one: Attachment) -> _One:
        message, settings = taking.message, taking.settings
        workspace = self._workspaces.of(session_key(message.address))
        try:
            async with self._places:
                path = await self._fetch(message, one, workspace, settings)
                if is_picture(one):
                    return await self._look_at(workspace, path, sees_pictures=taking.sees_pictures)
                if is_spoken(one):
                    return await self._listen_to(message, workspace, path, one)
                limit_chars = settings.inline_text_chars
                kind = await self._documents.kind(workspace, path)
                if kind is None:
                    note = await asyncio.to_thread(_described, workspace, path, one, limit_chars)
                    return _One(note)
            # No place is held meanwhile, and a chat has one document read at a time: what takes
            # long to read holds up nobody else.
            async with taking.reading:
                return await self._read(workspace, path, kind.name, limit_chars)
        except (NotFetched, WorkspaceError) as error:
            name = wording.label(name_of(one))
            return _One(wording.not_there(name, str(error)), told=f"{name}: {error}")

    async def _fetch(
        self, message: Inbound, one: Attachment, workspace: Workspace, settings: MediaSettings
    ) -> str:
        return await fetch(
            self._adapters[message.address.platform],
            one,
            workspace,
            max_bytes=settings.max_file_mb * _MIB,
            timeout_s=settings.download_timeout_s,
        )

    async def _look_at(self, workspace: Workspace, path: str, *, sees_pictures: bool) -> _One:
        if not sees_pictures:
            return _One(wording.picture_unseen(path, BLIND))
        try:
            seen, picture = await asyncio.to_thread(_shrunk, workspace, path)
        except (NotSeen, WorkspaceError) as error:
            return _One(wording.picture_unseen(path, str(error)))
        return _One(wording.picture_seen(path, picture.width, picture.height), seen)

    async def _listen_to(
        self, message: Inbound, workspace: Workspace, path: str, one: Attachment
    ) -> _One:
        if self._transcriber is None:
            return _One(wording.unheard(path, one.duration_s, NO_TRANSCRIBER))
        try:
            text = await self._transcribe(workspace, path)
        except NotHeard as error:
            return _One(wording.unheard(path, one.duration_s, str(error)))
        is_own = _is_own(message, one)
        return _One(wording.heard(path, one.duration_s, text, is_own=is_own))

    async def _read(self, workspace: Workspace, path: str, kind: str, limit_chars: int) -> _One:
        size = (await asyncio.to_thread(workspace.stat, path)).size_bytes
        try:
            found = await self._documents.beginning(workspace, path, limit_chars)
        except ReadingError as error:
            name = wording.label(path.rpartition("/")[2])
            note = wording.unread(path, size, kind, str(error))
            return _One(note, told=f"{name}: {error}")
        worded = wording.long_document if found.is_cut else wording.document
        return _One(worded(path, size, kind, found))

    async def _spoken(self, message: Inbound, one: Attachment, settings: MediaSettings) -> str:
        if self._transcriber is None:
            raise NotHeard(DEAF)
        workspace = self._workspaces.of(session_key(message.address))
        async with self._places:
            path = await self._fetch(message, one, workspace, settings)
            return await self._transcribe(workspace, path)

    async def _transcribe(self, workspace: Workspace, path: str) -> str:
        if self._transcriber is None:
            raise NotHeard(DEAF)
        try:
            file = await asyncio.to_thread(workspace.open_read, path)
        except WorkspaceError as error:
            raise NotHeard(str(error)) from error
        try:
            return await self._transcriber.transcribe(file, path.rpartition("/")[2])
        finally:
            await asyncio.to_thread(file.close)


def is_picture(one: Attachment) -> bool:
    """Whether something was sent to be looked at, as a file or not."""
    is_image = (one.media_type or "").lower().startswith("image/")
    return one.kind is MediaKind.IMAGE or (one.kind is MediaKind.FILE and is_image)


def _is_said_by(message: Inbound, one: Attachment) -> bool:
    """Whether it is speech, and the sender's own: not forwarded, nor what they ask about."""
    return one.kind is MediaKind.VOICE and _is_own(message, one)


def _is_own(message: Inbound, one: Attachment) -> bool:
    return message.forwarded_from is None and not one.is_quoted


def is_spoken(one: Attachment) -> bool:
    """Whether something was sent to be heard."""
    return one.kind in {MediaKind.VOICE, MediaKind.AUDIO}


def _shrunk(workspace: Workspace, path: str) -> tuple[str, Picture]:
    with workspace.open_read(path) as file:
        picture = shrink(file)
    stem = path.rpartition("/")[2].rpartition(".")[0] or "picture"
    return workspace.save_new(SEEN, f"{stem}.jpg", [picture.jpeg]), picture


def _described(workspace: Workspace, path: str, one: Attachment, limit_chars: int) -> str:
    """A file in words, with its text if it is one and short."""
    size = workspace.stat(path).size_bytes
    if 0 < size <= limit_chars * MAX_BYTES_PER_CHAR:
        text = _text_of(workspace.open_read(path))
        if text is not None and len(text) <= limit_chars:
            return wording.text_file(path, size, text)
    return wording.other_file(path, size, one.media_type)


def _text_of(file: BinaryIO) -> str | None:
    with file:
        return text_in(file.read())
