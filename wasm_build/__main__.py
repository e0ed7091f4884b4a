"""`python -m wasm_build [--force]`: the command behind `./build.sh build`."""

import argparse
import sys
import time
from pathlib import Path

from wasm_build.errors import BuildError
from wasm_build.pipeline import build

ROOT = Path(__file__).parent.parent


def main() -> int:
    """Build if needed, with progress on stderr; 0, or 1 with the reason."""
    parser = argparse.ArgumentParser(prog="python -m wasm_build", description="Compile the agent.")
    parser.add_argument("--force", action="store_true", help="build even if nothing has changed")
    force: bool = parser.parse_args().force
    began = time.monotonic()

    def progress(text: str) -> None:
        print(f"wasm {time.monotonic() - began:4.0f} s  {text}", file=sys.stderr, flush=True)

    try:
        if not build(ROOT, progress, force=force):
            progress("dist/wasm is up to date")
    except BuildError as error:
        print(f"The build failed: {error}", file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
