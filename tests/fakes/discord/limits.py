"""Rate limits as Discord states them: a bucket for each route and channel, and one for all.

What comes in beyond a bucket is answered with 429 and counted: a client that reads the headers
never gets there.
"""

import time
from dataclasses import dataclass, field

Bucket = tuple[str, str]  # the kind of call, and the channel or so


@dataclass(frozen=True)
class Rates:
    """So many calls in so many seconds."""

    messages: tuple[int, float] = (
        5,
        5.0,
    )  # new ones in a channel; edits are counted apart
    reactions: tuple[int, float] = (1, 0.25)
    others: tuple[int, float] = (50, 1.0)
    total: tuple[int, float] = (50, 1.0)


@dataclass
class Window:
    """A bucket with a fixed window."""

    limit: int
    seconds: float
    ends_at: float = 0.0
    used: int = 0

    def take(self, now: float) -> float | None:
        """Count a call; how long to wait if there were too many, in seconds."""
        if now >= self.ends_at:
            self.ends_at, self.used = now + self.seconds, 0
        if self.used >= self.limit:
            return self.ends_at - now
        self.used += 1
        return None

    def headers(self, bucket: Bucket, now: float) -> dict[str, str]:
        """What an answer says about it."""
        return {
            "X-RateLimit-Limit": str(self.limit),
            "X-RateLimit-Remaining": str(self.limit - self.used),
            "X-RateLimit-Reset": f"{time.time() + self.ends_at - now:.3f}",
            "X-RateLimit-Reset-After": f"{self.ends_at - now:.3f}",
            "X-RateLimit-Bucket": bucket[0],
        }


@dataclass
class RateLimits:
    """All buckets of one bot."""

    rates: Rates = field(default_factory=Rates)
    violations: list[str] = field(default_factory=list)
    _windows: dict[Bucket, Window] = field(default_factory=dict)
    _total: Window | None = None

    def take(self, bucket: Bucket, *, is_free: bool = False) -> tuple[float | None, dict[str, str]]:
        """Count a call: how long it has to wait, if it was too much, and the headers.

        Interactions are free of the limit for all ("Rate Limits", global).
        """
        now = time.monotonic()
        if self._total is None:
            self._total = Window(*self.rates.total)
        wait = None if is_free else self._total.take(now)
        if wait is not None:
            self.violations.append(f"global: {bucket}")
            return wait, {"X-RateLimit-Global": "true", "X-RateLimit-Scope": "global"}
        window = self._windows.setdefault(bucket, Window(*self._rate(bucket)))
        wait = window.take(now)
        headers = window.headers(bucket, now)
        if wait is not None:
            self.violations.append(str(bucket))
            headers["X-RateLimit-Scope"] = "user"
        return wait, headers

    def _rate(self, bucket: Bucket) -> tuple[int, float]:
        kind = bucket[0]
        if kind in {"create", "edit"}:
            return self.rates.messages
        return self.rates.reactions if kind == "react" else self.rates.others
