"""The agent as plain Python in this process: for `--dev`, and to compare Wasm with.

The same lines in and out as a Wasm agent's, and none of its walls: no limit of time or memory.
"""

from collections.abc import Sequence

from agent_core import Agent, __version__

# The very loop of the Wasm agent, so that both answer bad lines and defects alike.
from agent_core.__main__ import feed
from gateway.runtime.errors import AgentFailure, FailureKind

# Guessed, not measured: Python doesn't tell what belongs to one agent. What was fed, as objects,
# takes some times its length in JSON.
_BASE_BYTES = 65_536
_BYTES_PER_FED_BYTE = 3


class NativeInstance:
    """Implements `gateway.runtime.base.Instance`."""

    def __init__(self, chat: str) -> None:
        self._chat = chat
        self._agent: Agent | None = Agent()
        self._fed_bytes = 0

    def step(self, lines: Sequence[str]) -> list[str]:
        """See `Instance.step`. A defect of the agent's, as any exception, is an `AgentFailure`."""
        if self._agent is None:
            raise AgentFailure(self._chat, FailureKind.CLOSED, "it can't be stepped any more")
        self._fed_bytes += sum(map(len, lines))
        try:
            answer = feed(self._agent, "\n".join(lines).encode()).decode()
        except Exception as error:
            self.close()
            detail = f"{type(error).__name__}: {error}"
            raise AgentFailure(self._chat, FailureKind.RAISED, detail) from error
        return answer.split("\n")[:-1]

    def memory_bytes(self) -> int:
        """A guess by what was fed."""
        if self._agent is None:
            return 0
        return _BASE_BYTES + self._fed_bytes * _BYTES_PER_FED_BYTE

    def rest(self) -> int:
        """Nothing can be given back."""
        return self.memory_bytes()

    def close(self) -> None:
        """Let the agent go."""
        self._agent = None


class NativeRuntime:
    """Implements `gateway.runtime.base.Runtime`."""

    name = "native"
    artefact = f"native {__version__}"

    def start(self, chat: str) -> NativeInstance:
        """A new agent."""
        return NativeInstance(chat)

    def close(self) -> None:
        """Nothing runs between steps."""
