"""Which service searches: the one that the settings name, or the first that they are enough for."""

from config.web import WebSettings
from gateway.web.search.ddgs import DdgsEngine
from gateway.web.search.engine import SearchEngine
from gateway.web.search.services import SERVICES, JsonEngine


def chosen(settings: WebSettings) -> str:
    """Its name. Pure."""
    if settings.search is not None:
        return settings.search
    given = {
        "searxng": settings.searxng_url,
        "brave": settings.brave_key,
        "tavily": settings.tavily_key,
        "firecrawl": settings.firecrawl_key,
    }
    return next((name for name, value in given.items() if value is not None), "ddgs")


def make_engine(settings: WebSettings) -> SearchEngine:
    """The search engine of a gateway."""
    name = chosen(settings)
    if name in SERVICES:
        return JsonEngine(SERVICES[name], settings)
    return DdgsEngine(settings.ddgs_engines, settings.timeout_s)
