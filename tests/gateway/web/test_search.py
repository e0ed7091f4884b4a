"""Searching, through each service as it is in the world."""

import contextlib
import gzip
import tracemalloc
from collections.abc import AsyncIterator

import pytest
from ddgs.engines.duckduckgo import Duckduckgo

from config.web import WebSettings
from gateway.web.errors import SearchFailed, WebError
from gateway.web.search.choosing import chosen, make_engine
from gateway.web.search.engine import Hit, cleaned
from tests.fakes.search_services import KEY, SearchServices, serving_searches

BOMB = gzip.compress(bytes(100_000_000))
APIS = ("searxng", "brave", "tavily", "firecrawl")
CATS = [
    ("Cats", "https://cats.example/", "All about <strong>cats</strong> &amp; more"),
    ("More cats", "https://cats.example/more", ""),
    ("Even more", "https://cats.example/even", "x"),
]


@pytest.fixture
async def services(monkeypatch: pytest.MonkeyPatch) -> AsyncIterator[SearchServices]:
    async with serving_searches() as running:
        running.hits = CATS
        monkeypatch.setattr(Duckduckgo, "search_url", running.url("duckduckgo/html/"))
        yield running


def settings_for(service: str, services: SearchServices, **more: object) -> WebSettings:
    given: dict[str, object] = {"search": service, "timeout_s": 20, "ddgs_engines": ("duckduckgo",)}
    for name in APIS:
        given[f"{name}_url"] = services.url(name)
        if name != "searxng":
            given[f"{name}_key"] = KEY
    return WebSettings.model_validate(given | more)


async def found(settings: WebSettings, query: str = "cats", limit: int = 2) -> list[Hit]:
    engine = make_engine(settings)
    try:
        return await engine.search(query, limit)
    finally:
        await engine.close()


@pytest.mark.parametrize("service", [*APIS, "ddgs"])
async def test_each_service_finds(service: str, services: SearchServices) -> None:
    hits = await found(settings_for(service, services))
    assert hits[0].title == "Cats"
    assert hits[0].url == "https://cats.example/"
    assert hits[0].snippet.startswith("All about")
    assert len(hits) == 2
    assert services.queries == ["cats"]


@pytest.mark.parametrize("service", [*APIS, "ddgs"])
async def test_no_service_is_told_by_a_cookie_which_searches_belong_together(
    service: str, services: SearchServices
) -> None:
    engine = make_engine(settings_for(service, services))
    try:
        for query in ("one chat's", "another chat's"):
            await engine.search(query, 2)
    finally:
        await engine.close()
    assert len(services.queries) == 2
    assert services.cookies == []


@pytest.mark.parametrize("service", [*APIS, "ddgs"])
async def test_nothing_found_is_no_failure(service: str, services: SearchServices) -> None:
    services.hits = []
    assert await found(settings_for(service, services)) == []


@pytest.mark.parametrize("service", APIS)
async def test_a_query_that_is_too_long_for_a_service_is_cut(
    service: str, services: SearchServices
) -> None:
    assert await found(settings_for(service, services), "cats " * 200, limit=100)


@pytest.mark.parametrize("service", ["tavily", "firecrawl"])
async def test_a_wrong_key_is_told_and_not_shown(service: str, services: SearchServices) -> None:
    settings = settings_for(service, services, **{f"{service}_key": "wrong-key-123456"})
    with pytest.raises(SearchFailed, match=f"web.{service}_key") as caught:
        await found(settings)
    assert "wrong-key" not in str(caught.value)


async def test_a_searxng_that_gives_no_json_is_told(services: SearchServices) -> None:
    services.allows_json = False
    with pytest.raises(SearchFailed, match="allow the format `json`"):
        await found(settings_for("searxng", services))


@pytest.mark.parametrize(
    ("status", "body"),
    [
        (429, b""),
        (500, b"oops"),
        (200, b"<html>"),
        (200, b"[]"),
        (200, b"null"),
        (200, b"[" * 100_000),
        (200, b'{"results": {}, "web": [], "data": "x"}'),
        (200, b'{"results": [1, null, {"url": 5}], "web": {"results": "x"}, "data": {"web": 1}}'),
        (200, b"{" + b" " * 5_000_000 + b"}"),
        (302, b""),
    ],
)
@pytest.mark.parametrize("service", [*APIS, "ddgs"])
async def test_a_service_that_breaks_is_an_error_or_finds_nothing(
    service: str, status: int, body: bytes, services: SearchServices
) -> None:
    services.status, services.body = status, body
    hits: list[Hit] = []
    with contextlib.suppress(WebError):
        hits = await found(settings_for(service, services))
    assert hits == []


@pytest.mark.parametrize("service", APIS)
async def test_an_answer_may_be_packed_and_be_no_bomb(
    service: str, services: SearchServices
) -> None:
    services.status, services.encoding = 200, "gzip"
    services.body = gzip.compress(b'{"results": [], "web": {"results": []}, "data": {"web": []}}')
    assert await found(settings_for(service, services)) == []
    services.body = BOMB
    tracemalloc.start()
    try:
        with pytest.raises(SearchFailed, match="too much"):
            await found(settings_for(service, services))
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert peak < 20_000_000
    services.encoding = "br"
    with pytest.raises(SearchFailed, match="can't be read"):
        await found(settings_for(service, services))


async def test_a_service_that_is_not_there_is_told(
    services: SearchServices, unused_tcp_port: int
) -> None:
    settings = settings_for("searxng", services, searxng_url=f"http://127.0.0.1:{unused_tcp_port}")
    with pytest.raises(SearchFailed, match="can't be reached"):
        await found(settings)


def test_the_first_service_with_what_it_needs_is_taken() -> None:
    assert chosen(WebSettings()) == "ddgs"
    assert chosen(WebSettings.model_validate({"tavily_key": KEY})) == "tavily"
    assert chosen(WebSettings.model_validate({"tavily_key": KEY, "brave_key": KEY})) == "brave"
    assert chosen(WebSettings.model_validate({"tavily_key": KEY, "search": "ddgs"})) == "ddgs"


def test_hits_are_plain_and_bounded() -> None:
    hits = cleaned(
        [
            Hit("<b>One</b>\n &lt;x&gt;", " https://a.example/ ", "y" * 10_000),
            Hit("again", "https://a.example/", ""),
            Hit("script", "javascript:alert(1)", ""),
            Hit("", "https://b.example/", ""),
            Hit("long", "https://c.example/" + "x" * 5_000, ""),
        ],
        limit=10,
    )
    assert [hit.title for hit in hits] == ["One <x>", "https://b.example/"]
    assert len(hits[0].snippet) == 600
