"""`hermes-gateway agent`: puts together one agent, one model and one person at the terminal."""

import asyncio
import signal
import sys
from contextlib import AsyncExitStack
from dataclasses import dataclass
from pathlib import Path

from pydantic import ValidationError

from adapters.console.lines import Lines, PipedLines, TerminalLines
from adapters.console.screen import harmless
from config.models import ModelSettings
from gateway.agent_host.host import AgentHost
from gateway.agent_host.process import agent_process, native_command, wasm_command
from gateway.chats.host import local_time
from gateway.errors import StartupError
from gateway.llm.providers import make_provider
from gateway.runtime.artefact import COMMAND_NAME, artefact_folder

PROMPT = "you › "
QUITTING = frozenset({"exit", "quit"})


@dataclass(frozen=True, slots=True)
class Options:
    """What the command line asks for."""

    model: str
    base_url: str | None
    api_key: str | None
    wasm: Path | None
    is_native: bool
    level: int
    folder: Path
    message: str | None


async def run(options: Options) -> int:
    """Carry out a conversation, or one message; 1 if the last turn ended in an error."""
    command = await asyncio.to_thread(_command, options)
    async with AsyncExitStack() as stack:
        provider = make_provider(_model_settings(options))
        stack.push_async_callback(provider.close)
        agent = await stack.enter_async_context(agent_process(command))
        lines = TerminalLines() if sys.stdin.isatty() else PipedLines(sys.stdin.fileno())
        stack.callback(lines.close)
        host = AgentHost(
            agent=agent,
            provider=provider,
            model=options.model,
            level=options.level,
            folder=options.folder,
            now=lambda: local_time().isoformat(timespec="seconds"),
            show=lambda text: print(harmless(text), flush=True),
            ask=lines.next,
        )
        await host.start()
        if options.message is not None:
            return await _turn(host, options.message)
        code = await _converse(host, lines)
        await host.close()
        return code


async def _converse(host: AgentHost, lines: Lines) -> int:
    code = 0
    while (line := await lines.next(PROMPT)) is not None and line.strip() not in QUITTING:
        if line.strip():
            code = await _turn(host, line.strip())
    return code


async def _turn(host: AgentHost, text: str) -> int:
    interrupts: set[asyncio.Task[None]] = set()

    def interrupt() -> None:
        interrupts.add(asyncio.ensure_future(host.interrupt()))

    loop = asyncio.get_running_loop()
    loop.add_signal_handler(signal.SIGINT, interrupt)
    try:
        result = await host.turn(text)
    finally:
        loop.remove_signal_handler(signal.SIGINT)
    return 0 if result.get("reason", "answered") != "error" else 1


def _command(options: Options) -> list[str]:
    if options.is_native:
        return native_command()
    file = options.wasm or artefact_folder() / COMMAND_NAME
    if not file.is_file():
        cure = "" if options.wasm else ": run `./build.sh build`, or use --dev"
        raise StartupError(f"There is no agent at {file}{cure}.")
    return wasm_command(file)


def _model_settings(options: Options) -> ModelSettings:
    given = {
        "provider": "demo" if options.model == "demo" and options.base_url is None else "openai",
        "name": options.model,
        "base_url": options.base_url,
        "api_key": options.api_key,
    }
    try:
        return ModelSettings.model_validate({k: v for k, v in given.items() if v is not None})
    except ValidationError as error:
        # Without the values: one of them is the key.
        wrong = ", ".join(".".join(map(str, detail["loc"])) for detail in error.errors())
        raise StartupError(f"This can't be used as given: {wrong}.") from None
