"""Feeds stored lines to a fresh agent and says whether it still answers the same. Blocks.

The journal keeps what was fed, and of the answers the hash. Nothing here touches the world: the
answers of models and tools are in the journal.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from gateway.chats.journal import digest
from gateway.runtime.base import Runtime
from gateway.store.journal import Life, StoredStep


@dataclass(frozen=True, slots=True)
class Replayed:
    """One step, and what the agent answers to it now."""

    step: StoredStep
    answers: Sequence[str]

    @property
    def is_same(self) -> bool:
        """Whether it is what was answered then, as far as that is known."""
        return self.step.answers in {None, digest(self.answers)}


def replay(runtime: Runtime, life: Life, steps: Sequence[StoredStep]) -> Iterator[Replayed]:
    """All steps of a life, on an agent of this runtime. Raises `AgentFailure`."""
    agent = runtime.start(life.chat)
    try:
        for step in steps:
            yield Replayed(step, agent.step(step.lines))
    finally:
        agent.close()
