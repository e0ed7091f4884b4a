"""Searching without a key: ddgs reads the result pages of public search engines.

It blocks and has threads of its own, so it is called on one. Engines change their pages and refuse
robots; whoever searches much is better served by an API.
"""

import asyncio
from collections.abc import Sequence
from typing import Any

from gateway.web.errors import SearchFailed, TooSlow
from gateway.web.search.engine import Hit, cleaned

GRACE_S = 5.0
"""ddgs may ask several engines one after the other, each with its own time."""


class DdgsEngine:
    """A `SearchEngine` that needs nothing."""

    name = "ddgs"

    def __init__(self, engines: Sequence[str], timeout_s: float) -> None:
        self._engines = ",".join(engines) or "auto"
        self._timeout_s = timeout_s

    async def search(self, query: str, limit: int) -> list[Hit]:
        """See `SearchEngine`."""
        try:
            async with asyncio.timeout(self._timeout_s + GRACE_S):
                found = await asyncio.to_thread(self._search, query, limit)
        except TimeoutError as error:
            raise TooSlow("The search engines do not answer.") from error
        hits = [
            Hit(*(str(each.get(key, "")) for key in ("title", "href", "body"))) for each in found
        ]
        return cleaned(hits, limit)

    async def close(self) -> None:
        """Nothing is kept open."""

    def _search(self, query: str, limit: int) -> list[dict[str, Any]]:
        from ddgs import DDGS  # noqa: PLC0415 - an optional package, and slow to import
        from ddgs.exceptions import DDGSException, TimeoutException  # noqa: PLC0415

        try:
            search = DDGS(timeout=max(1, round(self._timeout_s / 3)))
            return search.text(query, max_results=limit, backend=self._engines)
        except TimeoutException as error:
            raise TooSlow("The search engines do not answer.") from error
        except DDGSException as error:
            if "No results" in str(error):
                return []
            raise SearchFailed("The search engines refuse. Try again later.") from error
