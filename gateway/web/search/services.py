"""The services that answer a search with JSON: SearXNG, Brave, Tavily, Firecrawl.

Each is a row: how it is asked, and where in its answer the hits are. The rest, errors above all,
is the same for all of them. Their addresses come from the administrator, so no guard is in front.
"""

import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from http.cookiejar import CookieJar, DefaultCookiePolicy
from typing import Any

import httpx
from pydantic import SecretStr

from config.web import WebSettings
from gateway.web.errors import BadAnswer, SearchFailed, TooLarge, TooSlow
from gateway.web.inflating import ACCEPTED, is_packed, unpacked
from gateway.web.search.engine import Hit, cleaned

MAX_ANSWER_BYTES = 4 * 1024**2
Json = dict[str, Any]


@dataclass(frozen=True, slots=True)
class Asked:
    """A request to a service. A `json` makes it a POST."""

    url: str
    headers: Mapping[str, str]
    params: Mapping[str, str] | None = None
    json: Json | None = None


@dataclass(frozen=True, slots=True)
class Service:
    """One service: `ask` makes a request of a query and a limit, `found` the hits of an answer."""

    name: str
    ask: Callable[[WebSettings, str, int], Asked]
    found: Callable[[Any], list[Hit]]
    on_refusal: str  # what an administrator can do when it says 401 or 403


def _searxng(web: WebSettings, query: str, _limit: int) -> Asked:
    params = {"q": query, "format": "json"}
    return Asked(below(web.searxng_url, "search"), {}, params)


def _brave(web: WebSettings, query: str, limit: int) -> Asked:
    # At most 400 characters, 50 words and 20 results (Brave Search API, web search).
    words = " ".join(query.split()[:50])[:400]
    count = str(min(limit, 20))
    params = {"q": words, "count": count, "text_decorations": "false"}
    headers = {"X-Subscription-Token": _revealed(web.brave_key)}
    return Asked(below(web.brave_url, "web/search"), headers, params)


def _tavily(web: WebSettings, query: str, limit: int) -> Asked:
    body = {"query": query[:400], "max_results": min(limit, 20)}
    headers = {"Authorization": f"Bearer {_revealed(web.tavily_key)}"}
    return Asked(below(web.tavily_url, "search"), headers, json=body)


def _firecrawl(web: WebSettings, query: str, limit: int) -> Asked:
    body = {"query": query[:500], "limit": limit, "sources": ["web"]}
    return Asked(below(web.firecrawl_url, "search"), firecrawl_headers(web), json=body)


def firecrawl_headers(web: WebSettings) -> dict[str, str]:
    """Firecrawl's key, if there is one: an installation of one's own needs none."""
    key = _revealed(web.firecrawl_key)
    return {"Authorization": f"Bearer {key}"} if key else {}


def _hits(items: Any, snippet: str) -> list[Hit]:  # noqa: ANN401 - somebody else's JSON
    return [
        Hit(*(item[key] if isinstance(item.get(key), str) else "" for key in keys))
        for item in (items if isinstance(items, list) else [])
        if isinstance(item, dict)
        for keys in [("title", "url", snippet)]
    ]


_KEY = "An administrator has to look at {}."
SERVICES = {
    service.name: service
    for service in (
        Service(
            "searxng",
            _searxng,
            lambda answer: _hits(answer.get("results"), "content"),
            "An administrator has to allow the format `json` in its settings.",
        ),
        Service(
            "brave",
            _brave,
            lambda answer: _hits(_inner(answer, "web").get("results"), "description"),
            _KEY.format("web.brave_key"),
        ),
        Service(
            "tavily",
            _tavily,
            lambda answer: _hits(answer.get("results"), "content"),
            _KEY.format("web.tavily_key"),
        ),
        Service(
            "firecrawl",
            _firecrawl,
            lambda answer: _hits(_inner(answer, "data").get("web"), "description"),
            _KEY.format("web.firecrawl_key"),
        ),
    )
}


class JsonEngine:
    """A `SearchEngine` over one of the services."""

    def __init__(self, service: Service, settings: WebSettings) -> None:
        self.name = service.name
        self._service = service
        self._settings = settings
        self._client = httpx.AsyncClient(
            timeout=settings.timeout_s,
            follow_redirects=False,
            # A cookie would tell a service which of all chats' searches are this gateway's.
            cookies=CookieJar(DefaultCookiePolicy(allowed_domains=[])),
        )

    async def search(self, query: str, limit: int) -> list[Hit]:
        """See `SearchEngine`."""
        asked = self._service.ask(self._settings, query, limit)
        answer = await answer_of(self._client, asked, self.name, self._service.on_refusal)
        return cleaned(self._service.found(answer), limit)

    async def close(self) -> None:
        """Close connections."""
        await self._client.aclose()


async def answer_of(client: httpx.AsyncClient, asked: Asked, name: str, refusal: str) -> Json:
    """What a service answers. Raises `SearchFailed`, `TooSlow`."""
    method = "GET" if asked.json is None else "POST"
    headers = {**asked.headers, "Accept-Encoding": ACCEPTED}
    request = client.build_request(
        method, asked.url, headers=headers, params=asked.params, json=asked.json
    )
    try:
        response = await client.send(request, stream=True)
        try:
            if not response.is_success:
                raise SearchFailed(_refused(name, response.status_code, refusal))
            packed = is_packed(response.headers.get("content-encoding"))
            # Not httpx's own way to unpack, which holds all that a piece unpacks to.
            pieces = unpacked(response.aiter_raw(), MAX_ANSWER_BYTES, packed=packed)
            body = b"".join([piece async for piece in pieces])
        finally:
            await response.aclose()
        answer = json.loads(body)
    except TooLarge as error:
        raise SearchFailed(f"{name} answers with too much.") from error
    except httpx.TimeoutException as error:
        raise TooSlow(f"{name} does not answer.") from error
    except httpx.HTTPError as error:
        raise SearchFailed(f"{name} can't be reached.") from error
    except (BadAnswer, ValueError, RecursionError) as error:
        raise SearchFailed(f"{name} answers with something that can't be read.") from error
    if not isinstance(answer, dict):
        raise SearchFailed(f"{name} answers with something that can't be read.")
    return answer


def _refused(name: str, status: int, refusal: str) -> str:
    if status in {401, 403}:
        return f"{name} refuses. {refusal}"
    if status in {402, 429, 432, 433}:  # Tavily counts its plans with the last two
        return f"{name} has had too many searches for now."
    return f"{name} answers with status {status}."


def _inner(answer: Json, key: str) -> Json:
    inner = answer.get(key)
    return inner if isinstance(inner, dict) else {}


def below(base: object, path: str) -> str:
    """An address below another one."""
    return f"{str(base).rstrip('/')}/{path}"


def _revealed(secret: SecretStr | None) -> str:
    return secret.get_secret_value() if secret else ""
