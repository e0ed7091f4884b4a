"""The narrow waist between whoever counts model calls and whatever keeps the counts."""

from dataclasses import dataclass
from typing import Literal, Protocol

Owner = Literal["chat", "person", "all"]
"""Whose calls: a chat's (its session key), a person's (`platform:id`), or everybody's."""


@dataclass(frozen=True, slots=True)
class ModelCall:
    """One call of one model, as it ended."""

    day: str  # YYYY-MM-DD in the gateway's time zone: budgets are per day
    chat: str
    person: str
    provider: str
    model: str
    purpose: str  # turn, continue, final_summary, compress
    prompt_tokens: int  # all that was read, from a cache or not
    cached_tokens: int  # of those: read from a cache
    completion_tokens: int  # all that was written
    reasoning_tokens: int  # of those: not to be seen
    cost: float
    outcome: str  # ok, cancelled, or the code of the `ModelError`


@dataclass(frozen=True, slots=True)
class Usage:
    """What calls came to."""

    calls: int = 0
    prompt_tokens: int = 0
    cached_tokens: int = 0
    completion_tokens: int = 0
    reasoning_tokens: int = 0
    cost: float = 0.0

    @property
    def tokens(self) -> int:
        """Read and written."""
        return self.prompt_tokens + self.completion_tokens


class UsageStore(Protocol):
    """The ledger of model calls. All methods raise `StoreError`."""

    async def record(self, call: ModelCall) -> None:
        """Add a row."""

    async def usage(self, owner: Owner, key: str, since: str = "", until: str = "9") -> Usage:
        """The sum over an owner's calls of the days `since` to `until`, both included."""

    async def usage_by_model(self, chat: str, since: str = "") -> list[tuple[str, Usage]]:
        """A chat's sums for each model since a day, the dearest first."""

    async def prune(self, before: str) -> int:
        """Forget the calls of the days before this one; how many they were."""
