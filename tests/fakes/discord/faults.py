"""What can happen to a call on its way: told to the fake before, used up one by one."""

from dataclasses import dataclass


@dataclass(frozen=True)
class Fault:
    """An answer of the server's own, or none; `is_done`: the call takes effect all the same."""

    status: int = 0  # 0: the connection is cut
    code: int = 0
    message: str = "a fault"
    is_done: bool = False
    retry_after: float | None = None


def failed(status: int, code: int = 0) -> Fault:
    """Refused, or the server broke down before it did anything."""
    return Fault(status, code)


def cut(*, is_done: bool) -> Fault:
    """The connection goes away, before or after the call took effect."""
    return Fault(is_done=is_done)


def flood(retry_after: float) -> Fault:
    """Too many requests, whatever the headers said."""
    return Fault(429, retry_after=retry_after)
