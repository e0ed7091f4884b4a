"""`hermes-gateway check`: what a start needs, tried one by one, so that all faults show at once."""

import asyncio
import contextlib
import os
import stat
import time
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path

from adapters.base import AdapterError, Unreachable
from config.models import ModelSettings
from config.settings import Settings
from config.tools import TOOLSETS
from gateway.access.report import people, summary
from gateway.access.snapshot import Access, access_from
from gateway.chats.host import local_time
from gateway.cli.outside import outside
from gateway.cli.program_check import programs_run
from gateway.cli.reading_check import reading_works
from gateway.cli.shell_check import is_shell_named, shell_works
from gateway.errors import GatewayError, StartupError
from gateway.llm.errors import ModelError
from gateway.llm.providers import make_provider
from gateway.lock import DataFolderInUse, lock_data_dir
from gateway.media.errors import NothingSaid
from gateway.media.transcribing import make_transcriber, silence
from gateway.parts import make_runtime
from gateway.platforms import discord_name, has_console, telegram_name
from gateway.store.errors import StoreError
from gateway.store.sqlite import FILE_NAME, SqliteStore
from gateway.tools.families import check_names, described_tools
from gateway.tools.modules import load_tools

PATIENCE_S = 30.0  # for each check; a local server may have to load its model first
CONNECT_S = 5.0
DETAIL_CHARS = 200
QUESTION = [{"role": "user", "content": "Answer with the one word: ready"}]


@dataclass(frozen=True, slots=True)
class Finding:
    """What came out of one check."""

    name: str
    is_ok: bool
    text: str
    is_advice: bool = False  # nothing is wrong, but it could be better

    def __str__(self) -> str:
        """A line of the report."""
        word = "ERROR" if not self.is_ok else "note" if self.is_advice else "ok"
        return f"{word:<5} {self.name:<14} {self.text}"


async def check_all(
    settings: Settings,
    tell: Callable[[Finding], None],
    *,
    dotenv: Path,
    is_offline: bool = False,
) -> bool:
    """Try all that a start needs but to serve, and tell each finding as soon as it is there.

    Returns whether all is well. Nothing is sent to anybody; each model is asked for one word,
    unless `is_offline`, then nobody on the network is asked.
    """
    is_sound = True
    async for finding in _findings(settings, dotenv, is_offline=is_offline):
        tell(finding)
        is_sound = is_sound and finding.is_ok
    return is_sound


async def _findings(
    settings: Settings, dotenv: Path, *, is_offline: bool
) -> AsyncIterator[Finding]:
    if advice := await asyncio.to_thread(_open_secrets, dotenv):
        yield advice
    checks: list[tuple[str, Callable[[Settings], Awaitable[str]]]] = [
        ("agent", _agent),
        ("data folder", _data_folder),
        ("tools", _tools),
        ("reading", reading_works),
    ]
    if "code" in settings.tools.toolsets:
        checks.append(("programs", programs_run))
    if is_shell_named(settings):
        checks.append(("shell", shell_works))
    if settings.http.port is not None:
        checks.append(("http port", _http_port))
    if not is_offline:
        checks += [("model", partial(_model, model)) for model in _models(settings)]
        checks += outside(settings)
        if settings.media.transcription.model is not None:
            checks.append(("transcription", _transcription))
    platforms: list[str] = []
    if settings.telegram.is_on:
        checks.append(("telegram", _not_asked if is_offline else _telegram))
        platforms.append("telegram")
    if settings.discord.is_on:
        checks.append(("discord", _not_asked if is_offline else _discord))
        platforms.append("discord")
    if has_console(settings):
        checks.append(("console", _console))
        platforms.append("console")
    for name, check in checks:
        yield await _tried(name, check, settings)
    for finding in who_may_talk(await _access(settings), platforms):
        yield finding


def _open_secrets(dotenv: Path) -> Finding | None:
    """Advice about a `.env` that more people can read than should."""
    try:
        mode = dotenv.stat().st_mode
    except OSError:
        return None
    if os.name != "posix" or not stat.S_ISREG(mode) or not mode & 0o077:
        return None
    text = f"others on this machine may read {dotenv}: chmod 600 {dotenv}"
    return Finding("secrets", True, text, is_advice=True)


def who_may_talk(access: Access, platforms: Sequence[str]) -> Iterator[Finding]:
    """Everybody who may talk, or who was shut out, and why."""
    for platform in platforms:
        yield Finding("may talk", True, f"{platform}: {summary(access, platform)}")
        for person, reason in people(access, platform):
            yield Finding("", True, f"  {person}: {reason}")
        if not access.has_owner(platform):
            yield Finding("", True, f"  {platform} has no owner yet: `run` shows a code for that")


