"""Makes failed model calls again: which, how often and after how long. Wraps any provider.

What a failure is, is the provider's business. The agent sees a call that worked, or the last
failure.
"""

import stamina
from stamina.instrumentation import StructlogOnRetryHook, set_on_retry_hooks

from config.models import ModelSettings
from gateway.llm.errors import ModelError
from gateway.llm.provider import ChatCompletion, ChatRequest, Provider, TextSink

# 0.5 to 1 s, then 1 to 1.5 s, then 2 to 2.5 s, …
FIRST_WAIT_S = 0.5
JITTER_S = 0.5
LONGEST_WAIT_S = 20.0


class Retrying:
    """A `Provider` that makes the calls of another one, several times if need be."""

    def __init__(self, provider: Provider, settings: ModelSettings) -> None:
        # Left to itself, stamina looks for instruments at the first retry, on the event loop, and
        # one that it may find (prometheus-client) reads files when it is imported.
        set_on_retry_hooks((StructlogOnRetryHook,))
        self.name = provider.name
        self._provider = provider
        self._tries = settings.tries
        self._max_retry_after_s = settings.max_retry_after_s

    async def complete(self, request: ChatRequest, on_text: TextSink) -> ChatCompletion:
        """Make a call. If a try fails after text was shown, `on_text(None)` takes it back."""
        has_shown = False

        def show(text: str | None) -> None:
            nonlocal has_shown
            has_shown = text is not None
            on_text(text)

        def decide(error: Exception) -> bool | float:
            return decide_retry(error, self._max_retry_after_s)

        async for attempt in stamina.retry_context(
            on=decide,
            attempts=self._tries,
            timeout=None,
            wait_initial=FIRST_WAIT_S,
            wait_jitter=JITTER_S,
            wait_max=LONGEST_WAIT_S,
        ):
            with attempt:
                if has_shown:
                    show(None)
                return await self._provider.complete(request, show)
        raise AssertionError("stamina ends in a result or an exception")

    async def close(self) -> None:
        """Close the provider."""
        await self._provider.close()


def decide_retry(error: Exception, max_retry_after_s: float) -> bool | float:
    """Whether to try again: False for no, True for after a back-off, else the seconds to wait.

    A server that wants us to wait for longer than a person would is not waited for: the error
    goes up at once, and says for how long.
    """
    if not isinstance(error, ModelError) or not error.retryable:
        return False
    if error.retry_after_s is None:
        return True
    return error.retry_after_s if error.retry_after_s <= max_retry_after_s else False
