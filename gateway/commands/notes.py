"""What the agent keeps for a chat, for people to see and to change: its notes and its tasks.

Notes are changed by the agent's own rules (its memory tool), between the chat's turns, so that no
turn in progress writes over them. The chat's warm agent is let go: the next one is woken with the
changed notes in its instructions, whereas a warm one would go on with those that it began with.
"""

from dataclasses import dataclass

from agent_core.injection import scan
from agent_core.tools.memory import change_memory, entries_of, usage_of
from gateway.chats.directory import Chats
from gateway.chats.host import Host
from gateway.chats.own_notes import forget_old_notes
from gateway.chats.records import last_todos
from gateway.commands.command import Call, Command
from gateway.sessions import MemoryOwners, memory_owners, session_key
from gateway.store.base import MemoryKind
from gateway.store.journal import MemoryChanged

USAGE = "\n".join(
    [
        "- `/memory add TEXT` notes something about this chat",
        "- `/memory add me: TEXT` notes something about you",
        "- `/memory edit NUMBER TEXT` puts another text in its place",
        "- `/memory remove NUMBER` forgets it",
    ]
)
_MARKS = {"pending": "☐", "in_progress": "▶", "completed": "☑", "cancelled": "✗"}
_KINDS: tuple[MemoryKind, ...] = ("memory", "user")
_HEADS: dict[MemoryKind, str] = {"memory": "About this chat", "user": "About you"}
_ME = "me:"


@dataclass(frozen=True, slots=True)
class Edit:
    """A change that a person asked for. `number` is the entry's, as the list shows it."""

    action: str  # add, edit or remove
    kind: MemoryKind = "memory"  # of what is added
    number: int = 0
    text: str = ""


@dataclass(frozen=True, slots=True)
class Notes:
    """The two texts that an agent of the chat is given."""

    texts: dict[MemoryKind, str]
    limits: dict[MemoryKind, int]

    def numbered(self) -> list[tuple[MemoryKind, str]]:
        """All entries in the order in which they are counted: the chat's, then the person's."""
        return [(kind, entry) for kind in _KINDS for entry in entries_of(self.texts[kind])]


def note_commands(chats: Chats, host: Host) -> list[Command]:
    """/memory and /todo."""

    async def read(owners: MemoryOwners) -> Notes:
        settings, store = host.settings.agent, host.store
        return Notes(
            {
                "memory": await store.memory("memory", owners.memory),
                "user": await store.memory("user", owners.user),
            },
            {"memory": settings.memory_limit_chars, "user": settings.user_limit_chars},
        )

    async def memory(call: Call) -> str | None:
        address = call.message.address
        owners = memory_owners(address, call.message.sender)
        if not call.arguments:
            return listing(await read(owners))
        edit = parse_edit(call.arguments)
        if edit is None:
            return USAGE

        async def carry_out() -> str:
            notes = await read(owners)
            kind, text, said = change(notes, edit)
            if text is not None:
                owner = owners.memory if kind == "memory" else owners.user
                changed = MemoryChanged(kind, owner, text, notes.texts[kind])
                await host.journal.write([changed])
                host.pool.drop(session_key(address))
                await forget_old_notes(host, call.message)
            return said

        return await chats.between(address, carry_out)

    async def todo(call: Call) -> str:
        session = await host.store.current_session(session_key(call.message.address))
        todos = last_todos(await host.store.history(session.id))
        rows = [
            f"{_MARKS.get(str(item.get('status')), '☐')} {item.get('content', '')}"
            for item in todos
            if isinstance(item, dict)
        ]
        return "\n".join(f"- {row}" for row in rows) or "There are no tasks."

    return [
        Command(
            "memory",
            "show what I noted; /memory add, edit or remove changes it",
            memory,
            argument="change",
            is_private=True,
        ),
        Command("todo", "show the tasks I am working on", todo, is_private=True),
    ]


def listing(notes: Notes) -> str:
    """All notes, numbered, with how full they are, and how to change them."""
    lines: list[str] = []
    number = 0
    for kind in _KINDS:
        entries = entries_of(notes.texts[kind])
        lines.append(f"**{_HEADS[kind]}** {usage_of(notes.texts[kind], notes.limits[kind])}\n")
        for entry in entries:
            number += 1
            # A list would be numbered anew after each head; a bare number stays what it is.
            lines.append(f"- {number}: {' '.join(entry.split())}")
        lines.append("" if entries else "- nothing yet\n")
    return "\n".join([*lines, USAGE])


def parse_edit(arguments: str) -> Edit | None:
    """What is to be changed; None if the words make no sense."""
    action, _, rest = arguments.partition(" ")
    action, rest = action.lower(), rest.strip()
    if action == "add":
        is_about_person = rest.lower().startswith(_ME)
        text = rest[len(_ME) :].strip() if is_about_person else rest
        return Edit("add", "user" if is_about_person else "memory", text=text) if text else None
    first, _, text = rest.partition(" ")
    if action not in ("edit", "remove") or not (first.isascii() and first.isdecimal()):
        return None
    text = text.strip()
    if (action == "edit") != bool(text) or len(first) > 6:
        return None
    return Edit(action, number=int(first), text=text)


def change(notes: Notes, edit: Edit) -> tuple[MemoryKind, str | None, str]:
    """Which text is changed, the new text or None if it stays, and what to say."""
    kind, entry = edit.kind, ""
    if edit.action != "add":
        numbered = notes.numbered()
        if not 1 <= edit.number <= len(numbered):
            return kind, None, f"There is no note {edit.number}. `/memory` shows them all."
        kind, entry = numbered[edit.number - 1]
    arguments = {
        "action": "replace" if edit.action == "edit" else edit.action,
        "content": edit.text,
        "old_text": entry,
    }
    limit = notes.limits[kind]
    changed = change_memory(arguments, text=notes.texts[kind], limit=limit, target=kind)
    if changed.text is not None:
        return kind, changed.text, _done(edit, entry)
    if changed.is_overflow:
        full = usage_of(notes.texts[kind], limit)
        return kind, None, f"That does not fit in: {full} is taken. Remove something first."
    if found := scan(edit.text):
        return kind, None, f"I don't note that: it contains {found}."
    return kind, None, str(changed.answer.get("error", "That can't be noted."))


def _done(edit: Edit, entry: str) -> str:
    if edit.action == "add":
        return "Noted."
    return "Changed." if edit.action == "edit" else f"Forgotten: {' '.join(entry.split())}"
