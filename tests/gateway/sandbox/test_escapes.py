"""Programs that want out, or more than they may have. None gets it, and each is told."""

import os
import resource
import socket
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from gateway.sandbox.base import Ending, ToolAnswer
from tests.gateway.sandbox.conftest import RunProgram

MIB = 1_048_576


@pytest.fixture
def secret(workspace: Path) -> Path:
    """A file beside the workspace, that no program may see or change."""
    path = workspace.parent / "secret.txt"
    path.write_text("the key")
    return path


def text_of(path: Path) -> str:
    return path.read_text()


def names_in(folder: Path) -> list[str]:
    return sorted(path.name for path in folder.iterdir())


def sizes_in(folder: Path) -> list[int]:
    return [path.stat().st_size for path in folder.iterdir()]


async def failed(run_program: RunProgram, program: str, **limits: Any) -> str:
    """The last line that a program left, which has failed by itself."""
    outcome = await run_program(program, **limits)
    assert (outcome.ending, outcome.exit_code) == (Ending.EXITED, 1), outcome
    return outcome.stderr.splitlines()[-1]


async def test_memory_ends_at_the_limit(run_program: RunProgram) -> None:
    assert await failed(run_program, "x = bytearray(300 << 20)") == "MemoryError"
    greedy = "x = []\nwhile True: x.append(bytes(1 << 20))"
    assert await failed(run_program, greedy, memory_bytes=64 * MIB) == "MemoryError"


@pytest.mark.parametrize("call", ["os.fork()", "os.execv('/bin/sh', ['sh'])", "os.system('id')"])
async def test_there_are_no_processes(run_program: RunProgram, call: str) -> None:
    assert "AttributeError: module 'os' has no attribute" in await failed(
        run_program, f"import os; {call}"
    )


async def test_there_are_no_threads(run_program: RunProgram) -> None:
    program = "import threading; threading.Thread(target=print).start()"
    assert await failed(run_program, program) == "RuntimeError: can't start new thread"


async def test_an_endless_loop_ends_and_tells_where_it_was(run_program: RunProgram) -> None:
    program = "print('before')\ndef spin():\n    while True: pass\nspin()"
    outcome = await run_program(program, time_s=0.2)
    assert (outcome.ending, outcome.exit_code) == (Ending.OUT_OF_TIME, None)
    assert outcome.stdout == "before\n"
    assert '  File "program.py", line 3 in spin\n' in outcome.stderr


@pytest.mark.parametrize(
    "program",
    [
        "import time\ntime.sleep(10**9)",
        "while True:\n    try:\n        while True: pass\n    except BaseException: pass",
        "import re; re.match('(a+)+$', 'a' * 40 + 'b')",
        "10 ** 10 ** 9",
        "sum(range(10 ** 12))",
    ],
    ids=["sleep", "except", "regular-expression", "number", "loop-in-c"],
)
async def test_no_way_of_waiting_outlasts_the_limit(run_program: RunProgram, program: str) -> None:
    outcome = await run_program(program, time_s=0.2)
    assert outcome.ending is Ending.OUT_OF_TIME


async def test_an_endless_output_costs_no_memory(run_program: RunProgram) -> None:
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    outcome = await run_program("for i in range(100): print('x' * 1_000_000)", output_bytes=10_000)
    assert outcome.ending is Ending.EXITED
    assert len(outcome.stdout) < 11_000
    grown_kb = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before
    assert grown_kb < 30_000  # the program's own memory included


async def test_a_giant_string_is_not_copied_out(run_program: RunProgram) -> None:
    await run_program("print('x' * 100_000_000)")  # the program's own memory
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    outcome = await run_program("print('x' * 100_000_000)", output_bytes=10_000)
    assert "bytes left out" in outcome.stdout
    assert resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before < 20_000


async def test_there_is_no_network(run_program: RunProgram) -> None:
    with socket.create_server(("127.0.0.1", 0)) as server:
        port = server.getsockname()[1]
        for module in ("socket", "_socket", "ssl", "asyncio", "select"):
            program = f"import {module}; {module}.create_connection(('127.0.0.1', {port}))"
            assert (await failed(run_program, program)).startswith("ModuleNotFoundError")
        program = f"import urllib.request; urllib.request.urlopen('http://127.0.0.1:{port}/')"
        assert (await failed(run_program, program)).startswith("ModuleNotFoundError")


@pytest.mark.parametrize(
    "path",
    [
        "../secret.txt",
        "/workspace/../secret.txt",
        "a/../../secret.txt",
        "{secret}",
        "//{secret}",
        "/proc/self/environ",
        "/etc/passwd",
        "/dev/null",
        "/workspace/./.././secret.txt",
    ],
)
async def test_no_path_leads_out(run_program: RunProgram, secret: Path, path: str) -> None:
    where = path.format(secret=secret)
    for way in ("open(p).read()", "open(p, 'w')", "os.listdir(p)", "os.remove(p)", "os.stat(p)"):
        program = f"import os\np = {where!r}\nprint({way})"
        assert "Error: " in await failed(run_program, program), way
    assert text_of(secret) == "the key"


async def test_no_link_leads_out(run_program: RunProgram, workspace: Path, secret: Path) -> None:
    (workspace / "file").symlink_to(secret)
    (workspace / "relative").symlink_to("../secret.txt")
    (workspace / "folder").symlink_to(secret.parent)
    for path in ("file", "relative", "folder/secret.txt"):
        for way in ("open(p).read()", "open(p, 'w')", "open(p, 'a')", "os.stat(p)"):
            program = f"import os\np = {path!r}\nprint({way})"
            assert (await failed(run_program, program)).startswith("PermissionError"), (path, way)
    assert text_of(secret) == "the key"


