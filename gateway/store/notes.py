"""A memory text that two have changed at once. Pure.

The `user` notes are those of a person in all their direct chats, each of which has an agent that
was told them at its start.
"""

from agent_core.tools.memory import DELIMITER, entries_of


def merged(before: str, after: str, present: str) -> str:
    """The present text with what changed from `before` to `after`, entry by entry."""
    if present == before:
        return after
    known, wanted = entries_of(before), entries_of(after)
    gone = set(known) - set(wanted)
    kept = [entry for entry in entries_of(present) if entry not in gone]
    new = [entry for entry in wanted if entry not in known and entry not in kept]
    return DELIMITER.join([*kept, *new])
