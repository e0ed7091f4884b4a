"""The program that is compiled: serves lines on stdin and stdout, or stops to be a snapshot."""

# nuitka-project: --user-plugin={MAIN_DIRECTORY}/stdlib_modules.py
# nuitka-project: --python-flag=no_docstrings
# nuitka-project: --python-flag=no_site
# nuitka-project: --python-flag=static_hashes

import gc
import os
import sys

from agent_core.__main__ import serve, step, warm_up
from agent_core.warm_up import LINES

__all__ = ["rehearse", "step"]  # native/entry.c finds them in __main__

# What every agent does: it is told who it is, and answers a message.
FIRST_TURN = b"""\
{"type": "init", "protocol": 2, "config": {"session_id": "s", "model": "m"}}
{"type": "user_message", "content": "Good morning!", "sender": {"id": "1", "name": "A"}}
{"type": "api_response", "response": {"choices": [{"message": {"content": "Good morning."}}]}}
""".splitlines()
CONVERSATIONS = (LINES, FIRST_TURN)


def rehearse(which: int) -> None:
    """Play a conversation to this module's own agent, to see what it writes to in memory."""
    for line in CONVERSATIONS[which]:
        step(line)


if os.environ.get("HERMES_SNAPSHOT"):
    warm_up()
    gc.collect()
    gc.freeze()  # so that no collection in an agent's life writes to what all agents share
    os._exit(0)

code = serve(sys.stdin.buffer, sys.stdout.buffer)
sys.stdout.flush()
# Without this Python takes a quarter of a second to take itself apart, for nobody's benefit.
os._exit(code)
