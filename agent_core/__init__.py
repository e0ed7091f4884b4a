"""The brain: a conversation loop that is only lines in, lines out.

Pure standard library, no clock, no randomness, no I/O (but for `__main__`). What it needs from
the world it asks for by a message, and the host answers with one; the same messages in give the
same messages out. `docs/protocol.md` is the specification of both directions.

    agent.Agent        takes a message, gives messages; knows what is open and whose answer it is
    turn               the conversation loop, a generator that yields what it waits for
    session            what an agent remembers between turns
    history            what a list of messages must look like, and how to mend one
    compression        what to do when it grows too long
"""

from agent_core.agent import Agent
from agent_core.protocol import AGENT_NAME, PROTOCOL_VERSION, __version__

__all__ = ["AGENT_NAME", "PROTOCOL_VERSION", "Agent", "__version__"]
