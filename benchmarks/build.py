"""How long a build takes when the tools are there. Rewrites dist/wasm with the same content."""

import subprocess
import sys
import time
from pathlib import Path

from benchmarks.figure import Figure, figure


def measure() -> list[Figure]:
    """One build from the sources, as `./build.sh build` does it."""
    began = time.perf_counter()
    subprocess.run(
        [sys.executable, "-m", "wasm_build", "--force"], check=True, cwd=Path(__file__).parents[1]
    )
    taken_s = time.perf_counter() - began
    return [figure("build from a warm toolchain", taken_s, "s", "<=", 90)]
