"""Makes `python_sandbox.wasm`: CPython's library linked with our C files, started, written back.

Unlike the agent nothing is compiled to C here: programs are what people's agents write later. What
the module may ask of its host is a list that is checked, because it is the whole of the sandbox.
"""

import marshal
import shutil
import subprocess
from collections.abc import Callable
from importlib import resources
from pathlib import Path

from wasmtime import (
    Caller,
    Config,
    Engine,
    Func,
    FuncType,
    Memory,
    Store,
    Trap,
    ValType,
    WasiConfig,
    WasmtimeError,
)
from wasmtime import Module as CompiledModule

from wasm_build.errors import BuildError
from wasm_build.output import last_lines
from wasm_build.snapshot import snapshot_module
from wasm_build.startup import (
    State,
    extern,
    repeatable_linker,
    state_of,
    with_globals_in_sight,
)
from wasm_build.toolchain import PYTHON, Toolchain, compile_c, zig_cc
from wasm_build.wasm_module import CUSTOM, Module

HERE = Path(__file__).parent
EXPORTS = ("memory", "sandbox_alloc", "sandbox_run", "sandbox_postmortem")

GUARDED = (
    "fd_allocate",
    "fd_filestat_set_size",
    "fd_pwrite",
    "fd_write",
    "path_create_directory",
    "path_link",
    "path_open",
    "path_symlink",
    "poll_oneoff",
)
"""What guards.c stands in for; it calls the libc's own as `hermes_real_…`."""

WASI_IMPORTS = """
    clock_res_get clock_time_get environ_get environ_sizes_get fd_advise fd_close fd_datasync
    fd_fdstat_get fd_fdstat_set_flags fd_filestat_get fd_filestat_set_size fd_filestat_set_times
    fd_pread fd_prestat_dir_name fd_prestat_get fd_pwrite fd_read fd_readdir fd_seek fd_sync fd_tell
    fd_write path_create_directory path_filestat_get path_filestat_set_times path_open path_readlink
    path_remove_directory path_rename path_unlink_file proc_exit random_get sched_yield
"""
"""No sockets, no links, no waiting: a build that needs another one has to be looked at."""

_STACK_BYTES = 8 << 20
_LINK_FLAGS = ("-Wl,--strip-all", "-Wl,--gc-sections", f"-Wl,-z,stack-size={_STACK_BYTES}")
_EMULATED = ("signal", "getpid", "process-clocks")


def build_sandbox(tools: Toolchain, work: Path, progress: Callable[[str], None]) -> bytes:
    """The module, ready to run programs. Uses `work` as its own folder. Raises `BuildError`."""
    progress("linking the code sandbox")
    if work.exists():
        shutil.rmtree(work)
    staged = work / "staged"
    staged.mkdir(parents=True)
    linked = Module.parse(_link(tools, work / "linked.wasm").read_bytes()).without(CUSTOM)
    _stage(tools, staged)
    progress("starting its Python, to take the snapshot")
    return snapshot_module(linked, _started(linked, staged), EXPORTS).encode()


def _link(tools: Toolchain, target: Path) -> Path:
    changed = [f"-D__wasi_{name}=hermes_real_{name}" for name in GUARDED]
    libc = tools.wasi_libc / "libc-bottom-half" / "sources" / "__wasilibc_real.c"
    objects = [
        # These two first: whatever else mentions a function of WASI would otherwise make the linker
        # take the libc's own file of them, in which every function comes a second time.
        compile_c(tools, libc, changed),
        compile_c(tools, HERE / "guards.c"),
        compile_c(tools, HERE / "modules.c"),
        compile_c(tools, HERE / "entry.c"),
        *(tools.objects / f"{name}.o" for name in ("heap", "wasi_stubs")),
    ]
    libraries = [
        tools.wasi_python / "lib" / f"lib{name}.a" for name in ("python3.11", "mpdec", "expat")
    ]
    arguments = ["-O2", "-mexec-model=reactor", *map(str, objects), *map(str, libraries)]
    arguments += [f"-lwasi-emulated-{name}" for name in _EMULATED]
    zig_cc(tools, [*arguments, *_LINK_FLAGS, "-o", str(target)], "the code sandbox")
    return target


def _stage(tools: Toolchain, staged: Path) -> None:
    """What the interpreter finds in its only folder when it starts."""
    library = tools.wasi_python / "lib" / f"python{PYTHON}"
    # Python needs a text encoding before it can import anything in our way.
    shutil.copytree(
        library / "encodings", staged / "encodings", ignore=shutil.ignore_patterns("__pycache__")
    )
    shutil.copy(HERE / "library.py", staged)
    ours = [str(HERE / name) for name in ("boot.py", "hermes.py")]
    command = [str(tools.python), "-S", str(HERE / "freeze.py"), str(library)]
    done = subprocess.run(  # noqa: S603 - our own argument list
        [*command, str(staged / "stdlib.marshal"), *ours],
        env=tools.environment,
        check=False,
        capture_output=True,
        text=True,
    )
    (staged / "zones.marshal").write_bytes(marshal.dumps(_zones()))
    if done.returncode:
        raise BuildError(f"the standard library can't be collected:\n{last_lines(done.stderr)}")


def _zones() -> dict[str, bytes]:
    """The time zone database, by the names of zones; many of them share one content."""
    folder = resources.files("tzdata") / "zoneinfo"
    names = (resources.files("tzdata") / "zones").read_text().split()
    kept: dict[bytes, bytes] = {}
    found = {name: folder.joinpath(*name.split("/")).read_bytes() for name in names}
    return {name: kept.setdefault(content, content) for name, content in found.items()}


def _started(linked: Module, staged: Path) -> State:
    config = Config()
    config.cranelift_opt_level = "none"  # it runs for a moment only
    engine = Engine(config)
    machine_code = CompiledModule(engine, with_globals_in_sight(linked).encode())
    asked = {each.name for each in machine_code.imports if each.module == "wasi_snapshot_preview1"}
    if unknown := asked - set(WASI_IMPORTS.split()):
        raise BuildError(f"the sandbox would ask for {', '.join(sorted(map(str, unknown)))}")
    said: list[bytes] = []
    store = Store(engine)
    wasi = WasiConfig()
    wasi.preopen_dir(str(staged), "/workspace")
    store.set_wasi(wasi)
    linker = repeatable_linker(engine)
    i32, i64 = ValType.i32(), ValType.i64()

    def keep(caller: Caller, _stream: int, address: int, size: int) -> None:
        memory = caller["memory"]
        assert isinstance(memory, Memory)  # noqa: S101 - for the type checker
        said.append(bytes(memory.read(caller, address, address + size)))

    linker.define_func("hermes", "print", FuncType([i32] * 3, []), keep, access_caller=True)
    linker.define_func("hermes", "may_write", FuncType([i64], [i32]), lambda _size: 0)
    linker.define_func("hermes", "sleep", FuncType([i64], [i32]), lambda _time: 1)
    linker.define_func("hermes", "tool_call", FuncType([i32, i32], [i32]), lambda *_request: -1)
    linker.define_func("hermes", "tool_answer", FuncType([i32], []), lambda _room: None)
    try:
        instance = linker.instantiate(store, machine_code)
        extern(store, instance, "_initialize", Func)(store)
        is_up = extern(store, instance, "sandbox_boot", Func)(store)
    except (Trap, WasmtimeError) as error:
        raise BuildError(f"the sandbox does not start: {error}") from error
    if is_up != 1:
        text = b"".join(said).decode(errors="replace")
        raise BuildError(f"the sandbox does not start:\n{last_lines(text)}")
    return state_of(linked, store, instance)
