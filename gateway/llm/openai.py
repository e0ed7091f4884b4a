"""The provider for every server that speaks OpenAI's chat-completions API.

How a request is written is decided in `request.py`, how an answer is put together in `assembly.py`;
the call itself is made in `http.py`.
"""

from collections.abc import Collection

import httpx

from config.models import ModelSettings
from gateway.llm.assembly import Assembler
from gateway.llm.http import FINISH_GRACE_S, Body, Dialect, HttpProvider, KeyAuth, address_below
from gateway.llm.provider import ChatRequest
from gateway.llm.request import find_quirk, to_body


def _body(request: ChatRequest, settings: ModelSettings, quirks: Collection[str]) -> Body:
    return to_body(request, settings.name, quirks)


DIALECT = Dialect(
    to_body=_body, find_quirk=find_quirk, new_assembler=lambda _, secret: Assembler(secret)
)


class OpenAIProvider(HttpProvider):
    """A `Provider` for the chat-completions API."""

    def __init__(self, settings: ModelSettings, *, finish_grace_s: float = FINISH_GRACE_S) -> None:
        key = settings.api_key
        super().__init__(
            settings,
            DIALECT,
            name="openai",
            url=completions_url(httpx.URL(str(settings.address))),
            auth=KeyAuth(key, "Authorization", "Bearer ") if key else None,
            finish_grace_s=finish_grace_s,
        )


def completions_url(base: httpx.URL) -> httpx.URL:
    """Where calls go."""
    return address_below(base, "chat/completions")
