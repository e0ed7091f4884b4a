"""/search: what was said in a chat's sessions, the open one included."""

from collections.abc import Sequence
from datetime import tzinfo

from gateway.chats.host import Host
from gateway.commands.command import Call, Command
from gateway.commands.sessions import shown_time
from gateway.searchable import searchable
from gateway.sessions import is_direct
from gateway.store.search import Found, snippet, terms_of
from gateway.titles import escaped, title_of

MAX_FOUND = 8
_SPEAKERS = {"assistant": "me", "tool": "a tool"}


def search_commands(host: Host) -> list[Command]:
    """The one."""

    async def search(call: Call) -> str:
        terms = terms_of(call.arguments)
        if not terms:
            return 'What for? `/search cat "the red door"` finds what has all of it.'
        address = call.message.address
        own, *others = await searchable(host.sessions, address, call.message.sender)
        found = await host.search.find(terms, [own], MAX_FOUND)
        if others and len(found) < MAX_FOUND:
            found += await host.search.find(terms, others, MAX_FOUND - len(found))
        if not found:
            return "I find nothing of that."
        titles = {
            id_: title_of(await host.sessions.info(id_))
            for id_ in {one.session_id for one in found}
        }
        zone = host.clock().tzinfo
        return "\n".join(row_of(one, titles[one.session_id], own, terms, zone) for one in found)

    return [
        Command(
            "search", "find what was said; /search WORDS", search, argument="words", is_private=True
        ),
    ]


def row_of(
    found: Found, title: str, own_chat: str, terms: Sequence[str], zone: tzinfo | None
) -> str:
    """A line of what was found: when, in which session, who said it, and the words around."""
    where = title if found.chat == own_chat else f"{title} (in another chat)"
    speaker = _SPEAKERS.get(found.role, "you" if is_direct(found.chat) else "the chat")
    words = escaped(snippet(found.text, terms))
    when = shown_time(found.created_at, zone)
    return f"- {when}, {escaped(where)}, {speaker}: {words}"
