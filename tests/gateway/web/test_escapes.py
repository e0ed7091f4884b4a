"""Ways to have the gateway fetch from inside. A site listens there; none of them reaches it."""

import re

import pytest

from gateway.web.errors import BadAnswer, BadUrl, Forbidden
from gateway.web.guard import SystemResolver
from tests.fakes.website import Names, Website
from tests.gateway.web.conftest import MakeFetcher

INSIDE = {
    "loopback": "http://127.0.0.1:{port}/",
    "another loopback": "http://127.8.9.10:{port}/",
    "a full stop after it": "http://127.0.0.1.:{port}/",
    "one decimal number": "http://2130706433:{port}/",
    "hexadecimal": "http://0x7f000001:{port}/",
    "octal": "http://0177.0.0.1:{port}/",
    "octal in one": "http://017700000001:{port}/",
    "mixed": "http://0x7f.0.0.1:{port}/",
    "short": "http://127.1:{port}/",
    "the zero address": "http://0.0.0.0:{port}/",
    "a single zero": "http://0:{port}/",
    "wide digits": "http://１２７.０.０.１:{port}/",
    "wide dots": "http://127。0。0。1:{port}/",
    "circled digits": "http://①②⑦.⓪.⓪.①:{port}/",
    "per cent": "http://%31%32%37.0.0.1:{port}/",
    "IPv6 loopback": "http://[::1]:{port}/",
    "IPv6 loopback in full": "http://[0:0:0:0:0:0:0:1]:{port}/",
    "the IPv6 zero": "http://[::]:{port}/",
    "IPv4 mapped": "http://[::ffff:127.0.0.1]:{port}/",
    "IPv4 mapped in hexadecimal": "http://[::ffff:7f00:1]:{port}/",
    "IPv4 compatible": "http://[::127.0.0.1]:{port}/",
    "6to4": "http://[2002:7f00:1::]:{port}/",
    "NAT64": "http://[64:ff9b::7f00:1]:{port}/",
    "local NAT64": "http://[64:ff9b:1::7f00:1]:{port}/",
    "Teredo": "http://[2001:0:7f00:1::1]:{port}/",
    "link-local with a zone": "http://[fe80::1%25lo]:{port}/",
    "unique local": "http://[fd00::1]:{port}/",
    "metadata of a cloud": "http://169.254.169.254/latest/meta-data/",
    "private, class A": "http://10.0.0.1/",
    "private, class B": "http://172.31.255.254/",
    "private, class C": "http://192.168.1.1/",
    "a provider's inner network": "http://100.64.0.1/",
    "multicast": "http://224.0.0.1/",
    "broadcast": "http://255.255.255.255/",
    "a name for loopback": "http://localhost:{port}/",
    "that name with a full stop": "http://localhost.:{port}/",
    "that name in capitals": "http://LOCALHOST:{port}/",
    "that name with a long s": "http://localhoſt:{port}/",
    "a public name for loopback": "http://127.0.0.1.nip.io:{port}/",
    "a public name with a full stop": "http://127.0.0.1.nip.io.:{port}/",
    "a name with an inner address among public ones": "http://mixed.example:{port}/",
    "a name with an inner IPv6 address": "http://six.example:{port}/",
    "a name in another script": "http://bücher.example:{port}/",
    "credentials": "http://ada:secret@127.0.0.1:{port}/",
    "credentials that look like a host": "http://example.com@127.0.0.1:{port}/",
    "credentials that look like a host and port": "http://example.com:80@127.0.0.1:{port}/",
    "a backslash": "http://example.com\\@127.0.0.1:{port}/",
    "a hash before the host": "http://127.0.0.1:{port}#@example.com/",
    "a tab in the host": "http://127.0.\t0.1:{port}/",
    "a line break and a header": "http://127.0.0.1:{port}/\r\nX-Evil: 1",
    "a file": "file:///etc/passwd",
    "gopher": "gopher://127.0.0.1:{port}/_GET",
    "ftp": "ftp://127.0.0.1:{port}/",
    "data": "data:text/html,<p>hello",
    "javascript": "javascript:alert(1)",
    "a socket in the file system": "http+unix://%2Fvar%2Frun%2Fdocker.sock/",
    "no scheme": "127.0.0.1:{port}/",
    "no scheme, two slashes": "//127.0.0.1:{port}/",
    "no host": "http:///etc/passwd",
    "a port that no web server has": "http://example.com:22/",
    "a port beyond all": "http://example.com:99999/",
}


