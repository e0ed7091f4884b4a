"""Speech → text, by a server with OpenAI's API for transcriptions.

https://platform.openai.com/docs/api-reference/audio/createTranscription: a form with the file and
the model; with `response_format` json the answer is an object with a `text`.
"""

import asyncio
import io
import wave
from typing import BinaryIO, Protocol

import httpx
import structlog

from config.media import TranscriptionSettings
from gateway.llm.failures import scrubbed
from gateway.llm.http import KeyAuth
from gateway.media.errors import NotHeard, NothingSaid

CONNECT_TIMEOUT_S = 10.0
MAX_ANSWER_BYTES = 2_000_000

_log = structlog.get_logger()


class Transcriber(Protocol):
    """Says what is spoken in a recording."""

    async def transcribe(self, file: BinaryIO, name: str) -> str:
        """The text; `file` is read off the loop and not closed. Raises `NotHeard`."""

    async def close(self) -> None:
        """Let go of connections."""


class HttpTranscriber:
    """A `Transcriber` over HTTP; safe for any number of calls at once."""

    def __init__(self, settings: TranscriptionSettings, model: str) -> None:
        self._settings = settings
        self._model = model
        key = settings.api_key
        self._secret = key.get_secret_value() if key else ""
        self._client = httpx.AsyncClient(
            auth=KeyAuth(key, "Authorization", "Bearer ") if key else None,
            timeout=httpx.Timeout(settings.timeout_s, connect=CONNECT_TIMEOUT_S),
        )

    async def transcribe(self, file: BinaryIO, name: str) -> str:
        """See `Transcriber`."""
        fields = {"model": self._model, "response_format": "json"}
        if self._settings.language is not None:
            fields["language"] = self._settings.language
        url = f"{str(self._settings.base_url).rstrip('/')}/audio/transcriptions"
        content = await asyncio.to_thread(file.read)
        try:
            async with asyncio.timeout(self._settings.timeout_s):
                answer = await self._client.post(url, data=fields, files={"file": (name, content)})
        except (httpx.HTTPError, TimeoutError) as error:
            _log.warning("transcription failed", reason=type(error).__name__)
            raise NotHeard("The transcription server could not be reached in time.") from error
        if answer.is_error:
            detail = scrubbed(answer.text[:MAX_ANSWER_BYTES], self._secret)
            _log.warning("transcription refused", status=answer.status_code, detail=detail)
            raise NotHeard("The transcription server refused the recording.")
        return _text_of(answer)

    async def close(self) -> None:
        """See `Transcriber`."""
        await self._client.aclose()


def silence() -> BinaryIO:
    """A recording of half a second in which nothing is said, as WAV: to try a server with."""
    written = io.BytesIO()
    with wave.open(written, "wb") as recording:
        recording.setnchannels(1)
        recording.setsampwidth(2)
        recording.setframerate(16_000)
        recording.writeframes(bytes(16_000))
    written.seek(0)
    return written


def make_transcriber(settings: TranscriptionSettings) -> Transcriber | None:
    """What the settings ask for; None if nothing does."""
    return None if settings.model is None else HttpTranscriber(settings, settings.model)


def _text_of(answer: httpx.Response) -> str:
    try:
        text = answer.json()["text"]
    except (ValueError, KeyError, TypeError):
        text = None
    if not isinstance(text, str) or len(text) > MAX_ANSWER_BYTES:
        _log.warning("transcription can't be read", status=answer.status_code)
        raise NotHeard("The transcription server's answer can't be read.")
    if not text.strip():
        raise NothingSaid("No words could be made out in it.")
    return text.strip()
