"""Points in time as the database has them: ISO 8601 in UTC, always of the same width."""

from datetime import UTC, datetime


def timestamp(moment: datetime) -> str:
    """Sorts as text in the order of time."""
    return moment.astimezone(UTC).isoformat(timespec="microseconds")
