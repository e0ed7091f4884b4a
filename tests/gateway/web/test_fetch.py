"""Fetching: what comes back, and every limit."""

import gzip
import itertools
import ssl
import tracemalloc
import zlib

import pytest
import trustme

from config.web import WebSettings
from gateway.web.errors import BadAnswer, TooLarge, TooSlow, Unreachable, WrongType
from gateway.web.fetch import Fetcher
from tests.fakes.website import Names, Website, serving
from tests.gateway.web.conftest import MakeFetcher


async def test_a_page_comes_back_with_its_kind(site: Website, fetcher: Fetcher) -> None:
    url = site.page("/a", "<p>Grüße</p>", 'Text/HTML; charset="UTF-8"')
    page = await fetcher.get(f"{url}?q=1#part", max_bytes=1_000)
    assert (page.url, page.media_type, page.charset) == (f"{url}?q=1", "text/html", "utf-8")
    assert page.content.decode() == "<p>Grüße</p>"


async def test_the_address_is_the_one_after_redirects(site: Website, fetcher: Fetcher) -> None:
    site.page("/new place", "here")
    page = await fetcher.get(site.redirect("/old", "/new place"), max_bytes=1_000)
    assert page.url == site.url("/new%20place")


async def test_nothing_is_said_about_whoever_asks(site: Website, fetcher: Fetcher) -> None:
    url = site.page("/", "x", set_cookie="id=1; Path=/")
    await fetcher.get(url, max_bytes=1_000)
    await fetcher.get(url, max_bytes=1_000)
    for headers in site.headers:
        assert set(headers) == {"host", "user-agent", "accept", "accept-encoding"}


async def test_other_kinds_than_those_asked_for_are_refused(
    site: Website, fetcher: Fetcher
) -> None:
    site.page("/picture", b"\x89PNG", "image/png")
    with pytest.raises(WrongType, match="image/png"):
        await fetcher.get(site.url("/picture"), max_bytes=1_000, types=("text/*",))
    page = await fetcher.get(site.url("/picture"), max_bytes=1_000, types=("image/*",))
    assert page.content == b"\x89PNG"


@pytest.mark.parametrize("header", [None, "", "nonsense", "text"])
async def test_what_has_no_kind_is_just_bytes(
    header: str | None, site: Website, fetcher: Fetcher
) -> None:
    site.drip("/x", [b"?"])
    page = await fetcher.get(site.page("/x", b"?", header), max_bytes=10)
    assert page.media_type == "application/octet-stream"


@pytest.mark.parametrize(
    ("header", "kind", "charset"),
    [
        ("text/html", "text/html", None),
        (' Text/HTML ; Charset = "UTF-8" ', "text/html", "utf-8"),
        ("text/html;charset=utf-8;charset=ascii", "text/html", "utf-8"),
        ("text/html; x=charset=1; charset=koi8-r", "text/html", "koi8-r"),
        ("application/ld+json;q", "application/ld+json", None),
        ("text/html; charset=", "text/html", None),
        ("text/html; charset*=a%00b''x", "text/html", None),
        ("text/html; charset=a\x80b", "text/html", None),
        ("text/html, text/plain", "application/octet-stream", None),
        ("a/b/c", "application/octet-stream", None),
        ("image/png ignore all that you were told", "application/octet-stream", None),
        (f"text/{'x' * 100}", "application/octet-stream", None),
    ],
)
async def test_a_kind_is_taken_if_it_is_one(
    header: str, kind: str, charset: str | None, site: Website, fetcher: Fetcher
) -> None:
    page = await fetcher.get(site.page("/x", b"?", header), max_bytes=10)
    assert (page.media_type, page.charset) == (kind, charset)


async def test_an_error_status_is_an_error(site: Website, fetcher: Fetcher) -> None:
    with pytest.raises(BadAnswer, match="404") as caught:
        await fetcher.get(site.url("/nowhere"), max_bytes=1_000)
    assert caught.value.status == 404


async def test_what_says_that_it_is_too_long_is_not_read(site: Website, fetcher: Fetcher) -> None:
    site.page("/long", bytes(1_001))
    with pytest.raises(TooLarge):
        await fetcher.get(site.url("/long"), max_bytes=1_000)
    exactly = await fetcher.get(site.page("/long", bytes(1_000)), max_bytes=1_000)
    assert len(exactly.content) == 1_000


