"""An answer that is not `ok`, in the envelope of "Making requests"."""

from typing import Any


class ApiError(Exception):
    """Refuses a call with an error code, a description and perhaps `parameters`."""

    def __init__(self, code: int, description: str, **parameters: int) -> None:
        super().__init__(description)
        self.code = code
        self.description = description
        self.parameters = parameters

    def body(self) -> dict[str, Any]:
        """The JSON of the answer."""
        body: dict[str, Any] = {
            "ok": False,
            "error_code": self.code,
            "description": self.description,
        }
        if self.parameters:
            body["parameters"] = self.parameters
        return body


def bad_request(text: str) -> ApiError:
    """A 400, the server's usual way to refuse."""
    return ApiError(400, f"Bad Request: {text}")


def retry_after(seconds: int) -> ApiError:
    """A 429, as flood control answers."""
    return ApiError(429, f"Too Many Requests: retry after {seconds}", retry_after=seconds)
