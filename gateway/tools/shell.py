"""The shell family: commands of the machine, shut into the chat's workspace by bubblewrap.

What has to be asked before a command is `gateway/shell/judgement`'s opinion and this file's words;
how it is shut in, run and ended is `gateway/shell`'s business.
"""

import asyncio
import unicodedata
from typing import Annotated, Literal

from pydantic import Field

from config.shell import ShellSettings
from gateway import seccomp
from gateway.shell import bubblewrap
from gateway.shell.bubblewrap import Confinement
from gateway.shell.cgroup import Cgroup
from gateway.shell.errors import ShellError
from gateway.shell.judgement import Danger, Judgement, is_allowed, judge
from gateway.shell.process import Process
from gateway.shell.table import Job, JobTable
from gateway.tools.approvals import fenced, inline
from gateway.tools.tool import (
    Approval,
    Arguments,
    Risk,
    ToolContext,
    ToolFailed,
    ToolResult,
    tool,
)
from gateway.tools.untrusted import marked

_DEFAULT_TIMEOUT_S = 60
_MAX_COMMAND_CHARS = 20_000
_OUTPUT_BYTES = 100 * 1_048_576  # more than that nobody wants to have printed
_ROOM_CHECK_S = 0.5
_WAIT_S = 60


class _TooMuch(Exception):
    """The command is to be ended; the text says why."""


