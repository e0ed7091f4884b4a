"""What a program finds in the sandbox: Python as it is, its folder, the time, tools."""

import asyncio
from collections.abc import Mapping
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

from gateway.sandbox.base import Ending, Limits, ToolAnswer
from gateway.sandbox.engine import WasmSandbox
from gateway.sandbox.interpreter import Interpreter
from tests.gateway.sandbox.conftest import RunProgram, no_tools


async def printed(run_program: RunProgram, program: str, **limits: Any) -> str:
    outcome = await run_program(program, **limits)
    assert (outcome.ending, outcome.exit_code) == (Ending.EXITED, 0), outcome
    assert outcome.stderr == ""
    return outcome.stdout


async def test_a_program_prints(run_program: RunProgram) -> None:
    assert await printed(run_program, "print('Grüße', 1 + 1)") == "Grüße 2\n"


async def test_the_standard_library_is_there(run_program: RunProgram) -> None:
    program = """
import json, re, math, datetime, collections, statistics, itertools, random, decimal, csv, io
import xml.etree.ElementTree as tree, unittest, logging, email.message, sqlite3 as _
"""
    outcome = await run_program(program)
    # Only what needs a C library that is not there is missing.
    assert outcome.stderr.splitlines()[-1] == "ModuleNotFoundError: No module named 'sqlite3'"


async def test_a_traceback_shows_the_program_and_nothing_of_ours(run_program: RunProgram) -> None:
    outcome = await run_program("def half(x):\n    return x / 0\n\nhalf(3)\n")
    assert outcome.exit_code == 1
    assert outcome.stderr.splitlines() == [
        "Traceback (most recent call last):",
        '  File "program.py", line 4, in <module>',
        "    half(3)",
        '  File "program.py", line 2, in half',
        "    return x / 0",
        "           ~~^~~",
        "ZeroDivisionError: division by zero",
    ]


async def test_a_program_that_is_no_python_is_told_so(run_program: RunProgram) -> None:
    outcome = await run_program("print(1")
    assert outcome.exit_code == 1
    assert "SyntaxError: '(' was never closed" in outcome.stderr


@pytest.mark.parametrize(
    ("program", "exit_code", "stderr"),
    [
        ("import sys; sys.exit(3)", 3, ""),
        ("import sys; sys.exit('enough')", 1, "enough\n"),
        ("raise SystemExit", 0, ""),
        ("import os; os._exit(7)", 7, ""),
    ],
)
async def test_an_exit_code_is_the_programs_own(
    run_program: RunProgram, program: str, exit_code: int, stderr: str
) -> None:
    outcome = await run_program(program)
    assert (outcome.ending, outcome.exit_code) == (Ending.EXITED, exit_code)
    assert outcome.stderr == stderr


async def test_files_are_those_of_the_workspace(run_program: RunProgram, workspace: Path) -> None:
    (workspace / "in.txt").write_text("cats")
    program = """
import os, pathlib
print(os.getcwd(), open("in.txt").read(), pathlib.Path("in.txt").exists())
os.makedirs("a/b")
pathlib.Path("a/b/out.txt").write_text("dogs")
print(sorted(os.listdir("/workspace")))
"""
    assert await printed(run_program, program) == "/workspace cats True\n['a', 'in.txt']\n"
    assert (workspace / "a" / "b" / "out.txt").read_text() == "dogs"


async def test_what_is_left_open_at_the_end_is_in_the_file(
    run_program: RunProgram, workspace: Path
) -> None:
    program = """
import atexit
atexit.register(lambda: open("last.txt", "w").write("bye"))
f = open("a.txt", "w")
f.write("kept")
"""
    await printed(run_program, program)
    assert (workspace / "a.txt").read_text() == "kept"
    assert (workspace / "last.txt").read_text() == "bye"


async def test_modules_in_the_workspace_can_be_imported(
    run_program: RunProgram, workspace: Path
) -> None:
    (workspace / "mine.py").write_text("def twice(x): return 2 * x")
    assert await printed(run_program, "import mine; print(mine.twice(4))") == "8\n"


