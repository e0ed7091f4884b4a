"""The only place of the brain that does I/O: lines on stdin, lines on stdout.

`step` is the same without the streams, for a host that calls the agent as a function (the
snapshot does); it works on the one agent that this process or Wasm instance holds.
"""

import sys
import traceback
from typing import BinaryIO

from agent_core.agent import Agent
from agent_core.warm_up import LINES
from agent_core.wire import BadLine, Message, encode, parse_line

_agent = Agent()


def step(data: bytes) -> bytes:
    """Feed newline-delimited messages, get the answers, a line each. Blank lines are skipped."""
    return feed(_agent, data)


def serve(stdin: BinaryIO, stdout: BinaryIO) -> int:
    """Answer line by line until `shutdown` or the end of the input; returns the exit code."""
    for line in stdin:
        stdout.write(step(line))
        stdout.flush()
        if _agent.is_closed:
            break
    return 0


def warm_up() -> None:
    """Run a throw-away agent once through its paths, so that a snapshot holds what they build."""
    agent = Agent()
    for line in LINES:
        feed(agent, line)


def feed(agent: Agent, data: bytes) -> bytes:
    """As `step`, for an agent of the caller's."""
    out = [
        encode(answer) + "\n"
        for line in data.split(b"\n")
        if line.strip()
        for answer in _answers(agent, line)
    ]
    return "".join(out).encode()


def _answers(agent: Agent, line: bytes) -> list[Message]:
    try:
        return agent.receive(parse_line(line))
    except BadLine as error:
        return [{"type": "error", "message": f"{error}; it was ignored.", "code": "bad_line"}]
    except Exception as error:  # noqa: BLE001 - reported to the host as fatal, and to its log
        # A defect of ours: the host must throw this agent away, and its log must say why.
        traceback.print_exc(file=sys.stderr)
        text = f"The agent failed inside: {type(error).__name__}."
        return [{"type": "error", "message": text, "code": "internal", "fatal": True}]


if __name__ == "__main__":
    sys.exit(serve(sys.stdin.buffer, sys.stdout.buffer))
