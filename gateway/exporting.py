"""A person's data as a text for them: Markdown to read, JSON to take along."""

import json
from collections.abc import Sequence
from dataclasses import asdict

from gateway.store.people import PersonalData, Said
from gateway.titles import title_of
from gateway.workspace.workspace import Workspaces

_SPEAKERS = {"user": "you", "assistant": "Hermes"}


def as_json(data: PersonalData, files: Sequence[str] = ()) -> str:
    """All of it, with times in UTC; of files the names."""
    whole = {
        "person": data.person,
        "notes": list(data.notes),
        "sessions": [
            {
                "id": session.id,
                "chat": session.chat,
                "title": title_of(session),
                "started_at": session.started_at,
                "updated_at": session.updated_at,
                "ended_at": session.ended_at,
                "end_reason": session.end_reason,
                "messages": [asdict(one) for one in said],
            }
            for session, said in data.sessions
        ],
        "in_groups": [{"chat": chat, **asdict(one)} for chat, one in data.in_groups],
        "files": list(files),
        "scheduled": [{"chat": chat, "prompt": prompt} for chat, prompt in data.jobs],
        "not_told": [{"chat": chat, "text": text} for chat, text in data.not_told],
    }
    return json.dumps(whole, ensure_ascii=False, indent=2) + "\n"


def as_markdown(data: PersonalData, files: Sequence[str] = ()) -> str:
    """The same, to be read."""
    lines = [f"# What is stored about {data.person}", "", "## Notes", ""]
    lines += [f"{text}\n" for text in data.notes] or ["none", ""]
    for session, said in data.sessions:
        lines += [f"## {title_of(session)}", "", f"{session.chat}, {_time(session.started_at)}", ""]
        lines += [_line(one) for one in said]
    if data.in_groups:
        lines += ["## Written in groups", ""]
        lines += [f"{chat}, {_line(one)}" for chat, one in data.in_groups]
    if files:
        lines += ["## Files", "", *(f"- {name}" for name in files), ""]
    if data.jobs:
        lines += ["## Scheduled", "", *(f"- {chat}: {prompt}" for chat, prompt in data.jobs), ""]
    if data.not_told:
        lines += ["## Not told to Hermes yet", ""]
        lines += [f"- {chat}: {text}" for chat, text in data.not_told]
    return "\n".join(lines).rstrip() + "\n"


def files_of(data: PersonalData, workspaces: Workspaces) -> list[str]:
    """The names of the files in a person's direct chats. Blocks."""
    chats = dict.fromkeys(session.chat for session, _ in data.sessions)
    return [entry.path for chat in chats for entry in workspaces.of(chat).files()]


def _line(one: Said) -> str:
    gone = "" if one.is_in_history else " (no longer in the history)"
    speaker = _SPEAKERS.get(one.role, one.role)
    return f"**{speaker}**, {_time(one.at)}{gone}:\n\n{one.text}\n"


def _time(stored: str) -> str:
    return f"{stored[:10]} {stored[11:16]} UTC"