async def test_nothing_is_left_for_the_next_program(run_program: RunProgram) -> None:
    await printed(run_program, "import json; json.leak = x = 1")
    program = "import json; print(hasattr(json, 'leak'), 'x' in globals())"
    assert await printed(run_program, program) == "False False\n"


async def test_the_clock_is_real_and_dice_differ_between_runs(run_program: RunProgram) -> None:
    program = "import time, random, uuid; print(time.time(), random.random(), uuid.uuid4())"
    first, second = [(await printed(run_program, program)).split() for _ in range(2)]
    assert abs(float(first[0]) - datetime.now(UTC).timestamp()) < 60
    assert first[1] != second[1]
    assert first[2] != second[2]


async def test_time_zones_are_known(run_program: RunProgram) -> None:
    program = """
from datetime import datetime
from zoneinfo import ZoneInfo
print(datetime(2026, 7, 1, 12, tzinfo=ZoneInfo("Europe/Zurich")).isoformat())
"""
    assert await printed(run_program, program) == "2026-07-01T12:00:00+02:00\n"


async def test_sleeping_takes_its_time(run_program: RunProgram) -> None:
    program = "import time; t = time.monotonic(); time.sleep(0.05); print(time.monotonic() - t)"
    assert float(await printed(run_program, program)) >= 0.05


async def test_long_output_keeps_its_ends(run_program: RunProgram) -> None:
    program = "print('first')\nfor i in range(1000): print('x' * 100)\nprint('last')"
    text = await printed(run_program, program, output_bytes=1000)
    assert text.startswith("first\nxxx")
    assert text.endswith("xxx\nlast\n")
    assert "[… 100,011 bytes left out …]" in text


async def test_a_program_calls_tools(run_program: RunProgram) -> None:
    asked = []

    async def call_tool(name: str, arguments: Mapping[str, Any]) -> ToolAnswer:
        asked.append((name, dict(arguments)))
        await asyncio.sleep(0)
        return ToolAnswer("nothing there" if name == "bad" else "cats 🐈", is_error=name == "bad")

    program = """
from hermes import tool, read_file, ToolError
print(tool("search_files", pattern="cat", limit=3))
print(read_file(path="a.txt"))
try:
    tool("bad")
except ToolError as error:
    print("failed:", error)
"""
    outcome = await run_program(program, call_tool)
    assert outcome.stdout == "cats 🐈\ncats 🐈\nfailed: nothing there\n"
    assert outcome.tool_calls == 3
    assert asked == [
        ("search_files", {"pattern": "cat", "limit": 3}),
        ("read_file", {"path": "a.txt"}),
        ("bad", {}),
    ]


async def test_what_a_program_waits_for_tools_is_not_its_own_time(run_program: RunProgram) -> None:
    async def call_tool(_name: str, _arguments: Mapping[str, Any]) -> ToolAnswer:
        await asyncio.sleep(0.6)
        return ToolAnswer("late")

    outcome = await run_program("import hermes; print(hermes.tool('x'))", call_tool, time_s=0.5)
    assert (outcome.ending, outcome.stdout) == (Ending.EXITED, "late\n")
    assert outcome.running_s < 0.5


async def test_a_tool_that_breaks_down_is_an_error_for_the_program(run_program: RunProgram) -> None:
    async def call_tool(_name: str, _arguments: Mapping[str, Any]) -> ToolAnswer:
        raise KeyError("a defect")

    program = "import hermes\ntry: hermes.tool('x')\nexcept hermes.ToolError as e: print(e)"
    outcome = await run_program(program, call_tool)
    assert outcome.stdout == "x failed.\n"


