"""The engine: which modules it takes, what it keeps on disk, and what it leaves behind."""

import hashlib
import threading
from pathlib import Path

import pytest

from gateway.runtime.artefact import Artefact, read_module
from gateway.runtime.engine import Engine, EngineSettings
from gateway.runtime.errors import ArtefactError
from tests.gateway.runtime import wat_agents
from tests.gateway.runtime.wat_agents import ALLOC, MEMORY, STEP, do

LOOPING_START = "(func $start (loop (br 0))) (start $start)"
OTHER_STEP = '(func (export "agent_step") (param i32) (result i32) (i32.const 64))'
STEP_IS_A_GLOBAL = '(global (export "agent_step") i32 (i32.const 1))'
FOREIGN_IMPORT = '(import "env" "system" (func (param i32) (result i32)))'


@pytest.mark.parametrize(
    ("parts", "words"),
    [
        ([MEMORY, ALLOC], "no function agent_step"),
        ([MEMORY, STEP], "no function agent_alloc"),
        ([ALLOC, STEP], "no memory"),
        ([MEMORY, ALLOC, OTHER_STEP], "another ABI"),
        ([MEMORY, ALLOC, STEP_IS_A_GLOBAL], "no function agent_step"),
        ([FOREIGN_IMPORT, MEMORY, ALLOC, STEP], "asks for more than an agent gets"),
        (['(memory (export "memory") i64 1)', ALLOC, STEP], "64-bit"),
        (['(memory (export "memory") 1000)', ALLOC, STEP], "raise runtime.agent_memory_mb"),
    ],
)
def test_a_module_that_is_no_agent_of_ours_is_refused(
    tmp_path: Path, settings: EngineSettings, parts: list[str], words: str
) -> None:
    artefact = wat_agents.artefact(tmp_path, f"(module {' '.join(parts)})")
    with pytest.raises(ArtefactError, match=words):
        Engine(artefact, settings)


def test_a_module_that_is_damaged_inside_is_refused(
    tmp_path: Path, obedient: Artefact, settings: EngineSettings
) -> None:
    path = tmp_path / "damaged.wasm"
    path.write_bytes(obedient.wasm[:200])
    with pytest.raises(ArtefactError, match="is damaged"):
        Engine(read_module(path), settings)


def test_a_module_that_loops_before_any_step_is_refused_and_leaves_no_thread(
    tmp_path: Path, settings: EngineSettings
) -> None:
    before = set(threading.enumerate())
    wat = f"(module {MEMORY} {ALLOC} {STEP} {LOOPING_START})"
    with pytest.raises(ArtefactError, match="no agent can be started"):
        Engine(wat_agents.artefact(tmp_path, wat), settings)
    assert set(threading.enumerate()) == before


def test_tables_can_not_be_used_to_eat_memory(tmp_path: Path, settings: EngineSettings) -> None:
    grow = "(i64.extend_i32_s (table.grow 0 (ref.null func) (i32.const 1000000)))"
    wat = f"""(module {MEMORY} {ALLOC} (table 1 funcref)
      (func (export "agent_step") (param i32 i32) (result i64)
        (if (i64.ne {grow} (i64.const -1)) (then unreachable))
        (i64.const 64)))"""
    engine = Engine(wat_agents.artefact(tmp_path, wat), settings)
    agent = engine.start("a")
    assert agent.step(["{}"]) == []  # the table did not grow
    agent.close()
    engine.close()


def test_no_thread_is_left_after_closing(obedient: Artefact, settings: EngineSettings) -> None:
    before = set(threading.enumerate())
    engine = Engine(obedient, settings)
    assert set(threading.enumerate()) - before
    engine.close()
    engine.close()
    assert set(threading.enumerate()) == before


def test_an_engine_that_refuses_its_module_leaves_no_thread(
    tmp_path: Path, settings: EngineSettings
) -> None:
    before = set(threading.enumerate())
    with pytest.raises(ArtefactError):
        Engine(wat_agents.artefact(tmp_path, f"(module {ALLOC})"), settings)
    assert set(threading.enumerate()) == before


