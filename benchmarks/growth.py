"""Whether a process grows that goes on and on (long_run.py). Takes some minutes."""

import json
import subprocess
import sys
from pathlib import Path

from benchmarks.figure import Figure, figure


def measure() -> list[Figure]:
    """The growth of private memory after the first thousand turns, in per cent."""
    done = subprocess.run(
        [sys.executable, "-m", "benchmarks.long_run", "growth"],
        stdout=subprocess.PIPE,
        check=True,
        cwd=Path(__file__).parents[1],
    )
    found = json.loads(done.stdout)
    percent = 100 * (found["after_all"] / found["after_first"] - 1)
    return [
        figure(
            f"{found['turns']:,} turns: growth after the first {found['first']:,}",
            percent,
            "%",
            "<=",
            5,
        ),
        figure("private memory after them", found["after_all"] / 1_000_000, "MB"),
    ]
