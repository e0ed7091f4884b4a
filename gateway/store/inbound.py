"""What came in from the platforms: each event once, and kept until something has become of it."""

from dataclasses import dataclass
from typing import Protocol

from gateway.store.journal import EventState


@dataclass(frozen=True, slots=True)
class Incoming:
    """An event to be kept."""

    platform: str
    event_id: str  # the platform's own
    chat: str  # the session key
    event: str  # all of it, as JSON


class InboundStore(Protocol):
    """Inbound events. All methods raise `StoreError`."""

    async def take(self, incoming: Incoming, *, is_command: bool = False) -> bool:
        """Keep an event; False if it was taken before, restarts included."""

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
