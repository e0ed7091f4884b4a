"""Finds out which objects of the image a working agent writes to, so that they can lie together.

CPython counts references inside the objects, so an agent writes to whatever it looks at: a few
thousand small objects, which start-up scatters over hundreds of pages, each of which every agent
would own a copy of. So start-up is run once with each object on a page of its own; an instance
made from that image rehearses a conversation; and the kernel tells which pages it had to copy.
The numbers of those objects, in the order of allocation, are the plan for the real start-up. What
every first turn writes to is kept apart from what only some turns do.
`native/heap.c` is the other side and carries out the plan.
"""

import ctypes
import struct
from array import array
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path

from wasmtime import Engine, Func, Memory
from wasmtime import Module as CompiledModule

from wasm_build.errors import BuildError
from wasm_build.snapshot import snapshot_module
from wasm_build.startup import Startup, extern, instantiate
from wasm_build.wasm_module import Module

PAGEMAP = Path("/proc/self/pagemap")  # Linux only
REHEARSE = "agent_rehearse"

NO_PLAN, EACH_ALONE, HOT_TOGETHER = range(3)
_OS_PAGE = 4096
_COUNTED = 1 << 20  # requests that a plan can speak of; a start-up makes a quarter of that
CONVERSATIONS = (0, 1)  # of staged/hermes_agent.py: through all the agent can, and a first turn
_LABEL = struct.Struct("<III")  # mark, number, size: the end of a page with one object
_MARK = 0x0A110CE5
# Documentation/admin-guide/mm/pagemap.rst: bit 63 the page is there, 61 it is still the file's.
_PRESENT, _SHARED = 1 << 63, 1 << 61


def plan_start_up(engine: Engine, compiled: Module, startup: Startup) -> bytes:
    """The plan for a start-up that puts together what is written to. Raises `BuildError`.

    Where the system doesn't tell which pages were copied, the plan is to do nothing: the snapshot
    works just as well, and its agents use twice the memory.
    """
    if not PAGEMAP.exists():
        return encode_plan(NO_PLAN, {})
    state = startup.run(encode_plan(EACH_ALONE, {}))
    module = snapshot_module(compiled, state, (REHEARSE, "memory"))
    machine_code = CompiledModule(engine, module.encode())
    heat: dict[int, int] = {}
    for conversation in CONVERSATIONS:
        store, instance = instantiate(engine, machine_code)
        memory = extern(store, instance, "memory", Memory)
        if extern(store, instance, REHEARSE, Func)(store, conversation) != 1:
            raise BuildError("the agent failed in the conversation by which its memory is arranged")
        address = ctypes.addressof(memory.data_ptr(store).contents)
        copied = copied_pages(address, memory.data_len(store))
        heat |= dict.fromkeys(object_numbers(state.memory, copied), conversation + 1)
    return encode_plan(HOT_TOGETHER, heat)


def copied_pages(address: int, size: int) -> Iterator[int]:
    """Numbers of the pages in a private mapping that no longer are the mapped file's."""
    entries = array("Q")
    with PAGEMAP.open("rb", buffering=0) as pagemap:
        pagemap.seek(address // _OS_PAGE * entries.itemsize)
        entries.frombytes(pagemap.read(size // _OS_PAGE * entries.itemsize))
    for number, entry in enumerate(entries):
        if entry & _PRESENT and not entry & _SHARED:
            yield number


def object_numbers(memory: bytes, pages: Iterable[int]) -> Iterator[int]:
    """The numbers of the objects that have one of these pages of `memory` for themselves."""
    for page in pages:
        end = (page + 1) * _OS_PAGE
        if end <= len(memory):
            mark, number, _ = _LABEL.unpack_from(memory, end - _LABEL.size)
            if mark == _MARK:
                yield number


def encode_plan(mode: int, heat: Mapping[int, int]) -> bytes:
    """What native/heap.c calls `plan`: mode, counter, and two bits for each request's heat."""
    bits = bytearray(_COUNTED // 4)
    for number, level in heat.items():
        if number < _COUNTED:
            bits[number // 4] |= level << number % 4 * 2
    return struct.pack("<II", mode, 0) + bits
