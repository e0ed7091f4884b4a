"""How much one person, and one chat, may send: token buckets. Pure.

A bucket fills at a steady rate up to its brim; each message takes one token. What finds none is
refused, and that is said once in a window, so that a flood is not answered by a flood.
"""

from dataclasses import dataclass, replace
from enum import Enum

WINDOW_S = 60.0


@dataclass(frozen=True, slots=True)
class Rate:
    """What a bucket allows."""

    per_minute: float
    burst: int  # so many at once, after a while of quiet


@dataclass(frozen=True, slots=True)
class Bucket:
    """What was left at one moment, on a clock that only goes forward."""

    tokens: float
    at_s: float
    told_at_s: float | None = None  # when a refusal was last said


class Verdict(Enum):
    """What becomes of a message."""

    TAKEN = "taken"
    REFUSED = "refused"  # and said so
    SILENCE = "silence"  # refused; it was said a moment ago


def full(rate: Rate, now_s: float) -> Bucket:
    """The bucket of somebody who was quiet."""
    return Bucket(float(rate.burst), now_s)


def filled(bucket: Bucket, rate: Rate, now_s: float) -> Bucket:
    """The bucket as it is now."""
    gained = max(0.0, now_s - bucket.at_s) * rate.per_minute / WINDOW_S
    return replace(bucket, tokens=min(rate.burst, bucket.tokens + gained), at_s=now_s)


def is_full(bucket: Bucket, rate: Rate, now_s: float) -> bool:
    """Whether nothing needs to be remembered of it."""
    is_silent = bucket.told_at_s is None or now_s - bucket.told_at_s >= WINDOW_S
    return is_silent and filled(bucket, rate, now_s).tokens >= rate.burst


def take(
    buckets: tuple[Bucket, ...], rates: tuple[Rate, ...], now_s: float
) -> tuple[tuple[Bucket, ...], Verdict]:
    """Take one token from each bucket, or from none if one of them is empty."""
    now = tuple(filled(one, rate, now_s) for one, rate in zip(buckets, rates, strict=True))
    if all(one.tokens >= 1 for one in now):
        return tuple(replace(one, tokens=one.tokens - 1) for one in now), Verdict.TAKEN
    told = [one.told_at_s for one in now if one.tokens < 1]
    if any(at is not None and now_s - at < WINDOW_S for at in told):
        return now, Verdict.SILENCE
    return (
        tuple(replace(one, told_at_s=now_s) if one.tokens < 1 else one for one in now),
        Verdict.REFUSED,
    )
