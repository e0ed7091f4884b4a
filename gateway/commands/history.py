"""Commands that change the conversation so far: undo, retry, compress.

What they mean is the agent's business: each is handed over to it as a `command`, which waits for
its place like a message, is stored like one, and has a turn of its own.
"""

from collections.abc import Callable, Mapping
from typing import Final

from gateway.chats.messages import Line, command
from gateway.commands.command import Call, Command

MAX_UNDONE = 100


def history_commands() -> list[Command]:
    """/undo, /retry and /compress, as they are when they make no sense; only an /undo can."""

    async def explain(_call: Call) -> str:
        return f"How many? `/undo 2` takes back your last two messages; up to {MAX_UNDONE}."

    return [
        Command("retry", "answer my last message once more", explain),
        Command(
            "undo",
            "take back my last message and its answer; /undo 2 the last two",
            explain,
            argument="count",
        ),
        Command(
            "compress",
            "sum up what was said so far; /compress TOPIC keeps that in full",
            explain,
            argument="topic",
        ),
    ]


def commanded(call: Call) -> Line | None:
    """What the agent is commanded by that; None if it makes no sense, or is for somebody else."""
    make = _COMMANDED.get(call.name)
    return None if make is None else make(call.arguments)


def _undo(arguments: str) -> Line | None:
    times = _times(arguments)
    return None if times is None else command("undo", n=times)


def _retry(_arguments: str) -> Line:
    return command("retry")


def _compress(arguments: str) -> Line:
    return command("compress", **({"topic": arguments} if arguments else {}))


_COMMANDED: Final[Mapping[str, Callable[[str], Line | None]]] = {
    "undo": _undo,
    "retry": _retry,
    "compress": _compress,
}


def _times(arguments: str) -> int | None:
    """How many turns are meant; one if nothing is said, None if it makes no sense."""
    if not arguments:
        return 1
    is_number = arguments.isascii() and arguments.isdecimal() and len(arguments) <= 3
    return int(arguments) if is_number and 1 <= int(arguments) <= MAX_UNDONE else None
