"""The narrow waist between /model and whatever keeps which chat chose which model."""

from typing import Protocol


class ModelChoices(Protocol):
    """The chats' choices. All methods raise `StoreError`."""

    async def chosen(self, chat: str) -> str | None:
        """The label of the model that a chat has chosen; None if it has not."""

    async def choose(self, chat: str, label: str | None) -> None:
        """Note a chat's choice; None takes it back."""