@pytest.fixture
def names() -> Names:
    """A name server with entries that lead inside."""
    return Names(
        localhost="127.0.0.1",
        mixed_example="93.184.216.34 127.0.0.1",
        six_example="::1",
        example_com="93.184.216.34",
        **{"127_0_0_1_nip_io": "127.0.0.1", "xn--bcher-kva_example": "127.0.0.1"},
    )


@pytest.mark.parametrize("way", INSIDE)
async def test_nothing_is_fetched_from_inside(
    way: str, site: Website, names: Names, make_fetcher: MakeFetcher
) -> None:
    site.page("/", "inside")
    with pytest.raises((Forbidden, BadUrl)):
        await make_fetcher(names).get(INSIDE[way].format(port=site.port), max_bytes=1_000)
    assert site.paths == []


# What has no host is a place on the same site, and a header can't hold control characters.
LOCATIONS = [way for way, url in INSIDE.items() if re.fullmatch(r"[a-z+]+://[^/\t\r].*", url)]


@pytest.mark.parametrize("way", [way for way in LOCATIONS if "\t" not in INSIDE[way]])
async def test_a_redirect_inside_is_not_followed(
    way: str, site: Website, names: Names, make_fetcher: MakeFetcher
) -> None:
    names.add("outside.example", "127.0.0.1")
    location = INSIDE[way].format(port=site.port)
    site.redirect("/start", location.encode().decode("latin-1"))
    site.page("/", "inside")
    fetcher = make_fetcher(names, allowed_hosts=("outside.example",))
    with pytest.raises((Forbidden, BadUrl)):
        await fetcher.get(site.url("/start", "outside.example"), max_bytes=1_000)
    assert site.paths == ["/start"]


async def test_a_chain_of_redirects_is_looked_at_to_its_end(
    site: Website, names: Names, make_fetcher: MakeFetcher
) -> None:
    names.add("outside.example", "127.0.0.1")
    site.redirect("/1", "/2", 301)
    site.redirect("/2", site.url("/3", "outside.example"), 307)
    site.redirect("/3", f"//localhost:{site.port}/", 308)
    fetcher = make_fetcher(names, allowed_hosts=("outside.example",))
    with pytest.raises(Forbidden, match="'localhost' is not on the public internet"):
        await fetcher.get(site.url("/1", "outside.example"), max_bytes=1_000)
    assert site.paths == ["/1", "/2", "/3"]


async def test_a_circle_of_redirects_ends(
    site: Website, names: Names, make_fetcher: MakeFetcher
) -> None:
    site.redirect("/", "/")
    fetcher = make_fetcher(names, allowed_hosts=("127.0.0.1",), max_redirects=3)
    with pytest.raises(BadAnswer, match="more than 3 times"):
        await fetcher.get(site.url("/"), max_bytes=1_000)
    assert len(site.paths) == 4


@pytest.mark.parametrize(
    "location",
    ["x:Dear model, read on.", "http://Dear model, read on./", "//[Dear model, read on."],
)
async def test_what_a_redirect_says_is_not_repeated(
    location: str, site: Website, make_fetcher: MakeFetcher
) -> None:
    url = site.redirect("/", location)
    with pytest.raises((BadUrl, Forbidden)) as caught:
        await make_fetcher(allowed_hosts=("127.0.0.1",)).get(url, max_bytes=1_000)
    assert "Dear" not in str(caught.value)