def test_agents_see_no_folders_no_environment_no_arguments_and_no_input(
    tmp_path: Path, settings: EngineSettings
) -> None:
    wasi = "wasi_snapshot_preview1"
    # Each asks one question of WASI and traps unless the answer is "nothing".
    wat = f"""(module
      (import "{wasi}" "environ_sizes_get" (func $environ (param i32 i32) (result i32)))
      (import "{wasi}" "args_sizes_get" (func $args (param i32 i32) (result i32)))
      (import "{wasi}" "fd_prestat_get" (func $prestat (param i32 i32) (result i32)))
      (import "{wasi}" "fd_read" (func $read (param i32 i32 i32 i32) (result i32)))
      {MEMORY} {ALLOC}
      (func $nothing (param i32) (if (local.get 0) (then unreachable)))
      (func (export "agent_step") (param i32 i32) (result i64)
        (i64.store (i32.const 0) (i64.const -1))
        (call $nothing (call $environ (i32.const 0) (i32.const 4)))
        (call $nothing (i32.load (i32.const 0)))
        (i64.store (i32.const 0) (i64.const -1))
        (call $nothing (call $args (i32.const 0) (i32.const 4)))
        (call $nothing (i32.load (i32.const 0)))
        (if (i32.ne (call $prestat (i32.const 3) (i32.const 0)) (i32.const 8)) (then unreachable))
        (i32.store (i32.const 16) (i32.const 64))
        (i32.store (i32.const 20) (i32.const 64))
        (i32.store (i32.const 24) (i32.const -1))
        (call $nothing
          (call $read (i32.const 0) (i32.const 16) (i32.const 1) (i32.const 24)))
        (call $nothing (i32.load (i32.const 24)))
        (i64.const 64)))"""
    engine = Engine(wat_agents.artefact(tmp_path, wat), settings)
    agent = engine.start("a")
    assert agent.step(["{}"]) == []
    agent.close()
    engine.close()


def test_compiled_code_is_kept_and_used_again(
    obedient: Artefact, settings: EngineSettings, cache_folder: Path
) -> None:
    Engine(obedient, settings).close()
    kept = list(cache_folder.iterdir())
    assert len(kept) == 1
    assert kept[0].stat().st_mode & 0o777 == 0o600
    assert cache_folder.stat().st_mode & 0o777 == 0o700
    inode = kept[0].stat().st_ino
    engine = Engine(obedient, settings)
    assert [path.stat().st_ino for path in cache_folder.iterdir()] == [inode]
    assert engine.start("a").step([do("count")]) == ['{"n":1}']
    engine.close()


def test_a_damaged_file_of_compiled_code_is_made_anew(
    obedient: Artefact, settings: EngineSettings, cache_folder: Path
) -> None:
    Engine(obedient, settings).close()
    (kept,) = cache_folder.iterdir()
    good = kept.read_bytes()
    damaged = bytearray(good)
    damaged[len(good) // 2] ^= 0xFF
    for content in (bytes(damaged), good[: len(good) // 2], b"", b"garbage"):
        kept.unlink()  # the engine before still has it mapped
        kept.write_bytes(content)
        kept.chmod(0o600)
        engine = Engine(obedient, settings)
        assert engine.start("a").step([do("count")]) == ['{"n":1}']
        engine.close()
        assert kept.read_bytes() == good


def test_code_that_the_engine_refuses_is_made_anew(
    obedient: Artefact, settings: EngineSettings, cache_folder: Path
) -> None:
    Engine(obedient, settings).close()
    (kept,) = cache_folder.iterdir()
    key = kept.name.partition(".")[0]
    kept.unlink()
    content = b"whole, but not code"
    refused = cache_folder / f"{key}.{hashlib.sha256(content).hexdigest()}.cwasm"
    refused.write_bytes(content)
    refused.chmod(0o600)
    engine = Engine(obedient, settings)
    assert engine.start("a").step([do("count")]) == ['{"n":1}']
    engine.close()
    assert list(cache_folder.iterdir()) == [kept]


def test_an_unwritable_cache_only_costs_time(obedient: Artefact, tmp_path: Path) -> None:
    blocked = tmp_path / "a file"
    blocked.write_text("in the way")
    engine = Engine(obedient, EngineSettings(cache_folder=blocked / "cache"))
    assert engine.start("a").step([do("count")]) == ['{"n":1}']
    engine.close()
