"""Speech to text over HTTP."""

from collections.abc import AsyncIterator
from io import BytesIO

import pytest
from aiohttp import web
from pydantic import HttpUrl, SecretStr
from structlog.testing import capture_logs

from config.media import TranscriptionSettings
from gateway.media.errors import NotHeard
from gateway.media.transcribing import HttpTranscriber, make_transcriber
from tests.fakes.transcription_server import KEY, TranscriptionServer, refusal


@pytest.fixture
async def server() -> AsyncIterator[TranscriptionServer]:
    server = TranscriptionServer()
    await server.start()
    yield server
    await server.stop()


async def hear(
    server: TranscriptionServer, *, key: str = KEY, language: str | None = None, url: str = ""
) -> str:
    settings = TranscriptionSettings(
        base_url=HttpUrl(url or server.base_url),
        api_key=SecretStr(key),
        language=language,
        timeout_s=5,
    )
    transcriber = HttpTranscriber(settings, "whisper-1")
    try:
        return await transcriber.transcribe(BytesIO(b"OggS..."), "voice.ogg")
    finally:
        await transcriber.close()


async def test_a_recording_becomes_text(server: TranscriptionServer) -> None:
    server.answers = [" what is said \n"]
    assert await hear(server, language="de") == "what is said"
    (sent,) = server.received
    assert (sent.name, sent.content) == ("voice.ogg", b"OggS...")
    assert sent.fields == {"model": "whisper-1", "response_format": "json", "language": "de"}


@pytest.mark.parametrize(
    "answer",
    [
        refusal(500, "broken"),
        refusal(429, "slow down"),
        web.Response(text="<html>"),
        web.json_response(["text"]),
        web.json_response({"text": None}),
        web.json_response({"text": " "}),
        web.Response(status=204),
    ],
    ids=["broken", "too much", "a page", "a list", "null", "silence", "nothing"],
)
async def test_what_is_no_transcription_is_said_to_be_none(
    server: TranscriptionServer, answer: web.Response
) -> None:
    server.answers = [answer]
    with pytest.raises(NotHeard):
        await hear(server)


async def test_a_server_that_is_not_there_is_said_so(server: TranscriptionServer) -> None:
    with pytest.raises(NotHeard, match="reached"):
        await hear(server, url="http://127.0.0.1:9/v1")


async def test_the_key_is_not_in_the_log_even_if_the_server_repeats_it(
    server: TranscriptionServer,
) -> None:
    server.answers = [refusal(400, f"bad request with {KEY}")]
    with capture_logs() as logs, pytest.raises(NotHeard) as caught:
        await hear(server)
    assert logs
    assert KEY not in f"{logs} {caught.value}"


async def test_without_a_model_nothing_is_transcribed() -> None:
    assert make_transcriber(TranscriptionSettings()) is None