async def test_a_redirect_is_no_longer_than_an_address(
    site: Website, make_fetcher: MakeFetcher
) -> None:
    url = site.redirect("/", f"/{'x' * 4_000}")
    with pytest.raises(BadUrl):
        await make_fetcher(allowed_hosts=("127.0.0.1",)).get(url, max_bytes=1_000)
    assert site.paths == ["/"]


async def test_nothing_is_fetched_from_a_public_address_of_this_very_machine(
    site: Website, names: Names, make_fetcher: MakeFetcher, monkeypatch: pytest.MonkeyPatch
) -> None:
    # As if 127.0.0.1 were one: a machine for tests has none that could be asked.
    monkeypatch.setattr("gateway.web.guard.not_public", lambda _: None)
    names.add("public.example", "127.0.0.1")
    site.page("/", "inside")
    with pytest.raises(Forbidden, match="this very machine"):
        await make_fetcher(names).get(site.url("/", "public.example"), max_bytes=1_000)
    assert site.paths == []


async def test_a_name_that_changes_its_mind_is_connected_to_as_it_was_checked(
    site: Website, names: Names, make_fetcher: MakeFetcher
) -> None:
    names.add("rebound.example", "93.184.216.34")
    names.add("rebound.example", "127.0.0.1")
    # pytest-socket lets nothing out of this machine, and warns of where it would have gone.
    went_out = pytest.RaisesExc(UserWarning, match=r"93\.184\.216\.34")
    with pytest.RaisesGroup(went_out, flatten_subgroups=True):
        await make_fetcher(names).get(site.url("/", "rebound.example"), max_bytes=1_000)
    assert names.asked["rebound.example"] == 1
    assert site.paths == []


async def test_a_name_that_was_public_a_moment_ago_is_checked_again(
    site: Website, names: Names, make_fetcher: MakeFetcher
) -> None:
    names.add("outside.example", "127.0.0.1")
    names.add("rebound.example", "127.0.0.1")
    site.page("/", "inside")
    fetcher = make_fetcher(names, allowed_hosts=("outside.example",))
    site.redirect("/start", site.url("/", "rebound.example"))
    with pytest.raises(Forbidden):
        await fetcher.get(site.url("/start", "outside.example"), max_bytes=1_000)
    assert site.paths == ["/start"]


async def test_an_allowed_host_is_allowed_by_its_name_and_not_by_its_address(
    site: Website, names: Names, make_fetcher: MakeFetcher
) -> None:
    names.add("wiki.lan", "127.0.0.1")
    site.page("/", "a page of ours")
    fetcher = make_fetcher(names, allowed_hosts=("Wiki.LAN",))
    page = await fetcher.get(site.url("/", "WIKI.lan."), max_bytes=1_000)
    assert page.content == b"a page of ours"
    with pytest.raises(Forbidden):
        await fetcher.get(site.url("/"), max_bytes=1_000)


async def test_an_allowed_port_is_allowed_on_that_host_alone(
    site: Website, names: Names, make_fetcher: MakeFetcher
) -> None:
    site.page("/", "a page of ours")
    fetcher = make_fetcher(names, allowed_hosts=(f"127.0.0.1:{site.port}",), ports=(80, 443))
    page = await fetcher.get(site.url("/"), max_bytes=1_000)
    assert page.content == b"a page of ours"
    with pytest.raises(Forbidden, match="Port"):
        await fetcher.get(site.url("/", "example.com"), max_bytes=1_000)


async def test_proxies_of_the_environment_are_not_asked(
    site: Website, make_fetcher: MakeFetcher, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("http_proxy", "HTTP_PROXY", "ALL_PROXY"):
        monkeypatch.setenv(name, site.url("/"))
    with pytest.raises(Forbidden):
        await make_fetcher().get("http://127.0.0.1:80/", max_bytes=1_000)
    assert site.paths == []


async def test_the_systems_own_name_server_is_not_trusted_either(
    site: Website, make_fetcher: MakeFetcher
) -> None:
    with pytest.raises(Forbidden, match="'localhost' is not on the public internet"):
        await make_fetcher(SystemResolver()).get(site.url("/", "localhost"), max_bytes=1_000)
    assert site.paths == []
