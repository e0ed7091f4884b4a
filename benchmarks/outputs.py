"""How much more memory the gateway's process has while a tool prints 100 MB.

Each tool is called in a process of its own (flooding.py); measured where there is /proc.
"""

import json
import subprocess
import sys
from pathlib import Path

from benchmarks.figure import Figure, figure
from gateway.runtime.errors import RuntimeFailure
from gateway.shell import bubblewrap

_MB = 1_000_000
_NAMES = ("execute_code", "terminal", "own")


def measure() -> list[Figure]:
    """Megabytes beyond those before, for each way of printing that there is here."""
    if not Path("/proc").exists():
        return []
    names = [name for name in _NAMES if name != "terminal" or bubblewrap.why_not() is None]
    return [
        figure(f"memory for 100 MB of output: {name}", _in_process(name) / _MB, "MB", "<=", 20)
        for name in names
    ]


def _in_process(name: str) -> int:
    done = subprocess.run(
        [sys.executable, "-m", "benchmarks.flooding", name],
        stdout=subprocess.PIPE,
        check=False,
        cwd=Path(__file__).parents[1],
    )
    if done.returncode:
        raise RuntimeFailure(f"the process that calls {name} has failed")
    return int(json.loads(done.stdout))
