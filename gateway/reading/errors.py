"""What can go wrong when something is read. Every text is written for the model to read.

ReadingError
├── Unreadable    no text could be found in it
└── ReadsTooLong  not done within the time that it has
"""

from gateway.errors import GatewayError


class ReadingError(GatewayError):
    """Base of them; the text is a sentence or two."""


class Unreadable(ReadingError):
    """It has no text that could be read."""


class ReadsTooLong(ReadingError):
    """It takes more time than there is."""


class NoText(Exception):
    """Within the process that reads, the same as `Unreadable`; the text says why."""
