"""Ids of sessions: unique, and sorted by the time at which they were made (UUID version 7).

The shape is RFC 9562's: 48 bits of milliseconds, 12 bits of the rest of the microseconds, and
random ones. Python has it built in from 3.14 only.
"""

import secrets
import uuid
from datetime import datetime


def new_session_id(now: datetime) -> str:
    """An id such as `0197f0c4-5d3a-7c41-9b1e-0f6a8f3c2d10`. `now` is aware of its time zone."""
    microseconds = round(now.timestamp() * 1_000_000)
    milliseconds, rest = divmod(microseconds, 1000)
    number = milliseconds & (1 << 48) - 1
    number = number << 4 | 0b0111  # version
    number = number << 12 | rest * 4096 // 1000
    number = number << 2 | 0b10  # variant
    number = number << 62 | secrets.randbits(62)
    return str(uuid.UUID(int=number))