class ShellTools:
    """`terminal` and `process`."""

    def __init__(self, settings: ShellSettings, jobs: JobTable) -> None:
        self._settings = settings
        self._jobs = jobs
        self._why_not: list[str | None] = []  # what `bubblewrap.why_not` said, once asked
        self._confinement = Confinement(
            memory_mb=settings.memory_mb,
            processes=settings.max_processes,
            cpu_s=int(settings.background_hours * 3600),
            file_mb=settings.max_file_mb,
            has_network=settings.network,
        )

    async def _ask_before_command(
        self, _context: ToolContext, arguments: Arguments
    ) -> Approval | None:
        command: str = arguments["command"]
        judgement = judge(command)
        if not self._has_to_be_asked(command, judgement):
            return None
        is_destructive = judgement.danger is Danger.DESTRUCTIVE
        where = "It goes on in the background." if arguments["background"] else ""
        words = " ".join(filter(None, [judgement.reason, _turned(command), where]))
        text = f"{fenced(command)}\n{words}".rstrip()
        return Approval("terminal", judgement.pattern, text, always=is_destructive)

    def _has_to_be_asked(self, command: str, judgement: Judgement) -> bool:
        settings = self._settings
        if judgement.danger is Danger.DESTRUCTIVE or settings.ask_about == "everything":
            return True
        if judgement.danger is Danger.NONE or settings.ask_about == "destructive":
            return False
        return not is_allowed(command, settings.allowed)

    async def _ask_before_input(
        self, context: ToolContext, arguments: Arguments
    ) -> Approval | None:
        if arguments["action"] != "write":
            return None
        job = next(
            (job for job in self._jobs.jobs(context.call.chat) if job.id == arguments["id"]), None
        )
        if job is None:
            return None  # the call will fail by itself
        # A shell is destructive, and so may be each line that it is given.
        is_destructive = judge(job.command).danger is Danger.DESTRUCTIVE
        if self._settings.ask_about == "destructive" and not is_destructive:
            return None
        text = f"Input for {inline(job.command)}:\n\n{fenced(arguments['data'])}"
        return Approval("process", job.command, text, always=is_destructive)

    @tool(
        risk=Risk.EXECUTE,
        timeout_s=24 * 3600,  # the command has a limit of its own, which is a setting
        max_output_chars=30_000,
        is_parallel=False,
        approve=_ask_before_command,
    )
    async def terminal(
        self,
        context: ToolContext,
        command: Annotated[
            str, Field(description="A command line for bash.", max_length=_MAX_COMMAND_CHARS)
        ],
        timeout_s: Annotated[
            int, Field(description="When to end it, in seconds.", ge=1)
        ] = _DEFAULT_TIMEOUT_S,
        background: Annotated[
            bool, Field(description="Let it go on by itself; `process` looks after it.")
        ] = False,
    ) -> ToolResult:
        """Run a command with the programs of this machine, in the chat's workspace, and get what it
        prints. It sees the workspace and nothing else of the machine's files. Plain commands are
        best: what can't be understood beforehand, such as `$(…)`, needs a person's yes each time.
        For computing and for work on files, execute_code and the file tools need nobody.
        """
        chat = context.call.chat
        try:
            if background:
                self._jobs.check_room(chat)
            process = await self._started(context, command, has_input=background)
            if background:
                job = self._jobs.add(chat, command, process, context.workspace.room_bytes)
                return ToolResult(f"It runs in the background, with the id {job.id}.")
            seconds = min(timeout_s, self._settings.timeout_s)
            return await self._followed(context, process, seconds)
        except ShellError as error:
            raise ToolFailed(str(error)) from error

    @tool(risk=Risk.EXECUTE, timeout_s=_WAIT_S + 30, approve=_ask_before_input, is_parallel=False)
    async def process(
        self,
        context: ToolContext,
        action: Annotated[
            Literal["list", "poll", "wait", "log", "write", "kill"],
            Field(
                description="list all; poll: state and new output of one; wait until it ends; log: "
                "its last lines; write to its input; kill it."
            ),
        ],
        id: Annotated[str, Field(description="Which command.")] = "",  # noqa: A002 - the model's word
        data: Annotated[str, Field(description="For write. Lines end with \\n.")] = "",
        lines: Annotated[int, Field(description="For log.", ge=1, le=2000)] = 100,
    ) -> str:
        """Look after the commands that `terminal` has left running in the background here."""
        try:
            if action == "list":
                jobs = self._jobs.jobs(context.call.chat)
                return "\n".join(map(self._state, jobs)) or "Nothing runs in the background."
            job = self._jobs.find(context.call.chat, id)
            if action == "log":
                return _printed(job.tail.lines(lines)) or "It has printed nothing."
            if action == "write":
                await job.process.write(data.encode())
                return "Written."
            if action == "kill":
                job.process.kill()
                await job.ended.wait()
            if action == "wait":
                await _ended_within(job, _WAIT_S)
            return f"{self._state(job)}\n{_printed(job.tail.new())}".rstrip()
        except ShellError as error:
            raise ToolFailed(str(error)) from error

    async def _started(self, context: ToolContext, command: str, *, has_input: bool) -> Process:
        """Raises `ShellError`."""
        if not self._why_not:
            self._why_not.append(await asyncio.to_thread(bubblewrap.why_not))
        if self._why_not[0] is not None:
            raise ShellError(f"No command can be run: {self._why_not[0]}")
        if "\0" in command:
            raise ShellError("A command can't hold a zero byte.")

        def prepare(filter_file: int | None) -> tuple[list[str], Cgroup | None]:
            workspace = context.workspace.prepare()
            confinement = self._confinement
            group = Cgroup.make(confinement.memory_mb, confinement.processes)
            return bubblewrap.arguments(workspace, command, confinement, filter_file), group

        with seccomp.opened() as filter_file:
            arguments, group = await asyncio.to_thread(prepare, filter_file)
            files = () if filter_file is None else (filter_file,)
            return await Process.start(arguments, group, has_input=has_input, files=files)

    async def _followed(self, context: ToolContext, process: Process, seconds: int) -> ToolResult:
        output = context.new_output()

        async def take(chunk: bytes) -> None:
            await asyncio.to_thread(output.write, chunk)
            if output.size_bytes > _OUTPUT_BYTES:
                raise _TooMuch("It was ended: it printed more than anybody will read.")

        async def watch_room() -> None:
            while True:
                await asyncio.sleep(_ROOM_CHECK_S)
                if not await asyncio.to_thread(context.workspace.room_bytes):
                    raise _TooMuch("It was ended: the workspace is full.")

        exit_code, end = None, ""
        try:
            async with asyncio.timeout(seconds), asyncio.TaskGroup() as group:
                watching = group.create_task(watch_room())
                exit_code = await process.pump(take)
                watching.cancel()
        except TimeoutError:
            end = f"It was ended after {seconds} s."
        except ExceptionGroup as errors:
            ours, others = errors.split(_TooMuch)
            if others is not None or ours is None:
                raise
            end = str(ours.exceptions[0])
        if exit_code:
            end = f"It ended with exit code {exit_code}."
        text = await asyncio.to_thread(output.finish)
        parts = [_printed(text), f"[{end}]" if end else ""]
        said = "\n".join(part for part in parts if part) or "[It printed nothing.]"
        return ToolResult(said, is_error=exit_code != 0)

    def _state(self, job: Job) -> str:
        minutes = self._jobs.age_s(job) / 60
        if not job.ended.is_set():
            state = f"running for {minutes:.0f} min"
        elif job.why_ended:
            state = f"ended, because {job.why_ended}"
        else:
            state = f"ended with exit code {job.exit_code}"
        return f"{job.id}: {state}: {job.command}"


def _turned(command: str) -> str:
    """What is said of letters that a screen puts in another order than the one they are run in."""
    if not any(unicodedata.bidirectional(character) in {"R", "AL"} for character in command):
        return ""
    return "Words from right to left may show in another order than the one that counts."


def _printed(text: str) -> str:
    """What a command printed, which may come from a file or from anywhere."""
    text = text.rstrip("\n")
    return marked(text, "the command") if text else ""


async def _ended_within(job: Job, seconds: float) -> None:
    try:
        async with asyncio.timeout(seconds):
            await job.ended.wait()
    except TimeoutError:
        return
