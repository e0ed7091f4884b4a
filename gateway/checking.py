"""`hermes-gateway check`: what a start needs, tried one by one, so that all faults show at once."""

import asyncio
from collections.abc import Awaitable, Callable
from dataclasses import dataclass

from adapters.base import AdapterError
from config.settings import Settings
from gateway.access import allowed_by
from gateway.app import make_runtime
from gateway.chats.host import local_time
from gateway.errors import GatewayError
from gateway.llm.providers import make_provider
from gateway.lock import lock_data_dir
from gateway.platforms import has_console, telegram_name
from gateway.store.sqlite import FILE_NAME, SqliteStore


@dataclass(frozen=True, slots=True)
class Finding:
    """What came out of one check."""

    name: str
    is_ok: bool
    text: str


async def check_all(settings: Settings) -> list[Finding]:
    """Try all that a start needs but to serve: nothing is sent to anybody."""
    checks: list[tuple[str, Callable[[Settings], Awaitable[str]]]] = [
        ("agent", _agent),
        ("data folder", _data_folder),
        ("model", _model),
    ]
    if settings.telegram.token is not None:
        checks.append(("telegram", _telegram))
    if has_console(settings):
        checks.append(("console", _console))
    return [await _tried(name, check, settings) for name, check in checks]


async def _tried(
    name: str, check: Callable[[Settings], Awaitable[str]], settings: Settings
) -> Finding:
    try:
        return Finding(name, True, await check(settings))
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
    with await asyncio.to_thread(lock_data_dir, settings.data_dir):
        store = await SqliteStore.open(settings.data_dir / FILE_NAME, now=local_time)
        await store.close()
    return str(settings.data_dir)


async def _model(settings: Settings) -> str:
    models = [settings.model, *settings.fallbacks, *settings.models]
    if settings.compress_model is not None:
        models.append(settings.compress_model)
    for model in models:
        await make_provider(model).close()
    return f"{', '.join(f'{model.label} ({model.provider})' for model in models)}; not called"


async def _telegram(settings: Settings) -> str:
    name = await telegram_name(settings.telegram)
    return f"@{name}; {allowed_by(settings)['telegram']} may talk"


async def _console(settings: Settings) -> str:
    return f"{allowed_by(settings)['console']} may talk"
