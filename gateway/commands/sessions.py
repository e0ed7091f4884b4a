"""Commands about the chat's sessions: the open one and those of the past.

A session of the past is continued by opening it again; the one that was open ends. That happens
between turns, and the agent is let go: the next one wakes with the other history.
"""

from collections.abc import Sequence
from datetime import datetime, tzinfo

from agent_core.tokens import estimate_messages
from gateway.chats.directory import Chats
from gateway.chats.host import Host
from gateway.commands.command import Call, Command, button_for
from gateway.delivery.reply import Buttons, Offer, Said
from gateway.sessions import session_key
from gateway.store.sessions import SessionInfo
from gateway.titles import clean_title, escaped, title_of

MAX_LISTED = 10
ID_CHARS = 8
_LABEL_CHARS = 60


def session_commands(chats: Chats, host: Host) -> list[Command]:
    """/status, /title, /sessions and /resume."""

    async def opened(call: Call) -> SessionInfo:
        session = await host.store.current_session(session_key(call.message.address))
        return await host.sessions.info(session.id)

    async def status(call: Call) -> str:
        key = session_key(call.message.address)
        session = await opened(call)
        model = await host.models.of_chat(key)
        tokens = estimate_messages(await host.store.history(session.id))
        began = shown_time(session.started_at, host.clock().tzinfo)
        rows = [
            ("session", f"{escaped(title_of(session))} ({short_id(session)}), since {began}"),
            ("model", f"{model.name} ({model.provider})"),
            ("history", f"{session.messages:,} messages"),
            ("context", f"about {tokens:,} of {model.context_length:,} tokens"),
            ("now", now_text(*chats.activity(key))),
        ]
        return "\n".join(f"- {name}: {text}" for name, text in rows)

    async def title(call: Call) -> str:
        session = await opened(call)
        wanted = clean_title(call.arguments)
        if not wanted:
            name = escaped(title_of(session))
            return f"This conversation is called “{name}”. `/title TEXT` renames it."
        await host.sessions.set_title(session.id, wanted)
        return f"This conversation is now called “{escaped(wanted)}”."

    async def sessions(call: Call) -> Said:
        recent = await host.sessions.recent(session_key(call.message.address), MAX_LISTED)
        return Offer(listing(recent, host.clock().tzinfo), buttons_of(recent))

    async def resume(call: Call) -> str | None:
        address = call.message.address
        key = session_key(address)
        recent = await host.sessions.recent(key, 1_000)
        wanted = pick(recent, call.arguments)
        if wanted is None:
            return "There is no such conversation. /sessions lists them, `/resume 2` takes one."
        if wanted.ended_at is None:
            return "That is the conversation that we are having."

        async def carry_out() -> str:
            await host.sessions.reopen(wanted.id, "resumed another")
            host.pool.drop(key)
            name = escaped(title_of(wanted))
            return f"We go on with “{name}”. What we had open is kept: see /sessions."

        return await chats.between(address, carry_out)

    return [
        Command(
            "status", "show what this conversation is and what I am doing", status, is_private=True
        ),
        Command("title", "show or change what this conversation is called", title, argument="text"),
        Command("sessions", "list the conversations that we had here", sessions, is_private=True),
        Command(
            "resume",
            "go on with the last conversation; /resume 3 with that of /sessions",
            resume,
            argument="session",
            has_buttons=True,
        ),
    ]


def pick(recent: Sequence[SessionInfo], wanted: str) -> SessionInfo | None:
    """The session that is meant: by its number in the list, its id, or the last that ended."""
    if not wanted:
        return next((session for session in recent if session.ended_at is not None), None)
    if wanted.isascii() and wanted.isdecimal() and len(wanted) < ID_CHARS:
        number = int(wanted)
        return recent[number - 1] if 1 <= number <= len(recent) else None
    meant = [s for s in recent if s.id == wanted.lower() or short_id(s) == wanted.lower()]
    return meant[0] if len(meant) == 1 else None


def listing(recent: Sequence[SessionInfo], zone: tzinfo | None) -> str:
    """The sessions, numbered."""
    rows = []
    for number, session in enumerate(recent, start=1):
        when = shown_time(session.updated_at, zone)
        is_open = ", open now" if session.ended_at is None else ""
        title = escaped(title_of(session))
        rows.append(f"{number}. {title} ({when}, {short_id(session)}{is_open})")
    if not rows:
        return "We have not said anything here yet."
    return "\n".join([*rows, "", "`/resume NUMBER` goes on with one."])


def buttons_of(recent: Sequence[SessionInfo]) -> Buttons:
    """A button to go on with each, numbered as they are listed; none if all are open already."""
    if all(session.ended_at is None for session in recent):
        return ()
    return tuple(
        (button_for("resume", short_id(session), _label(number, session)),)
        for number, session in enumerate(recent, start=1)
    )


def shown_time(stored: str, zone: tzinfo | None) -> str:
    """A stored time as people here read it."""
    return f"{datetime.fromisoformat(stored).astimezone(zone):%Y-%m-%d %H:%M}"


def short_id(session: SessionInfo) -> str:
    """The part of an id that is unlike the others'."""
    return session.id[-ID_CHARS:]


def _label(number: int, session: SessionInfo) -> str:
    return f"{number}. {title_of(session)}"[:_LABEL_CHARS]


def now_text(is_answering: bool, waiting: int) -> str:
    """What a chat is doing, in words."""
    doing = "I am writing an answer" if is_answering else "nothing runs"
    messages = "message waits" if waiting == 1 else "messages wait"
    return f"{doing}; {waiting} {messages}" if waiting else doing
