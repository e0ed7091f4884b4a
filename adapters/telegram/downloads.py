"""Files that people sent: asked for by their id, then read from the file server piece by piece.

A server of one's own that runs with `--local` gives paths on its disk instead of addresses
("Using a Local Bot API Server"); they are read only below the folder that the settings name.
"""

import asyncio
from collections.abc import AsyncGenerator
from contextlib import aclosing
from pathlib import Path
from typing import Any, BinaryIO

import httpx
from telegram import Bot
from telegram.error import BadRequest, TelegramError

from adapters.base import AdapterError, Ambiguous, Attachment, Rejected, Unreachable
from adapters.telegram.errors import has_text, scrub, translate
from config.telegram import TelegramSettings

_GET_FILE = "get_File"  # the client's own get_file looks for the path on the disk; see polling.py
_PIECE_BYTES = 65_536
_TIMEOUT = httpx.Timeout(30, connect=10)

_TOO_BIG = "the file is larger than 20 MB, the most that Telegram lets bots fetch"
_GONE = "Telegram no longer has the file"


class Downloads:
    """Fetches files for one bot."""

    def __init__(self, bot: Bot, settings: TelegramSettings, file_url: str) -> None:
        self._bot = bot
        self._file_url = file_url
        self._folder = settings.local_files
        self._proxy = settings.proxy
        self._client: httpx.AsyncClient | None = None

    async def close(self) -> None:
        """Let go of the connections."""
        client, self._client = self._client, None
        if client is not None:
            await client.aclose()

    async def fetch(self, attachment: Attachment) -> AsyncGenerator[bytes, None]:
        """The bytes of a file, at most 64 KiB at a time. Raises `AdapterError`.

        That nothing has been done is certain with reading, so no error is `Ambiguous`.
        """
        path = await self._path_of(attachment.ref)
        folder = self._folder
        pieces = self._stream(path) if folder is None else _read(folder, path)
        async with aclosing(pieces):  # whoever has had enough leaves no connection open
            async for piece in pieces:
                yield piece

    async def _path_of(self, file_id: str) -> str:
        try:
            file: Any = await self._bot.do_api_request(_GET_FILE, api_kwargs={"file_id": file_id})
        except BadRequest as error:
            raise Rejected(_TOO_BIG if has_text(error, "file is too big") else _GONE) from None
        except TelegramError as error:
            raise _certain(translate(error, self._bot.token)) from None
        path = file.get("file_path") if isinstance(file, dict) else None
        if not isinstance(path, str) or not path:
            raise Rejected(_GONE)
        return path

    async def _stream(self, path: str) -> AsyncGenerator[bytes, None]:
        token = self._bot.token
        try:
            request = self._http().stream("GET", f"{self._file_url}{token}/{path}")
            async with request as response:
                if response.status_code >= 500:
                    raise Unreachable(f"the file server answers {response.status_code}")
                if response.status_code != 200:
                    raise Rejected(_GONE)
                async for piece in response.aiter_bytes(_PIECE_BYTES):
                    yield piece
        except httpx.HTTPError as error:
            text = scrub(str(error) or type(error).__name__, token)
            raise Unreachable(f"the file could not be fetched: {text}") from None

    def _http(self) -> httpx.AsyncClient:
        if self._client is None:
            proxy = self._proxy.get_secret_value() if self._proxy else None
            self._client = httpx.AsyncClient(proxy=proxy, timeout=_TIMEOUT)
        return self._client


async def _read(folder: Path, path: str) -> AsyncGenerator[bytes, None]:
    file = await asyncio.to_thread(_open, folder, path)
    try:
        while piece := await asyncio.to_thread(file.read, _PIECE_BYTES):
            yield piece
    finally:
        await asyncio.to_thread(file.close)


def _open(folder: Path, path: str) -> BinaryIO:
    place = Path(path).resolve()
    if not place.is_relative_to(folder.resolve()):
        raise Rejected("the Bot API server keeps its files outside of telegram.local_files")
    try:
        return place.open("rb")
    except OSError as error:
        raise Rejected(f"{_GONE}: {error.strerror}") from None


def _certain(error: AdapterError) -> AdapterError:
    return Unreachable(str(error)) if isinstance(error, Ambiguous) else error