async def test_a_run_that_is_cancelled_ends_its_program(
    sandbox: WasmSandbox, workspace: Path
) -> None:
    begun = asyncio.Event()

    async def call_tool(_name: str, _arguments: Mapping[str, Any]) -> ToolAnswer:
        begun.set()
        return ToolAnswer("")

    program = "import hermes\nhermes.tool('begin')\nwhile True: pass"
    running = asyncio.create_task(sandbox.run(program, workspace, Limits(), call_tool))
    await begun.wait()
    running.cancel()
    with pytest.raises(asyncio.CancelledError):
        await running
    # All threads are free again: more programs than threads come to their end.
    outcomes = await asyncio.gather(
        *(sandbox.run("print(1)", workspace, Limits(), no_tools) for _ in range(5))
    )
    assert [outcome.stdout for outcome in outcomes] == ["1\n"] * 5


async def test_a_run_that_is_cancelled_cancels_the_tool_it_waits_for(
    sandbox: WasmSandbox, workspace: Path
) -> None:
    begun, ended = asyncio.Event(), asyncio.Event()

    async def call_tool(_name: str, _arguments: Mapping[str, Any]) -> ToolAnswer:
        begun.set()
        try:
            await asyncio.get_running_loop().create_future()
        finally:
            ended.set()
        return ToolAnswer("")

    program = "import hermes\nwhile True:\n    try: hermes.tool('x')\n    except Exception: pass"
    running = asyncio.create_task(sandbox.run(program, workspace, Limits(), call_tool))
    await begun.wait()
    running.cancel()
    with pytest.raises(asyncio.CancelledError):
        await running
    await ended.wait()


async def test_programs_that_wait_for_tools_keep_nobody_from_running(
    interpreter: Interpreter, workspace: Path
) -> None:
    sandbox = WasmSandbox(1, interpreter)
    asked, answered = asyncio.Event(), asyncio.Event()

    async def call_tool(_name: str, _arguments: Mapping[str, Any]) -> ToolAnswer:
        asked.set()
        await answered.wait()
        return ToolAnswer("yes")

    program = "import hermes; print(hermes.tool('ask'))"
    waiting = asyncio.create_task(sandbox.run(program, workspace, Limits(), call_tool))
    await asked.wait()
    other = await sandbox.run("print('quick')", workspace, Limits(), no_tools)
    assert other.stdout == "quick\n"
    answered.set()
    assert (await waiting).stdout == "yes\n"
    await sandbox.close()


async def test_no_more_programs_compute_at_a_time_than_may(
    interpreter: Interpreter, workspace: Path
) -> None:
    sandbox = WasmSandbox(1, interpreter)
    program = (
        "import os, time\nassert not os.path.exists('busy')\nopen('busy', 'w').close()\n"
        "time.sleep(0.05)\nos.remove('busy')\nprint('alone')"
    )
    outcomes = await asyncio.gather(
        *(sandbox.run(program, workspace, Limits(), no_tools) for _ in range(8))
    )
    assert [outcome.stdout for outcome in outcomes] == ["alone\n"] * 8
    await sandbox.close()


async def test_programs_run_beside_each_other(sandbox: WasmSandbox, workspace: Path) -> None:
    # Each waits until all of them have begun.
    program = (
        "import os, time\nopen('{0}', 'x').close()\n"
        "while len(os.listdir()) < 4: time.sleep(0.01)\nprint({0})"
    )
    outcomes = await asyncio.gather(
        *(sandbox.run(program.format(n), workspace, Limits(), no_tools) for n in range(4))
    )
    assert [outcome.stdout for outcome in outcomes] == ["0\n", "1\n", "2\n", "3\n"]


@pytest.mark.parametrize("request_", ["b'[' * 1_000_000", "b'{\"name\": ' * 100_000", "b'\\xff'"])
async def test_a_call_that_is_none_is_an_error_that_the_program_reads(
    run_program: RunProgram, request_: str
) -> None:
    # What a program sends by itself, without `hermes`, is never read by it before.
    program = f"import _host\nprint(_host.call({request_}).decode())"
    assert "A tool is called as tool(name" in await printed(run_program, program)
