"""A server of Anthropic's Messages API: the part that the gateway uses, over real HTTP.

It speaks `POST /v1/messages`, streamed (server-sent events) and plain, and refuses what the real
API refuses (`rules.py`): no key or a wrong one, no `anthropic-version`, no `max_tokens`, roles that
don't alternate, a `tool_use` whose `tool_result` does not come at once, blank text blocks, more
than four cache breakpoints, thinking whose signature is not the server's own. It knows no other
endpoint.

In a test it answers what was enqueued, in order, and keeps every request:

    server.enqueue("Hello", thinking="They greet me.")
    server.enqueue(tool_calls=[("memory", {"action": "read"})])
    server.refuse(529, "Overloaded")
    server.enqueue("half of it", cut_after=4)      # the connection breaks after four events

By hand, or for a process under test, it says what was said last:

    python -m tests.fakes.messages --port 8082
"""

from tests.fakes.messages.answers import USAGE, make_message
from tests.fakes.messages.rules import find_problem, signature_of
from tests.fakes.messages.server import KEY, MessagesServer, error

__all__ = [
    "KEY",
    "USAGE",
    "MessagesServer",
    "error",
    "find_problem",
    "make_message",
    "signature_of",
]
