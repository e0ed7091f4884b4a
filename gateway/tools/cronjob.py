"""The tool `cronjob`: an agent makes and changes the scheduled jobs of its chat.

The rules are `gateway.schedule.book`'s. Whose chat and whose name it is comes from the turn, never
from the model.
"""

import json
from collections.abc import Callable, Coroutine, Mapping
from typing import Any

from gateway.schedule.book import Book, Refused
from gateway.schedule.wording import job_text
from gateway.schedule.words import EXAMPLES
from gateway.tools.toolbox import ToolCall, ToolResult, ToolSchema

_DESCRIPTION = (
    "Reminders and repeated tasks in this chat. At its time, what `prompt` says is given to you "
    "here as a message, and you carry it out; so write it as a complete instruction to yourself, "
    "e.g. 'Remind Ada to call her mother.' Use it when somebody wants something later or "
    "regularly. Not for use in a scheduled run itself, except to list, pause or remove."
)


class CronjobTool:
    """The tool, over the jobs of all chats."""

    name = "cronjob"

    def __init__(self, book: Book) -> None:
        self._book = book
        self.schema: ToolSchema = {
            "type": "function",
            "function": {
                "name": self.name,
                "description": _DESCRIPTION,
                "parameters": {
                    "type": "object",
                    "properties": {
                        "action": {"type": "string", "enum": list(_ACTIONS)},
                        "when": {
                            "type": "string",
                            "description": f"For create: {EXAMPLES.replace('`', '')}. Clock times "
                            f"are in {book.zone}.",
                        },
                        "prompt": {"type": "string", "description": "For create: what to do."},
                        "runs": {
                            "type": "integer",
                            "minimum": 1,
                            "description": "For create: stop after so many runs.",
                        },
                        "urgent": {
                            "type": "boolean",
                            "description": "For create: run in the quiet hours too.",
                        },
                        "id": {
                            "type": "integer",
                            "description": "For remove, pause and resume: the job.",
                        },
                    },
                    "required": ["action"],
                },
                "toolset": "schedule",
            },
        }

    async def run(self, call: ToolCall) -> ToolResult:
        """Do what is asked, or say why not."""
        arguments = json.loads(call.arguments)
        try:
            return ToolResult(await _ACTIONS[arguments["action"]](self, call, arguments))
        except Refused as error:
            return ToolResult(str(error), is_error=True)

    async def _create(self, call: ToolCall, arguments: Mapping[str, Any]) -> str:
        when, prompt = arguments.get("when"), arguments.get("prompt")
        if not when or not prompt:
            raise Refused("create needs `when` and `prompt`.")
        job = await self._book.add(
            call.message,
            when,
            prompt,
            runs=arguments.get("runs"),
            is_urgent=bool(arguments.get("urgent")),
        )
        said = job_text(job, self._book.clock())
        return f"Created job {said}.{self._book.quiet_text(job)} Clock times: {self._book.zone}."

    async def _list(self, call: ToolCall, _arguments: Mapping[str, Any]) -> str:
        now = self._book.clock()
        jobs = [job_text(job, now) for job in await self._book.jobs(call.message)]
        return "\n".join(jobs) or "There are no jobs in this chat."

    async def _remove(self, call: ToolCall, arguments: Mapping[str, Any]) -> str:
        job = await self._book.remove(call.message, _id_in(arguments))
        return f"Removed job {job.id}."

    async def _pause(self, call: ToolCall, arguments: Mapping[str, Any]) -> str:
        job = await self._book.pause(call.message, _id_in(arguments))
        return f"Job {job.id} rests until it is resumed."

    async def _resume(self, call: ToolCall, arguments: Mapping[str, Any]) -> str:
        job = await self._book.resume(call.message, _id_in(arguments))
        return f"Resumed job {job_text(job, self._book.clock())}."


def _id_in(arguments: Mapping[str, Any]) -> int:
    if not isinstance(job_id := arguments.get("id"), int):
        raise Refused("Which job? `id` is missing; the action `list` shows the ids.")
    return job_id


_ACTIONS: dict[str, Callable[[CronjobTool, ToolCall, Mapping[str, Any]], Coroutine[Any, Any, str]]]
_ACTIONS = {
    "create": CronjobTool._create,
    "list": CronjobTool._list,
    "remove": CronjobTool._remove,
    "pause": CronjobTool._pause,
    "resume": CronjobTool._resume,
}
