"""The settings of what agents fetch from the web, and of what they search it with."""

from typing import Annotated, Literal

from pydantic import Field, HttpUrl, NonNegativeInt, PositiveFloat, PositiveInt

from config.section import Address, Secret, Section, Word

Port = Annotated[int, Field(ge=1, le=65_535)]


class WebSettings(Section):
    """Searching the web, and reading what is there."""

    search: Literal["searxng", "brave", "tavily", "firecrawl", "ddgs"] | None = Field(
        default=None,
        description="What searches. Unset: the first of these that has an address or a key; "
        "`ddgs` asks public search pages and needs none.",
    )
    searxng_url: Address | None = Field(
        default=None,
        description="A SearXNG of your own, whose settings allow the format `json`.",
    )
    brave_key: Secret | None = Field(default=None, description="A key of the Brave Search API.")
    brave_url: Address = Field(
        default=HttpUrl("https://api.search.brave.com/res/v1"), description="Where that API lives."
    )
    tavily_key: Secret | None = Field(default=None, description="A key of Tavily.")
    tavily_url: Address = Field(
        default=HttpUrl("https://api.tavily.com"), description="Where that API lives."
    )
    firecrawl_key: Secret | None = Field(default=None, description="A key of Firecrawl.")
    firecrawl_url: Address = Field(
        default=HttpUrl("https://api.firecrawl.dev/v2"),
        description="Where that API lives; one of your own may need no key.",
    )
    ddgs_engines: tuple[Word, ...] = Field(
        default=("duckduckgo", "brave", "mojeek"),
        description="The search pages that `ddgs` asks; `auto` leaves it the choice.",
    )
    extract: Literal["local", "firecrawl"] = Field(
        default="local",
        description="Who fetches a page and takes the text out of it: the gateway, or Firecrawl, "
        "which also runs a page's scripts and sees every address that is read.",
    )
    extract_processes: PositiveInt | None = Field(
        default=None,
        description="Processes that take text out of pages, when there is something, and as many "
        "for documents that people send. Unset: one for each processor but one, which is left to "
        "the chats.",
    )
    timeout_s: PositiveFloat = Field(
        default=30, description="The most time for fetching a page or for a search."
    )
    max_page_mb: PositiveInt = Field(default=10, description="The largest page that is read.")
    max_redirects: NonNegativeInt = Field(
        default=5, description="How often one address may lead to another."
    )
    ports: tuple[Port, ...] = Field(
        default=(80, 443), description="The only ports that are fetched from."
    )
    allowed_hosts: tuple[Word, ...] = Field(
        default=(),
        description="Hosts that may be fetched from although they are inside: this machine, a "
        "private network. Write the name or the address as in the URL, with a port if it is "
        'another than those above: `[wiki.lan, "10.0.0.5:8080"]`. Everybody who talks to an '
        "agent can read what is there.",
    )
