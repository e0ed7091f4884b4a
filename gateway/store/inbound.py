"""What came in from the platforms: each event once, and kept until something has become of it."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Literal, Protocol

from gateway.store.journal import EventState


@dataclass(frozen=True, slots=True)
class Incoming:
    """An event to be kept."""

    platform: str
    event_id: str  # the platform's own
    chat: str  # the session key
    event: str  # all of it, as JSON


AsideKind = Literal["overheard", "done"]
"""Said to others, or done to a message."""


@dataclass(frozen=True, slots=True)
class Aside:
    """What was not said to the bot, and is told to it with the chat's next message."""

    chat: str  # the session key
    kind: AsideKind
    person: str  # whose words or doing it is: platform:id
    name: str  # what they are called
    text: str


class InboundStore(Protocol):
    """Inbound events. All methods raise `StoreError`."""

    async def take(self, incoming: Incoming, *, is_command: bool = False) -> bool:
        """Keep an event; False if it was taken before, restarts included."""

    async def take_telling(
        self, incoming: Incoming, add: Callable[[str, Sequence[Aside]], str]
    ) -> str | None:
        """Keep an event that is told what its chat has not been told yet, oldest first: `add` makes
        that part of it. Returns the event as it is kept; None if it was taken before.

        If the event comes to nothing, refused or dropped, the next one is told.
        """

    async def take_aside(self, incoming: Incoming, aside: Aside, limit: int) -> bool:
        """Remember that an event came, and keep of it what is to be told; False if it came before.

        Of a chat the last `limit` asides of a kind are kept.
        """

    async def take_answer(self, incoming: Incoming, question: str, answer: str) -> bool:
        """Keep an event that answers a question, with its answer (JSON), as one; False if seen."""

    async def take_note(self, incoming: Incoming) -> bool:
        """Remember that an event came, and nothing of what it says; False if it came before."""

    async def change(self, incoming: Incoming) -> None:
        """Keep an event that still waits as it is now, under its old id."""

    async def settle(self, platform: str, event_id: str, state: EventState) -> None:
        """Note what became of an event."""

    async def waiting(self) -> list[str]:
        """The events, as JSON, that nothing has become of yet, in the order of their coming."""

    async def steering(self, chat: str) -> list[str]:
        """The events, as JSON, that have gone into a chat's running turn, in their order."""

    async def cut_off(self) -> list[str]:
        """The commands, as JSON, of which nobody knows whether they took effect."""
