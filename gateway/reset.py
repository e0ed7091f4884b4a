"""Whether a chat's session is to end because of its age. Pure.

Looked at before a turn, from what is stored, so that a restart changes nothing. A time of day is a
time on the wall in a zone: it stays the same when the clocks change, and comes once a day even
then. Where the clocks skip it, it comes as long after midnight as on other days.
"""

from dataclasses import dataclass
from datetime import UTC, datetime, time, timedelta, tzinfo

from config.settings import SessionSettings


@dataclass(frozen=True, slots=True)
class Policy:
    """When sessions end by themselves."""

    zone: tzinfo
    idle: timedelta | None = None
    daily_at: time | None = None


@dataclass(frozen=True, slots=True)
class Reset:
    """That a session is to end: the reason for the store, and why, for the person."""

    reason: str
    why: str


def policy_of(settings: SessionSettings, zone: tzinfo) -> Policy | None:
    """The policy that the settings ask for; None if sessions never end by themselves."""
    if settings.reset == "never":
        return None
    return Policy(
        zone,
        idle=timedelta(hours=settings.idle_hours) if settings.reset == "idle" else None,
        daily_at=time.fromisoformat(settings.daily_at) if settings.reset == "daily" else None,
    )


def decide_reset(last_used: datetime, policy: Policy, now: datetime) -> Reset | None:
    """Whether a session in which something was said last at `last_used` ends now. Both aware."""
    # In UTC: within one zone Python compares what the clocks show, which comes twice in autumn.
    last_used, now = last_used.astimezone(UTC), now.astimezone(UTC)
    if policy.idle is not None and now - last_used >= policy.idle:
        hours = policy.idle / timedelta(hours=1)
        return Reset("idle", f"Nothing was said here for {hours:g} hours or more")
    if policy.daily_at is not None and last_used < _latest(policy.daily_at, policy.zone, now):
        return Reset("daily", f"A new day begins at {policy.daily_at:%H:%M}")
    return None


def _latest(at: time, zone: tzinfo, now: datetime) -> datetime:
    """The last moment, not after `now`, at which clocks showed this time. In UTC."""
    today = now.astimezone(zone).date()
    moments = (
        datetime.combine(today - timedelta(days=days), at, zone).astimezone(UTC)
        for days in range(3)
    )
    return next(moment for moment in moments if moment <= now)
