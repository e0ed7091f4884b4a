"""What can go wrong in a model call.

One class, told apart by `code`, because the agent gets it as a protocol `error` message:

    auth              the key is wrong or missing, or has no credit left  not retryable
    not_found         no such model or address                            not retryable
    rate_limited      too many requests; `retry_after_s` if it was said   retryable
    unavailable       5xx, connection refused or cut                      retryable
    timeout           nothing came for too long                           retryable
    context_overflow  the conversation is too long for the model          not retryable: compress
    bad_request       the request was refused for another reason          not retryable
    budget            a daily budget is used up; no call was made         not retryable
    bad_response      HTML, an error object, half a stream, nothing       retryable
"""

from gateway.errors import GatewayError

RETRYABLE = frozenset({"rate_limited", "unavailable", "timeout", "bad_response"})


class ModelError(GatewayError):
    """A model call failed. The message is short, in a person's words, without keys or addresses.

    `detail` is for the log: what the server said, shortened and without the key.
    """

    def __init__(
        self,
        code: str,
        message: str,
        *,
        status: int | None = None,
        retry_after_s: float | None = None,
        retryable: bool | None = None,
        detail: str | None = None,
    ) -> None:
        super().__init__(message)
        self.code = code
        self.message = message
        self.status = status
        self.retry_after_s = retry_after_s
        self.retryable = code in RETRYABLE if retryable is None else retryable
        self.detail = detail
