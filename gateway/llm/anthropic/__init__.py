"""The provider for Anthropic's Messages API, and for servers that speak it.

How a request is written is decided in `request.py`, what a server refuses in `quirks.py`, how an
answer is put together in `assembly.py`; the call itself is made in `gateway/llm/http.py`.
"""

import httpx

from config.models import ModelSettings
from gateway.llm.anthropic.assembly import Assembler
from gateway.llm.anthropic.quirks import find_quirk
from gateway.llm.anthropic.request import to_body
from gateway.llm.http import FINISH_GRACE_S, Dialect, HttpProvider, KeyAuth, address_below

API_VERSION = "2023-06-01"  # the only one so far; the API grows by new fields and events

DIALECT = Dialect(
    to_body=to_body,
    find_quirk=find_quirk,
    new_assembler=lambda body, secret: Assembler(body["model"], secret),
)


class AnthropicProvider(HttpProvider):
    """A `Provider` for the Messages API."""

    def __init__(self, settings: ModelSettings, *, finish_grace_s: float = FINISH_GRACE_S) -> None:
        super().__init__(
            settings,
            DIALECT,
            name="anthropic",
            url=messages_url(httpx.URL(str(settings.address))),
            auth=KeyAuth(settings.api_key, "x-api-key") if settings.api_key else None,
            headers={"anthropic-version": API_VERSION},
            finish_grace_s=finish_grace_s,
        )


def messages_url(base: httpx.URL) -> httpx.URL:
    """Where calls go: the base is mostly written without `/v1`, as Anthropic's clients want it."""
    path = base.path.rstrip("/")
    if not path.endswith(("/v1", "/v1/messages")):
        base = base.copy_with(path=f"{path}/v1")
    return address_below(base, "messages")
