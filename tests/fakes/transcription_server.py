"""A transcription server: `POST /v1/audio/transcriptions` of OpenAI's API, over real HTTP.

It wants a key, a form with a `file` that has a name with a known suffix, and a `model`, as the real
one does (https://platform.openai.com/docs/api-reference/audio/createTranscription), and answers
what was set, in order; the last answer is given again.
"""

from dataclasses import dataclass, field

from aiohttp import web

KEY = "sk-hearing-0123456789"
SUFFIXES = {"flac", "mp3", "mp4", "mpeg", "mpga", "m4a", "ogg", "wav", "webm"}


@dataclass(slots=True)
class Recording:
    """What was sent to be transcribed."""

    name: str
    content: bytes
    fields: dict[str, str]


@dataclass(slots=True)
class TranscriptionServer:
    """One server. `start` it, and give `base_url` to the settings."""

    answers: list[web.Response | str] = field(default_factory=lambda: ["hello"])
    received: list[Recording] = field(default_factory=list)
    base_url: str = ""
    _runner: web.AppRunner | None = None

    async def start(self) -> None:
        app = web.Application(client_max_size=30 * 1024**2)
        app.router.add_post("/v1/audio/transcriptions", self._transcribe)
        self._runner = web.AppRunner(app)
        await self._runner.setup()
        site = web.TCPSite(self._runner, "127.0.0.1", 0)
        await site.start()
        host, port = self._runner.addresses[0][:2]
        self.base_url = f"http://{host}:{port}/v1"

    async def stop(self) -> None:
        if self._runner is not None:
            await self._runner.cleanup()

    async def _transcribe(self, request: web.Request) -> web.Response:
        if request.headers.get("Authorization") != f"Bearer {KEY}":
            return refusal(401, "Incorrect API key provided")
        form = await request.post()
        file = form.get("file")
        if not isinstance(file, web.FileField):
            return refusal(400, "file is missing")
        if file.filename.rpartition(".")[2] not in SUFFIXES:
            return refusal(400, "Unrecognized file format")
        fields = {name: value for name, value in form.items() if isinstance(value, str)}
        if "model" not in fields:
            return refusal(400, "you must provide a model parameter")
        self.received.append(Recording(file.filename, file.file.read(), fields))
        answer = self.answers.pop(0) if len(self.answers) > 1 else self.answers[0]
        return web.json_response({"text": answer}) if isinstance(answer, str) else answer


def refusal(status: int, message: str) -> web.Response:
    """An error as the API writes it."""
    return web.json_response({"error": {"message": message}}, status=status)