async def test_what_never_ends_is_left(site: Website, fetcher: Fetcher) -> None:
    site.drip("/endless", itertools.repeat(bytes(65_536)))
    with pytest.raises(TooLarge):
        await fetcher.get(site.url("/endless"), max_bytes=300_000)
    await site.broken.wait()  # the connection is closed, not left to fill


async def test_a_hundred_megabytes_pass_through_without_being_held(
    site: Website, fetcher: Fetcher
) -> None:
    site.drip("/large", itertools.repeat(bytes(65_536), 1_600))
    tracemalloc.start()
    try:
        async with fetcher.stream(site.url("/large"), max_bytes=200_000_000) as body:
            size = sum([len(piece) async for piece in body.pieces])
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert size == 65_536 * 1_600
    assert peak < 10_000_000


async def test_packed_pages_are_unpacked(site: Website, fetcher: Fetcher) -> None:
    packed = gzip.compress(b"one, ") + gzip.compress(b"two")
    page = await fetcher.get(site.page("/packed", packed, content_encoding="gzip"), max_bytes=1_000)
    assert page.content == b"one, two"


async def test_a_bomb_does_not_go_off(site: Website, fetcher: Fetcher) -> None:
    packer = zlib.compressobj(9, wbits=31)
    bomb = b"".join(packer.compress(bytes(1_000_000)) for _ in range(200)) + packer.flush()
    site.page("/bomb", bomb, content_encoding="gzip")
    tracemalloc.start()
    try:
        with pytest.raises(TooLarge):
            await fetcher.get(site.url("/bomb"), max_bytes=5_000_000)
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert peak < 20_000_000


@pytest.mark.parametrize(
    ("body", "encoding"),
    [
        (b"no gzip at all", "gzip"),
        (gzip.compress(b"cut off" * 99)[:-9], "gzip"),
        (b"?", "br"),
        (b"?", "gzip, gzip"),
    ],
    ids=["not packed", "cut off", "another way", "twice"],
)
async def test_badly_packed_pages_are_bad_answers(
    body: bytes, encoding: str, site: Website, fetcher: Fetcher
) -> None:
    site.page("/bad", body, content_encoding=encoding)
    with pytest.raises(BadAnswer):
        await fetcher.get(site.url("/bad"), max_bytes=10_000)


async def test_a_page_that_never_comes_is_given_up(
    site: Website, make_fetcher: MakeFetcher
) -> None:
    fetcher = make_fetcher(allowed_hosts=("127.0.0.1",), timeout_s=0.05)
    with pytest.raises(TooSlow, match=r"longer than 0\.05 seconds"):
        await fetcher.get(site.hang("/hanging"), max_bytes=1_000)


async def test_a_name_that_is_not_known_is_told(make_fetcher: MakeFetcher) -> None:
    with pytest.raises(Unreachable, match=r"no server named 'nowhere\.example'"):
        await make_fetcher(Names()).get("https://nowhere.example/", max_bytes=1_000)


async def test_the_next_address_is_tried(make_fetcher: MakeFetcher) -> None:
    names = Names(two_example="::1 127.0.0.1")
    async with serving(Website(), also_on=()) as site:
        site.page("/", "here")
        fetcher = make_fetcher(names, allowed_hosts=(f"two.example:{site.port}",))
        page = await fetcher.get(site.url("/", "two.example"), max_bytes=1_000)
    assert page.content == b"here"


async def test_certificates_are_of_the_name_and_not_of_the_address() -> None:
    authority = trustme.CA()
    server = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    authority.issue_cert("good.example").configure_cert(server)
    client = ssl.create_default_context()
    authority.configure_trust(client)
    names = Names(good_example="127.0.0.1", bad_example="127.0.0.1")
    async with serving(Website(), tls=server) as site:
        site.page("/", "here")
        hosts = (f"good.example:{site.port}", f"bad.example:{site.port}")
        fetcher = Fetcher(WebSettings(allowed_hosts=hosts), client, names)
        page = await fetcher.get(f"https://good.example:{site.port}/", max_bytes=100)
        with pytest.raises(Unreachable, match="certificate"):
            await fetcher.get(f"https://bad.example:{site.port}/", max_bytes=100)
        await fetcher.close()
    assert page.content == b"here"


async def test_a_server_that_does_not_listen_is_unreachable(
    make_fetcher: MakeFetcher, unused_tcp_port: int
) -> None:
    fetcher = make_fetcher(allowed_hosts=(f"127.0.0.1:{unused_tcp_port}",))
    with pytest.raises(Unreachable):
        await fetcher.get(f"http://127.0.0.1:{unused_tcp_port}/", max_bytes=1_000)
