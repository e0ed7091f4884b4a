"""What the project promises about speed and memory, measured: `python -m benchmarks`.

One file per theme. The old design (a process and a cold start of the command module per chat) is
measured in the same run. A checkout only: the wheel doesn't carry this package.
"""

import argparse
import sys
from collections.abc import Callable, Sequence
from pathlib import Path

from benchmarks import (
    build,
    extractions,
    figure,
    growth,
    history,
    known_chats,
    memory,
    outputs,
    programs,
    search,
    sizes,
    start,
    streaming,
    threads,
    turns,
    wake,
)
from gateway.runtime.errors import RuntimeFailure

THEMES: dict[str, Callable[[], list[figure.Figure]]] = {
    "start": start.measure,
    "memory": memory.measure,
    "many": memory.measure_many,
    "wake": wake.measure,
    "history": history.measure,
    "threads": threads.measure,
    "turns": turns.measure,
    "streaming": streaming.measure,
    "known": known_chats.measure,
    "programs": programs.measure,
    "outputs": outputs.measure,
    "extractions": extractions.measure,
    "growth": growth.measure,
    "sizes": sizes.measure,
    "search": search.measure,
    "build": build.measure,
}
_ON_REQUEST = ("build", "growth", "search")  # take minutes, or the toolchain


def main(argv: Sequence[str] | None = None) -> int:
    """Measure and show; 0 if all figures reach what they are to reach, 1 if not, 2 if unable."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks", description=__doc__)
    parser.add_argument("--json", type=Path, metavar="FILE", help="also write the figures there")
    parser.add_argument("--only", choices=THEMES, action="append", help="measure this; repeatable")
    parser.add_argument(
        "--all", action="store_true", help="measure all but a build, which takes minutes"
    )
    parser.add_argument("--build", action="store_true", help="measure a build, too (a minute)")
    options = parser.parse_args(argv)
    left_out = ("build",) if options.all else _ON_REQUEST
    themes = options.only or [name for name in THEMES if name not in left_out]
    if options.build and "build" not in themes:
        themes.append("build")
    figures: list[figure.Figure] = []
    for name in themes:
        print(f"measuring: {name}", file=sys.stderr, flush=True)
        try:
            figures += THEMES[name]()
        except RuntimeFailure as error:
            print(f"{name} can't be measured: {error}", file=sys.stderr)
            return 2
    figure.show(figures)
    if options.json:
        figure.write(options.json, figures)
    return 0 if all(each.holds for each in figures) else 1
