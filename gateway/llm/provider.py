"""The narrow waist behind which model APIs stand."""

from collections.abc import Callable
from typing import Any, Protocol

ChatRequest = dict[str, Any]
"""The OpenAI chat-completions request that the agent asked for: model, messages, tools, …"""

ChatCompletion = dict[str, Any]
"""A whole OpenAI chat completion: `choices[0].message`, `finish_reason`, `usage`."""

TextSink = Callable[[str | None], None]
"""Called with each piece of text meant for the person, as it arrives (no reasoning).

`None` means: forget what this call has sent so far, it is being made again from the start. So a
retry after half an answer never shows the half and then the whole.
"""


class Provider(Protocol):
    """A model API. Streams to `on_text` where it can, and returns the assembled completion."""

    name: str

    async def complete(self, request: ChatRequest, on_text: TextSink) -> ChatCompletion:
        """Make one call. Raises `ModelError`; cancelling it ends the call."""

    async def close(self) -> None:
        """Close connections."""
