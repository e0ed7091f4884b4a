"""One interpreter for all tests, from the module that was built; and programs run in it."""

from collections.abc import AsyncIterator, Awaitable, Callable, Iterator, Mapping
from pathlib import Path
from typing import Any

import pytest

from gateway.runtime.artefact import artefact_folder, load_sandbox
from gateway.runtime.errors import ArtefactError
from gateway.sandbox.base import Limits, Outcome, ToolAnswer
from gateway.sandbox.engine import WasmSandbox
from gateway.sandbox.interpreter import Interpreter

RunProgram = Callable[..., Awaitable[Outcome]]


@pytest.fixture(scope="session")
def interpreter() -> Iterator[Interpreter]:
    """Loaded, so that no test's time goes into compiling."""
    try:
        artefact = load_sandbox()
    except ArtefactError as error:
        pytest.fail(f"{artefact_folder()} has no sandbox: {error}")
    interpreter = Interpreter(artefact)
    interpreter.load()
    yield interpreter
    interpreter.close()


@pytest.fixture
async def sandbox(interpreter: Interpreter) -> AsyncIterator[WasmSandbox]:
    sandbox = WasmSandbox(4, interpreter)
    yield sandbox
    await sandbox.close()


@pytest.fixture
def workspace(tmp_path: Path) -> Path:
    folder = tmp_path / "workspace"
    folder.mkdir()
    return folder


async def no_tools(name: str, _arguments: Mapping[str, Any]) -> ToolAnswer:
    return ToolAnswer(f"There is no tool named {name!r}.", is_error=True)


@pytest.fixture
def run_program(sandbox: WasmSandbox, workspace: Path) -> RunProgram:
    """Runs a program in the workspace: `await run_program(source, time_s=1, …)`."""

    async def run(program: str, call_tool: Any = no_tools, **limits: Any) -> Outcome:
        return await sandbox.run(program, workspace, Limits(**limits), call_tool)

    return run
