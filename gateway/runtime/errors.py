"""What can go wrong with the Wasm artefact or with an agent.

RuntimeFailure
├── ArtefactError   the agent's file is missing, damaged or made for another version
├── NoRoom          the system gave no memory or address space for another agent
└── AgentFailure    one chat's agent came to its end; `kind` says how
"""

from enum import StrEnum

from gateway.errors import GatewayError


class RuntimeFailure(GatewayError):
    """Agents could not be run as asked."""


class ArtefactError(RuntimeFailure):
    """The agent's file can't be used; the text is one sentence that says what to do."""


class NoRoom(RuntimeFailure):
    """The system refused memory or address space for another agent; the running ones go on."""


class PoolClosed(RuntimeFailure):
    """The pool starts and steps no agents any more."""


class FailureKind(StrEnum):
    """How an agent came to its end."""

    OUT_OF_TIME = "out of time"  # a step took longer than it may
    OUT_OF_MEMORY = "out of memory"  # it asked for more than one agent may have
    TRAPPED = "trapped"  # the engine stopped it: unreachable, out of bounds, stack, exit
    RAISED = "raised"  # an exception left the step; its traceback is in `stderr`
    SPOKE_GARBAGE = "spoke garbage"  # the answer was not lines of JSON objects within its memory
    CLOSED = "closed"  # it had been closed, or had failed before


class AgentFailure(RuntimeFailure):
    """The agent of one chat can't go on and is to be thrown away; other agents are not touched.

    `chat` names it, `detail` is a sentence for the log, `stderr` the last that the agent wrote
    there (at most a few KiB; the person in the chat never sees either).
    """

    def __init__(self, chat: str, kind: FailureKind, detail: str, stderr: str = "") -> None:
        super().__init__(f"the agent of {chat} is {_CLAIMS[kind]}: {detail}")
        self.chat = chat
        self.kind = kind
        self.detail = detail
        self.stderr = stderr


_CLAIMS = {
    FailureKind.OUT_OF_TIME: "out of time",
    FailureKind.OUT_OF_MEMORY: "out of memory",
    FailureKind.TRAPPED: "stopped by a trap",
    FailureKind.RAISED: "stopped by an exception of its own",
    FailureKind.SPOKE_GARBAGE: "not making sense",
    FailureKind.CLOSED: "closed",
}
