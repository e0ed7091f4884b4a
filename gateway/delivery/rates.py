"""When the next message may go out: token buckets whose tokens can be promised ahead. Pure.

A final text takes its token even from an empty bucket, and waits until it is there; so those that
wait go in the order of their coming. A preview only takes what nobody else will miss.
"""

from dataclasses import dataclass

from adapters.base import Rate


@dataclass(frozen=True, slots=True)
class Bucket:
    """What was left at one moment, on a clock that only goes forward."""

    tokens: float  # below zero: so many are promised to those who wait
    at_s: float


def full(rate: Rate, now_s: float) -> Bucket:
    """The bucket of a chat that was quiet."""
    return Bucket(float(rate.burst), now_s)


def filled(bucket: Bucket, rate: Rate, now_s: float) -> Bucket:
    """The bucket as it is now."""
    gained = max(0.0, now_s - bucket.at_s) * rate.per_s
    return Bucket(min(float(rate.burst), bucket.tokens + gained), now_s)


def is_full(bucket: Bucket, rate: Rate, now_s: float) -> bool:
    """Whether nothing needs to be remembered of it."""
    return filled(bucket, rate, now_s).tokens >= rate.burst


def spend(bucket: Bucket, rate: Rate, now_s: float, cost: int = 1) -> tuple[Bucket, float]:
    """Take the next tokens; the second value is in how many seconds one may go.

    That is when all are there, but for those on credit: they are missing to who comes next. What
    takes more than a burst at once pays for the rest twice, before and after: else more would go
    within some time than the rate and one burst.
    """
    tokens = filled(bucket, rate, now_s).tokens
    at_once = _at_once(rate, cost)
    left = tokens - cost - max(0, at_once - rate.burst)
    return Bucket(left, now_s), max(0.0, (at_once - tokens) / rate.per_s)


def used(bucket: Bucket, rate: Rate, now_s: float, cost: int) -> Bucket:
    """The bucket when the tokens that were taken are used, which may be long after they were there.

    Kept that long, they have kept the bucket from being full.
    """
    return Bucket(min(filled(bucket, rate, now_s).tokens, float(rate.burst - cost)), now_s)


def spare_in_s(bucket: Bucket, rate: Rate, now_s: float) -> float:
    """In how many seconds a token can be had for something that may be left out.

    Where the bucket holds more than one, one stays in it: a final text must not wait for previews.
    """
    enough = min(2.0, rate.burst)
    return max(0.0, (enough - filled(bucket, rate, now_s).tokens) / rate.per_s)


def _at_once(rate: Rate, cost: int) -> int:
    """The tokens that have to be there before something goes."""
    return cost - min(cost - 1, rate.credit)
