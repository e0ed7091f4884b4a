"""The narrow waist between the gateway and whatever runs an agent: Wasm or plain Python."""

from collections.abc import Sequence
from typing import Protocol


class Instance(Protocol):
    """One agent. One step at a time; between steps it is only memory."""

    def step(self, lines: Sequence[str]) -> list[str]:
        """Feed protocol lines (no newline at their ends) and return the lines answered.

        Blocks; to be called off the event loop. Raises `AgentFailure`, after which the instance
        is of no more use than to be closed.
        """

    def memory_bytes(self) -> int:
        """Memory that this agent has for itself, in bytes (measured where the system tells)."""

    def rest(self) -> int:
        """Give back what memory can be given back while nothing is asked of this agent.

        Blocks for less than a millisecond, and costs the next step about as much. Returns the
        bytes that the agent still has for itself.
        """

    def close(self) -> None:
        """Give the memory back. Closing twice is fine."""


class Runtime(Protocol):
    """Starts agents. Shared by all threads of the process."""

    name: str
    artefact: str  # which agent it starts: the same artefact gives the same answers

    def start(self, chat: str) -> Instance:
        """A new agent, not yet told anything. `chat` names it in errors and logs."""

    def close(self) -> None:
        """Stop what the runtime itself has running."""
