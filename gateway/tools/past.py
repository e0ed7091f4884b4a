"""The family `past`: what was said before, here and where its person was, is found again.

Whose past that is, is `gateway.searchable`'s rule; what a query means that of `store.search`.
"""

from collections.abc import Callable, Sequence
from datetime import datetime
from typing import Annotated

from pydantic import Field

from gateway.searchable import searchable
from gateway.sessions import is_direct
from gateway.store.search import Found, SearchStore, snippet, terms_of
from gateway.store.sessions import SessionInfo, SessionStore
from gateway.titles import title_of
from gateway.tools.tool import ToolContext, ToolFailed, tool
from gateway.tools.untrusted import marked

_SNIPPET_CHARS = 400
_MESSAGE_CHARS = 2_000
_AROUND = 5
_BEGINNING = 20
_SOURCE = "earlier conversations"


class PastTools:
    """Over all that was ever said; each call sees what its person may."""

    def __init__(
        self, sessions: SessionStore, search: SearchStore, clock: Callable[[], datetime]
    ) -> None:
        self._sessions = sessions
        self._search = search
        self._clock = clock

    @tool(is_repeatable=True)
    async def session_search(
        self,
        context: ToolContext,
        query: Annotated[
            str, Field(description='Words that must all occur; "a phrase" in quotes.')
        ] = "",
        *,
        around: Annotated[
            int | None, Field(description="Show the messages around this one, by its number.")
        ] = None,
        session: Annotated[
            str | None, Field(description="Show how this conversation began, by its id.")
        ] = None,
        limit: Annotated[int, Field(ge=1, le=20)] = 5,
    ) -> str:
        """Search what was said in earlier conversations with the people of this chat. Without any
        argument it lists the latest conversations. Use it before you say that you don't know.
        """
        message = context.call.message
        own, *others = await searchable(self._sessions, message.address, message.sender)
        chats = [own, *others]
        if around is not None:
            found = await self._search.around(around, chats, _AROUND, _AROUND)
            return await self._shown(found, own, around) or _nothing()
        if session is not None:
            found = await self._search.first_of(session.lower(), chats, _BEGINNING)
            return await self._shown(found, own) or _nothing()
        if not query.strip():
            return self._listed(await self._sessions.recent(own, limit))
        terms = terms_of(query)
        if not terms:
            raise ToolFailed("There is no word in the query.")
        found = await self._search.find(terms, [own], limit)
        if others and len(found) < limit:
            found += await self._search.find(terms, others, limit - len(found))
        return await self._shown(found, own, terms=terms) or "Nothing was found."

    async def _shown(
        self,
        found: Sequence[Found],
        own: str,
        marked_id: int | None = None,
        terms: Sequence[str] = (),
    ) -> str:
        titles: dict[str, str] = {}
        rows = []
        for one in found:
            if one.session_id not in titles:
                titles[one.session_id] = title_of(await self._sessions.info(one.session_id))
            text = snippet(one.text, terms, _SNIPPET_CHARS) if terms else one.text[:_MESSAGE_CHARS]
            where = titles[one.session_id] if one.chat == own else "in another chat"
            mark = "→ " if one.id == marked_id else ""
            rows.append(
                f"{mark}#{one.id} {self._time(one.created_at)}, {where} "
                f"[{one.session_id[-8:]}], {_speaker(one)}: {text}"
            )
        return marked("\n".join(rows), _SOURCE) if rows else ""

    def _listed(self, recent: Sequence[SessionInfo]) -> str:
        rows = [
            f"[{one.id[-8:]}] {self._time(one.updated_at)}, {one.messages} messages: "
            f"{title_of(one)}"
            for one in recent
        ]
        return marked("\n".join(rows), _SOURCE) if rows else "There was no conversation before."

    def _time(self, stored: str) -> str:
        return f"{datetime.fromisoformat(stored).astimezone(self._clock().tzinfo):%Y-%m-%d %H:%M}"


def _nothing() -> str:
    raise ToolFailed("There is no such thing in the conversations that may be looked at here.")


def _speaker(found: Found) -> str:
    if found.role == "user":
        return "the person" if is_direct(found.chat) else "the chat"
    return {"assistant": "you", "tool": "a tool"}.get(found.role, found.role)
