"""What a person is told when a turn could not be carried out. Pure.

One short sentence in their words; the id is what the administrator finds in the log, where the
rest is told. Failed model calls are no business of this file: the agent reports those itself.
"""

from adapters.base import Button, Inbound
from gateway.chats.journal import AgentChanged
from gateway.delivery.reply import Buttons
from gateway.errors import GatewayError
from gateway.runtime.errors import AgentFailure, NoRoom, PoolClosed
from gateway.store.errors import StoreError, StoreFull

RETRY_PREFIX = "retry"  # of what the button under a failed answer says
RESTARTING = "I am being restarted. Please send that again in a moment."
LATER = "I will do that as soon as this answer is finished."
TOO_MUCH_WAITS = "Too much waits in this chat already, so I did not do that. Please try later."


class AgentMisbehaved(GatewayError):
    """The agent broke the protocol, or said itself that it can't go on."""


class TurnGivenUp(GatewayError):
    """A turn was taken up too often after restarts."""


_SENTENCES: tuple[tuple[type[BaseException], str], ...] = (
    (StoreFull, "I can't keep anything at the moment: there is no room left on my disk."),
    (StoreError, "I can't get at what I have stored at the moment. Please try again later."),
    (
        AgentFailure,
        "I lost my thread, but our conversation so far is safe. Please say that again.",
    ),
    (NoRoom, "I have too much to do at the moment. Please try again in a while."),
    (PoolClosed, RESTARTING),
    (
        AgentChanged,
        "I was updated in the middle of my answer and can't go on. Please say that again.",
    ),
    (TurnGivenUp, "I was restarted too often in the middle of my answer. Please say that again."),
)
_OTHERWISE = "Something went wrong on my side. Please try again."


def apology(error: BaseException, error_id: str) -> str:
    """The sentence for an error."""
    for kind, sentence in _SENTENCES:
        if isinstance(error, kind):
            return f"{sentence} (error {error_id})"
    return f"{_OTHERWISE} (error {error_id})"


def retry_button(message: Inbound, turn: str) -> Buttons:
    """What stands under an answer that failed; nothing where there is no message to ask again."""
    if message.scheduled is not None or message.command is not None:
        return ()
    return ((Button("Try again", f"{RETRY_PREFIX}:{turn}"),),)
