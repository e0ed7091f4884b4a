"""/schedule: the reminders and repeated jobs of a chat, for people to see and to change."""

from collections.abc import Callable, Coroutine
from typing import Any, Protocol

from adapters.base import Inbound
from gateway.access.roles import Role
from gateway.commands.command import Call, Command
from gateway.schedule.book import Book, Refused
from gateway.schedule.wording import job_text, moment_text
from gateway.schedule.words import EXAMPLES
from gateway.store.schedule import Job

USAGE = "\n".join(
    [
        "- `/schedule add TIME TEXT` lets me do something then, or again and again",
        "- `/schedule add urgent TIME TEXT` does it in the quiet hours too",
        "- `/schedule remove NUMBER` forgets it",
        "- `/schedule pause NUMBER` lets it rest, `/schedule resume NUMBER` wakes it",
        "",
        f"A time is {EXAMPLES}.",
    ]
)
_URGENT = "urgent"


class _Change(Protocol):
    def __call__(
        self, message: Inbound, job_id: int, *, of_any: bool
    ) -> Coroutine[Any, Any, Job]: ...


def schedule_commands(book: Book) -> list[Command]:
    """/schedule."""
    changes: dict[str, tuple[_Change, Callable[[Job], str]]] = {
        "remove": (book.remove, lambda job: f"Job {job.id} is forgotten."),
        "pause": (book.pause, lambda job: f"Job {job.id} rests until it is resumed."),
        "resume": (book.resume, lambda job: f"Job {job.id} runs next {_next(job)}."),
    }  # fmt: skip

    async def listing(message: Inbound) -> str:
        now = book.clock()
        rows = [f"- {job_text(job, now)}" for job in await book.jobs(message)]
        head = f"Times are in {book.zone}." if rows else "Nothing is scheduled in this chat."
        return "\n".join([*rows, "", head, "", USAGE] if rows else [head, "", USAGE])

    async def add(message: Inbound, words: str) -> str:
        first, _, rest = words.partition(" ")
        is_urgent = first.lower() == _URGENT
        job = await book.add(message, rest if is_urgent else words, is_urgent=is_urgent)
        return f"Job {job.id} runs {_next(job)}.{book.quiet_text(job)}"

    async def schedule(call: Call) -> str:
        action, _, rest = call.arguments.partition(" ")
        action, rest = action.lower(), rest.strip()
        try:
            if action in {"", "list"} and not rest:
                return await listing(call.message)
            if action == "add" and rest:
                return await add(call.message, rest)
            if action in changes and rest.isascii() and rest.isdecimal() and len(rest) < 18:
                change, said = changes[action]
                is_owner = call.role >= Role.OWNER
                return said(await change(call.message, int(rest), of_any=is_owner))
        except Refused as error:
            return str(error)
        return USAGE

    return [
        Command(
            "schedule",
            "show my reminders and jobs here; /schedule add makes one",
            schedule,
            argument="change",
        )
    ]


def _next(job: Job) -> str:
    zone = job.made.when.zone
    return f"{moment_text(job.next_run, zone)} ({zone})"
