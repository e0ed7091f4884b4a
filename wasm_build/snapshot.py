"""Writes the state of a started module back as a module, which therefore has nothing to start.

Linear memory becomes its data, in segments that a host can map copy-on-write into every agent;
globals become initial values. `startup` gets the state, `hot_objects` makes it worth sharing.
"""

from collections.abc import Iterator, Sequence

from wasm_build.startup import State
from wasm_build.wasm_module import PAGE, START, Global, Module, Segment, i32_const

COMMAND_EXPORTS = ("_start", "memory")
SNAPSHOT_EXPORTS = ("agent_alloc", "agent_step", "memory")

_OS_PAGE = 4096
_GAP_PAGES = 4  # a run of fewer zero pages than this stays inside its segment


def snapshot_module(
    compiled: Module, state: State, exports: Sequence[str] = SNAPSHOT_EXPORTS
) -> Module:
    """The module that starts where `compiled` stood when its state was taken."""
    values = [
        Global(each.value_type, each.is_mutable, i32_const(state.mutable_globals[index]))
        if index in state.mutable_globals
        else each
        for index, each in enumerate(compiled.globals())
    ]
    return (
        compiled.without(START)
        .keeping_exports(exports)
        .with_globals(values)
        .with_memory_pages(len(state.memory) // PAGE)
        .with_segments(list(segments(state.memory)))
    )


def segments(memory: bytes) -> Iterator[Segment]:
    """What is not zero in `memory`, in whole pages of the operating system."""
    blank = bytes(_OS_PAGE)
    start = end = None  # of the segment that is growing
    for offset in range(0, len(memory), _OS_PAGE):
        if memory[offset : offset + _OS_PAGE] == blank:
            continue
        if start is None or end is None:
            start = offset
        elif offset - end >= _GAP_PAGES * _OS_PAGE:
            yield Segment(start, memory[start:end].rstrip(b"\0"))
            start = offset
        end = offset + _OS_PAGE
    if start is not None:
        yield Segment(start, memory[start:end].rstrip(b"\0"))
