"""Failures on demand: what the next calls of a method get instead of, or besides, being done."""

from dataclasses import dataclass

from tests.fakes.telegram import errors
from tests.fakes.telegram.errors import ApiError


@dataclass(frozen=True, slots=True)
class Fault:
    """One failure. `is_done`: the call takes effect all the same."""

    name: str
    is_done: bool = False
    error: ApiError | None = None  # answered in the usual envelope
    body: bytes | None = None  # answered as it is
    status: int = 200
    hangs: bool = False  # no answer at all, until the client gives up
    drips: bool = False  # an answer that never ends, a space at a time
    cuts: bool = False  # the connection is closed without an answer


def refused(code: int, description: str, **parameters: int) -> Fault:
    """Any error of the Bot API, e.g. `refused(400, "Bad Request: chat not found")`."""
    return Fault(description, error=ApiError(code, description, **parameters))


def retry_after(seconds: int) -> Fault:
    """Flood control."""
    return Fault("retry after", error=errors.retry_after(seconds))


def blocked() -> Fault:
    """The person has blocked the bot."""
    return refused(403, "Forbidden: bot was blocked by the user")


def server_error() -> Fault:
    """A 500 of the API itself."""
    return refused(500, "Internal Server Error")


def page(status: int) -> Fault:
    """What stands before the API answers in its place, with a page of its own."""
    return Fault(str(status), body=f"<html><h1>{status}</h1></html>".encode(), status=status)


def bad_gateway() -> Fault:
    """A 502 of whatever stands before it."""
    return page(502)


def gateway_timeout() -> Fault:
    """A 504 of whatever stands before it."""
    return page(504)


def garbled() -> Fault:
    """Done, but the answer is no JSON."""
    return Fault("garbled", is_done=True, body=b"\x00 not JSON")


def no_message() -> Fault:
    """Done, but the answer does not hold the message."""
    return Fault("no message", is_done=True, body=b'{"ok": true, "result": {}}')


def cut_off() -> Fault:
    """Done, and of the answer only the beginning arrives."""
    return Fault("cut off", is_done=True, body=b'{"ok": true, "result": {"message_id": 1, "da')


def lost_answer() -> Fault:
    """Done, and the connection is closed without an answer."""
    return Fault("lost answer", is_done=True, cuts=True)


def hangs_after() -> Fault:
    """Done, and no answer ever."""
    return Fault("hangs after", is_done=True, hangs=True)


def drips() -> Fault:
    """Not done, and an answer of which something comes now and then, but never the end."""
    return Fault("drips", drips=True)


def hangs() -> Fault:
    """Not done, and no answer ever."""
    return Fault("hangs", hangs=True)
