"""The tool `cronjob`: an agent makes and changes the scheduled jobs of its chat.

The rules are `gateway.schedule.book`'s. Whose chat and whose name it is comes from the turn, never
from the model.
"""

from typing import Annotated, Literal

from pydantic import Field

from gateway.schedule.book import Book, Refused
from gateway.schedule.wording import job_text, when_text
from gateway.schedule.words import EXAMPLES
from gateway.tools.approvals import fenced
from gateway.tools.tool import Approval, Arguments, Risk, ToolContext, ToolFailed, tool

_WHEN = f"For create: {EXAMPLES.replace('`', '')}; clock times as people here have them."


class TimeTools:
    """Over the jobs of all chats."""

    def __init__(self, book: Book) -> None:
        self._book = book

    async def _ask(self, context: ToolContext, arguments: Arguments) -> Approval | None:
        """A job that there is already is shown by what it does; its number says nothing."""
        if not context.must_ask or arguments["id"] is None:
            return None
        jobs = {job.id: job for job in await self._book.jobs(context.call.message)}
        job = jobs.get(arguments["id"])
        if job is None:
            return None  # the call will fail by itself
        head = f"{arguments['action']} job {job.id} ({when_text(job.made.when)}):"
        return Approval("cronjob", "cronjob", f"{head}\n\n{fenced(job.made.prompt)}")

    @tool(risk=Risk.WRITE, is_parallel=False, approve=_ask)
    async def cronjob(
        self,
        context: ToolContext,
        *,
        action: Literal["create", "list", "remove", "pause", "resume"],
        when: Annotated[str | None, Field(description=_WHEN)] = None,
        prompt: Annotated[str | None, Field(description="For create: what to do.")] = None,
        runs: Annotated[
            int | None, Field(ge=1, description="For create: stop after so many runs.")
        ] = None,
        urgent: Annotated[
            bool, Field(description="For create: run in the quiet hours too.")
        ] = False,
        id: Annotated[  # noqa: A002 - the name that models see
            int | None, Field(description="For remove, pause and resume: the job.")
        ] = None,
    ) -> str:
        """Reminders and repeated tasks in this chat. At its time, what `prompt` says is given to
        you here as a message, and you carry it out; so write it as a complete instruction to
        yourself, e.g. 'Remind Ada to call her mother.' Use it when somebody wants something later
        or regularly. Not for use in a scheduled run itself, except to list, pause or remove.
        """
        message = context.call.message
        try:
            if action == "create":
                if not when or not prompt:
                    raise ToolFailed("create needs `when` and `prompt`.")
                job = await self._book.add(message, when, prompt, runs=runs, is_urgent=urgent)
                said = job_text(job, self._book.clock())
                quiet = self._book.quiet_text(job)
                return f"Created job {said}.{quiet} Clock times: {self._book.zone}."
            if action == "list":
                now = self._book.clock()
                jobs = [job_text(job, now) for job in await self._book.jobs(message)]
                return "\n".join(jobs) or "There are no jobs in this chat."
            if id is None:
                raise ToolFailed("Which job? `id` is missing; the action `list` shows the ids.")
            if action == "remove":
                return f"Removed job {(await self._book.remove(message, id)).id}."
            if action == "pause":
                job = await self._book.pause(message, id)
                return f"Job {job.id} rests until it is resumed."
            job = await self._book.resume(message, id)
            return f"Resumed job {job_text(job, self._book.clock())}."
        except Refused as error:
            raise ToolFailed(str(error)) from error
