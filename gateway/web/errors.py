"""What can go wrong between the gateway and the web. Every text is written for the model to read.

WebError
├── BadUrl             no address of a web page
├── Forbidden          an address that leads where nothing may be fetched from
├── Unreachable        no such name, no connection, or one that broke
├── TooSlow            not done within the time that it has
├── TooLarge           longer than whoever asked can use
├── WrongType          not of a kind that whoever asked can use
├── BadAnswer          an error status, a broken answer, too many redirects
├── Unreadable         fetched, but no text could be found in it
└── SearchFailed       a search service refused or broke
"""

from gateway.errors import GatewayError


class WebError(GatewayError):
    """Base of them; the text is a sentence or two without anything secret in it."""


class BadUrl(WebError):
    """The text is no address of a web page."""


class Forbidden(WebError):
    """The address leads, or was redirected, to where nothing may be fetched from."""


class Unreachable(WebError):
    """The server is not there."""


class TooSlow(WebError):
    """The server takes too long."""


class TooLarge(WebError):
    """The answer is too long."""


class WrongType(WebError):
    """The answer is of another kind than was asked for."""


class BadAnswer(WebError):
    """The server answers with an error, or not by the rules. `status` if it was an error."""

    def __init__(self, message: str, status: int | None = None) -> None:
        super().__init__(message)
        self.status = status


class Unreadable(WebError):
    """What was fetched has no text that could be read."""


class SearchFailed(WebError):
    """The search service gave no results for a reason that is not the query's."""
