"""The settings of reminders and repeated jobs."""

import re
from datetime import time
from typing import Annotated

from pydantic import AfterValidator, Field, PositiveInt
from pydantic_core import PydanticCustomError

from config.section import SENTENCE, Section

_TIME = r"([01]?\d|2[0-3]):[0-5]\d"
_SPAN = re.compile(rf"{_TIME}\s*-\s*{_TIME}")


def _is_span(hours: str) -> str:
    if not _SPAN.fullmatch(hours.strip()):
        raise PydanticCustomError(SENTENCE, "must be two times of day, such as `22:00-07:00`.")
    begin, end = _times(hours)
    if begin == end:
        raise PydanticCustomError(SENTENCE, "must not end when it begins.")
    return hours


def _times(hours: str) -> tuple[time, time]:
    begin, _, end = hours.partition("-")
    return _time(begin), _time(end)


def _time(text: str) -> time:
    hour, _, minute = text.strip().partition(":")
    return time(int(hour), int(minute))


QuietHours = Annotated[str, AfterValidator(_is_span)]


class ScheduleSettings(Section):
    """Reminders and repeated jobs."""

    enabled: bool = Field(default=True, description="Whether there are any.")
    quiet_hours: QuietHours | None = Field(
        default=None,
        description="When jobs wait, unless they are urgent, e.g. `22:00-07:00`. Unset: never.",
    )
    max_jobs_per_chat: PositiveInt = Field(default=20, description="The most in one chat.")
    max_jobs_per_person: PositiveInt = Field(
        default=40, description="The most that one person can have in all chats of a platform."
    )
    min_interval_s: PositiveInt = Field(
        default=300, description="The least time between two runs of a job."
    )

    @property
    def quiet_times(self) -> tuple[time, time] | None:
        """When the quiet hours begin and end."""
        return None if self.quiet_hours is None else _times(self.quiet_hours)
