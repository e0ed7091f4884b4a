"""What can go wrong between the gateway and a platform.

AdapterError
├── RateLimited      the platform said when to come back
├── Unreachable      the platform did not take the request; it may be sent again
├── Ambiguous        nobody knows whether the platform took it; never blindly sent again
├── Rejected         the platform refused this content; the same again is refused again
│   └── TargetGone   the message to edit, or to reply to, is no longer there
└── ChatGone         the bot can't write to this chat any more
"""


class AdapterError(Exception):
    """Base of all that can go wrong between the gateway and a platform."""


class RateLimited(AdapterError):
    """The platform refused for now and said for how long."""

    def __init__(self, retry_after_s: float) -> None:
        super().__init__(f"rate limited for {retry_after_s:g} s")
        self.retry_after_s = retry_after_s


class Unreachable(AdapterError):
    """The request never arrived, or the platform failed before it acted on it."""


class Ambiguous(AdapterError):
    """The request may have arrived: sending it again may show it twice."""


class Rejected(AdapterError):
    """The platform refused what was sent."""


class TargetGone(Rejected):
    """The message to be edited or replied to was deleted."""


class ChatGone(AdapterError):
    """The bot was blocked or removed, or the chat no longer exists."""
