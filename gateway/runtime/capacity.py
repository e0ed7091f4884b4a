"""How many agents fit: what one costs, measured with a few, against what there is.

The decision is a pure function; only `measure_agent` runs anything.
"""

import json
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from agent_core import PROTOCOL_VERSION
from gateway.runtime.base import Runtime

# Of the kernel: stack before the image, image, heap behind it, guard. Measured by benchmarks.
MAPPINGS_PER_AGENT: Final = 4
_MAPPINGS_OF_THE_REST: Final = 1_000
_MAX_MAP_COUNT = Path("/proc/sys/vm/max_map_count")
_MEASURED_AGENTS = 3

FIRST_LINES: Final = tuple(
    json.dumps(message)
    for message in (
        {
            "type": "init",
            "protocol": PROTOCOL_VERSION,
            "config": {
                "protocol": PROTOCOL_VERSION,
                "session_id": "capacity",
                "model": "capacity",
                "now": "2000-01-01T00:00:00+00:00",
            },
        },
        {
            "type": "user_message",
            "content": "x" * 1_000,
            "message_id": "capacity",
            "now": "2000-01-01T00:00:00+00:00",
        },
    )
)


@dataclass(frozen=True, slots=True)
class Capacity:
    """How many warm agents fit, and what sets that number."""

    agents: int
    bound_by: str
    agent_bytes: int


def measure_agent(runtime: Runtime, lines: Sequence[str]) -> int:
    """Bytes that an agent has for itself once it has been told `lines`; the largest of a few.

    Blocks for some milliseconds. Raises `RuntimeFailure`.
    """
    sizes = []
    for number in range(_MEASURED_AGENTS):
        instance = runtime.start(f"capacity:{number}")
        try:
            instance.step(lines)
            sizes.append(instance.rest())
        finally:
            instance.close()
    return max(sizes)


def capacity(
    *, agent_bytes: int, max_agents: int, memory_budget_bytes: int, mappable_agents: int | None
) -> Capacity:
    """The least of what count, memory budget and kernel mappings (None: no limit) allow."""
    bounds = {"max_agents": max_agents, "memory budget": memory_budget_bytes // agent_bytes}
    if mappable_agents is not None:
        bounds["vm.max_map_count"] = mappable_agents
    bound_by, agents = min(bounds.items(), key=lambda bound: bound[1])
    return Capacity(max(1, agents), bound_by, agent_bytes)


def mappable_agents() -> int | None:
    """How many Wasm agents the kernel's limit of mappings per process allows, if it has one."""
    try:
        limit = int(_MAX_MAP_COUNT.read_text())
    except (OSError, ValueError):
        return None
    return max(1, (limit - _MAPPINGS_OF_THE_REST) // MAPPINGS_PER_AGENT)