async def _tried(
    name: str, check: Callable[[Settings], Awaitable[str]], settings: Settings
) -> Finding:
    try:
        async with asyncio.timeout(PATIENCE_S):
            return Finding(name, True, await check(settings))
    except TimeoutError:
        return Finding(name, False, f"No answer within {PATIENCE_S:g} s.")
    except (GatewayError, AdapterError) as error:
        return Finding(name, False, str(error))


async def _agent(settings: Settings) -> str:
    runtime = await asyncio.to_thread(make_runtime, settings)
    try:
        agent = await asyncio.to_thread(runtime.start, "check")
        await asyncio.to_thread(agent.close)
    finally:
        await asyncio.to_thread(runtime.close)
    return f"{runtime.name}: an agent starts"


async def _data_folder(settings: Settings) -> str:
    try:
        with await asyncio.to_thread(lock_data_dir, settings.data_dir):
            store = await SqliteStore.open(settings.data_dir / FILE_NAME, now=local_time)
            await store.close()
    except DataFolderInUse:
        return f"{settings.data_dir}, in use by a gateway that runs"
    return str(settings.data_dir)


async def _tools(settings: Settings) -> str:
    brought = await asyncio.to_thread(load_tools, settings.tools.modules)
    check_names(settings.tools, brought)
    off = [name for name in (*TOOLSETS, "shell") if name not in settings.tools.toolsets]
    own = f", {len(brought)} of your own" if brought else ""
    said = f"{len(described_tools())}{own}; MCP servers: {len(settings.mcp.servers)}"
    return f"{said}; toolsets that are off: {', '.join(off) or 'none'}"


def _models(settings: Settings) -> list[ModelSettings]:
    """Every model that the settings name, each once."""
    found = [settings.model, *settings.fallbacks, *settings.models]
    if settings.compress_model is not None:
        found.append(settings.compress_model)
    return list(dict.fromkeys(found))


async def _model(model: ModelSettings, _: Settings) -> str:
    quick = model.model_copy(
        update={
            "tries": 1,
            "connect_timeout_s": min(model.connect_timeout_s, CONNECT_S),
            "idle_timeout_s": min(model.idle_timeout_s, PATIENCE_S),
        }
    )
    provider = make_provider(quick)
    began = time.monotonic()
    try:
        await provider.complete({"model": model.name, "messages": QUESTION}, lambda _: None)
    except ModelError as error:
        detail = f" [{error.detail[:DETAIL_CHARS]}]" if error.detail else ""
        raise StartupError(f"{model.label}: {error.message}{detail}") from error
    finally:
        await provider.close()
    return f"{model.label} ({model.provider}) answered in {time.monotonic() - began:.1f} s"


async def _transcription(settings: Settings) -> str:
    transcriber = make_transcriber(settings.media.transcription)
    if transcriber is None:
        return "off"
    try:
        with contextlib.suppress(NothingSaid):  # which is right
            await transcriber.transcribe(silence(), "silence.wav")
    finally:
        await transcriber.close()
    return f"{settings.media.transcription.model} listens"


async def _http_port(settings: Settings) -> str:
    host, port = settings.http.host, settings.http.port
    try:
        server = await asyncio.start_server(lambda *_: None, host, port)
    except OSError as error:
        if await _is_running(settings):
            return f"{host}:{port}, in use while a gateway runs"
        raise StartupError(
            f"{host}:{port} can't be opened: {error.strerror}. Choose another http.port or "
            "http.host, or stop the gateway that has it."
        ) from error
    server.close()
    await server.wait_closed()
    return f"{host}:{port} is free"


async def _is_running(settings: Settings) -> bool:
    try:
        (await asyncio.to_thread(lock_data_dir, settings.data_dir)).release()
    except DataFolderInUse:
        return True
    return False


async def _telegram(settings: Settings) -> str:
    try:
        name = await telegram_name(settings.telegram)
    except Unreachable as error:
        raise StartupError(f"Telegram can't be reached. [{error}]") from error
    return f"@{name}"


async def _discord(settings: Settings) -> str:
    try:
        return await discord_name(settings.discord)
    except Unreachable as error:
        raise StartupError(f"Discord can't be reached. [{error}]") from error


async def _not_asked(_: Settings) -> str:
    return "not asked"


async def _console(_: Settings) -> str:
    return "this terminal"


async def _access(settings: Settings) -> Access:
    """Who may talk, as far as that can be read; why it can't is the data folder's finding."""
    access = access_from(settings)
    try:
        async with await SqliteStore.open(settings.data_dir / FILE_NAME, now=local_time) as store:
            return access.with_stored(await store.access.load())
    except StoreError:
        return access
