"""How often a growing message is edited. Pure; the clock is `reply`'s."""

from dataclasses import dataclass, replace

SLOWEST_S = 10.0
MAX_STRIKES = 3


@dataclass(frozen=True, slots=True)
class Pace:
    """The time between two edits, and how often the platform has objected."""

    interval_s: float
    strikes: int = 0
    wait_s: float = 0  # before the next edit, when the platform said for how long

    @property
    def pause_s(self) -> float:
        """How long to wait before the next edit."""
        return max(self.interval_s, self.wait_s)

    @property
    def is_hopeless(self) -> bool:
        """Whether to leave the rest to the final text."""
        return self.strikes >= MAX_STRIKES

    def after_flood(self, retry_after_s: float) -> "Pace":
        """The platform wants fewer edits: half as many, and none before the stated time."""
        return Pace(min(2 * self.interval_s, SLOWEST_S), self.strikes + 1, retry_after_s)

    def after_failure(self) -> "Pace":
        """An edit failed for another reason."""
        return replace(self, strikes=self.strikes + 1, wait_s=0)

    def after_success(self) -> "Pace":
        """An edit was made."""
        return replace(self, wait_s=0)