async def test_no_link_can_be_made(run_program: RunProgram, workspace: Path) -> None:
    (workspace / "a").touch()
    for call in ("os.symlink('/etc/passwd', 'b')", "os.symlink('a', 'b')", "os.link('a', 'b')"):
        error = await failed(run_program, f"import os; {call}")
        assert error.startswith("PermissionError"), call
    assert names_in(workspace) == ["a"]


async def test_nothing_can_be_moved_out(run_program: RunProgram, workspace: Path) -> None:
    (workspace / "a").touch()
    for call in ("os.rename('a', '../b')", "os.replace('a', '/b')", "os.mkdir('../b')"):
        assert "Error" in await failed(run_program, f"import os; {call}")
    assert names_in(workspace.parent) == ["workspace"]


async def test_a_pipe_or_a_socket_is_not_opened(run_program: RunProgram, workspace: Path) -> None:
    os.mkfifo(workspace / "pipe")
    for mode in ("r", "w", "a"):
        error = await failed(run_program, f"open('pipe', {mode!r})")
        assert error.startswith("OSError"), mode


async def test_deep_recursion_ends_well(run_program: RunProgram) -> None:
    nested = "class A:\n    def __repr__(self): return repr(self)\n"
    error = await failed(run_program, nested + "repr(A())")
    assert error.startswith("RecursionError")
    outcome = await run_program(f"import sys\nsys.setrecursionlimit(10**9)\n{nested}repr(A())")
    assert outcome.ending is Ending.TOO_DEEP


@pytest.mark.parametrize(
    "program",
    [
        "f = open('f', 'wb')\nwhile True: f.write(bytes(100_000))",
        "import os\nf = os.open('f', os.O_CREAT | os.O_WRONLY)\nos.pwrite(f, b'x', 1 << 40)",
        "f = open('f', 'wb'); f.truncate(1 << 40)",
        "f = open('f', 'wb', buffering=0); f.seek(1 << 40); f.write(b'x')",
        "import os\nwhile True: os.mkdir(os.urandom(8).hex())",
        "import os\nwhile True: open(os.urandom(8).hex(), 'x').close()",
        "import zipfile\nz = zipfile.ZipFile('z', 'w')\nfor n in 'abc': z.writestr(n, '-' * 2**20)",
    ],
    ids=["endless", "pwrite", "truncate", "seek", "folders", "files", "archive"],
)
async def test_the_disk_is_not_filled(
    run_program: RunProgram, workspace: Path, program: str
) -> None:
    outcome = await run_program(program, write_bytes=2 * MIB)
    assert outcome.was_write_refused
    assert outcome.stderr.splitlines()[-1].startswith("OSError: [Errno 51]"), outcome
    sizes = sizes_in(workspace)
    assert sum(sizes) <= 2 * MIB + 4096 * len(sizes)
    assert len(sizes) <= 2 * MIB / 4096


async def test_file_descriptors_run_out_for_the_program_alone(
    run_program: RunProgram, workspace: Path
) -> None:
    (workspace / "a").touch()
    error = await failed(run_program, "kept = []\nwhile True: kept.append(open('a'))")
    assert error.startswith("OSError: [Errno 33] No file descriptors available")
    assert len(names_in(Path("/proc/self/fd"))) < 100


async def test_the_hosts_environment_is_not_to_be_read(
    run_program: RunProgram, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HERMES_TEST_KEY", "sk-secret")
    outcome = await run_program("import os, sys; print(dict(os.environ), sys.argv, os.getpid())")
    assert "sk-secret" not in outcome.stdout
    assert "HERMES_TEST_KEY" not in outcome.stdout
    assert str(os.getpid()) not in outcome.stdout


async def test_tools_are_counted(run_program: RunProgram) -> None:
    calls = 0

    async def call_tool(_name: str, _arguments: Mapping[str, Any]) -> ToolAnswer:
        nonlocal calls
        calls += 1
        return ToolAnswer("")

    program = "import hermes\nwhile True: hermes.tool('x')"
    outcome = await run_program(program, call_tool, tool_calls=3)
    assert outcome.stderr.endswith("hermes.ToolError: One run may call 3 tools, and has.\n")
    assert calls == 3


@pytest.mark.parametrize(
    "asked",
    ["b''", "b'{}'", "b'[1]'", "b'\\xff'", 'b\'{"name": 1, "arguments": {}}\'', "bytes(5 << 20)"],
)
async def test_the_host_is_asked_nonsense_and_says_so(run_program: RunProgram, asked: str) -> None:
    program = f"import _host, json; print(json.loads(_host.call({asked}))['is_error'])"
    assert (await run_program(program)).stdout == "True\n"


async def test_a_crash_of_the_interpreter_is_one_programs_end(run_program: RunProgram) -> None:
    # Bytecode that no compiler makes: it takes from an empty stack.
    program = """
import types
code = (lambda: 0).__code__
broken = code.replace(co_code=bytes([1, 0] * 2000 + [83, 0]), co_stacksize=1)
types.FunctionType(broken, {})()
"""
    outcome = await run_program(program, time_s=2)
    assert outcome.exit_code != 0
    assert (await run_program("print('well')")).stdout == "well\n"
