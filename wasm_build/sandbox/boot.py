"""What runs inside the sandbox around the program: prepared once, for the snapshot; then `run`.

Imports what programs usually import, so that it costs them nothing; `library.py` has the rest. At
run time there is no folder but the chat's own.
"""

import atexit
import gc
import importlib
import io
import linecache
import marshal
import os
import random
import sys
import traceback
from types import CodeType, ModuleType, TracebackType
from typing import Any

WORKSPACE = "/workspace"
PROGRAM = "program.py"
RECURSION_LIMIT = 1000
OUR_FILES = ("<hermes>", f"{WORKSPACE}/library.py")  # not to be shown in tracebacks

USUAL = """
    abc argparse array ast base64 binascii bisect calendar cmath collections collections.abc
    contextlib copy csv dataclasses datetime decimal difflib enum fnmatch fractions functools glob
    hashlib heapq html io itertools json math numbers operator os os.path pathlib pprint random re
    secrets shutil statistics string struct tempfile textwrap time traceback types typing
    unicodedata urllib.parse uuid zoneinfo hermes
"""


def prepare() -> None:
    """Everything that is the same for all programs."""
    for name in USUAL.split():
        importlib.import_module(name)
    _know_zones()
    _warm_up()
    # The folder that the snapshot is made in is not the one that programs see.
    for module in list(sys.modules.values()):
        if str(getattr(module, "__file__", "")).startswith(WORKSPACE):
            _forget_file(module)
    sys.path_importer_cache.clear()
    linecache.clearcache()
    os.environ.clear()
    os.environ.update(HOME=WORKSPACE, LANG="C.UTF-8", PWD=WORKSPACE, TMPDIR=WORKSPACE)
    os.chdir(WORKSPACE)
    tempfile: Any = sys.modules["tempfile"]
    tempfile.tempdir = WORKSPACE
    sys.argv = [PROGRAM]
    gc.collect()
    gc.freeze()  # no collection of a program looks at what all programs share


def _forget_file(module: ModuleType) -> None:
    module.__file__ = f"<stdlib>/{module.__name__}"
    if hasattr(module, "__path__"):
        module.__path__ = []


def _know_zones() -> None:
    """Let `zoneinfo` find in memory what it looks for in the `tzdata` package elsewhere."""
    with open(f"{WORKSPACE}/zones.marshal", "rb") as file:  # noqa: PTH123 - as in library.py
        zones: dict[str, bytes] = marshal.load(file)  # noqa: S302 - our own
    common: Any = importlib.import_module("zoneinfo._common")

    def load_tzdata(key: str) -> io.BytesIO:
        if key not in zones:
            raise common.ZoneInfoNotFoundError(f"No time zone found with key {key}")
        return io.BytesIO(zones[key])

    common.load_tzdata = load_tzdata


def _warm_up() -> None:
    """Do once what is slow the first time only."""
    run(b"import json\nprint([i for i in range(3)])")
    run(b"def f(x):\n    return 1 / x\nf(0)")
    re: Any = sys.modules["re"]
    re.purge()


def run(source: bytes) -> int:
    """Run a program as `python program.py` would; its exit code."""
    random.seed()  # the snapshot's state is everybody's
    sys.setrecursionlimit(RECURSION_LIMIT)
    main = ModuleType("__main__")
    main.__builtins__ = __builtins__  # type: ignore[attr-defined]  # as the interpreter sets it
    sys.modules["__main__"] = main
    text = source.decode("utf-8", "replace")
    linecache.cache[PROGRAM] = (len(text), None, text.splitlines(keepends=True), PROGRAM)
    try:
        exec(_compiled(text), main.__dict__)  # noqa: S102 - what this is for
    except SystemExit as error:
        status = _exit_status(error)
    except BaseException as error:  # noqa: BLE001 - the program's own, shown as Python shows it
        _show(error)
        status = 1
    else:
        status = 0
    _finish(main)
    return status if _flushed() else status or 1


def _finish(main: ModuleType) -> None:
    """What Python does at its end, as far as a program may count on it: files get closed."""
    atexit._run_exitfuncs()
    main.__dict__.clear()
    gc.collect()


def _compiled(text: str) -> CodeType:
    return compile(text, PROGRAM, "exec", dont_inherit=True)


def _exit_status(error: SystemExit) -> int:
    if error.code is None:
        return 0
    if isinstance(error.code, int):
        return error.code & 0xFF
    print(error.code, file=sys.stderr)
    return 1


def _show(error: BaseException) -> None:
    frames: list[TracebackType] = []
    place = error.__traceback__
    while place:
        if not place.tb_frame.f_code.co_filename.startswith(OUR_FILES):
            frames.append(place)
        place = place.tb_next
    shown = None
    for frame in reversed(frames):
        frame.tb_next, shown = shown, frame
    traceback.print_exception(type(error), error, shown)


def _flushed() -> bool:
    """Whether all that was printed could be written."""
    try:
        sys.stdout.flush()
        sys.stderr.flush()
    except (OSError, ValueError, AttributeError):  # the program has closed or replaced them
        return False
    return True
