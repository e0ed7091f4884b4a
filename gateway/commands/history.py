"""Commands that change the conversation so far: undo, retry, compress.

What they mean is the agent's business. Each is a turn of its own that begins with a `command`
instead of a message, and waits for its place like one.
"""

from gateway.chats.directory import Chats
from gateway.chats.messages import command
from gateway.commands.command import Call, Command

MAX_UNDONE = 100


def history_commands(chats: Chats) -> list[Command]:
    """/undo, /retry and /compress."""

    async def undo(call: Call) -> str | None:
        times = _times(call.arguments)
        if times is None:
            return f"How many? `/undo 2` takes back your last two messages; up to {MAX_UNDONE}."
        return await chats.command(call.message, command("undo", n=times))

    async def retry(call: Call) -> str | None:
        return await chats.command(call.message, command("retry"))

    async def compress(call: Call) -> str | None:
        topic = {"topic": call.arguments} if call.arguments else {}
        return await chats.command(call.message, command("compress", **topic))

    return [
        Command("retry", "answer my last message once more", retry),
        Command(
            "undo",
            "take back my last message and its answer; /undo 2 the last two",
            undo,
            argument="count",
        ),
        Command(
            "compress",
            "sum up what was said so far; /compress TOPIC keeps that in full",
            compress,
            argument="topic",
        ),
    ]


def _times(arguments: str) -> int | None:
    """How many turns are meant; one if nothing is said, None if it makes no sense."""
    if not arguments:
        return 1
    is_number = arguments.isascii() and arguments.isdecimal() and len(arguments) <= 3
    return int(arguments) if is_number and 1 <= int(arguments) <= MAX_UNDONE else None
