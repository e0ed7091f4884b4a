"""Carries out the tool calls of one turn: in which order, when they are noted, by what rules.

The limits of a call are `gateway.tools.toolbox`'s. What happens around a turn, such as the answer
to the agent, is `effects`'.
"""

import itertools
import time
from collections.abc import Awaitable, Callable, Iterable, Sequence
from dataclasses import replace
from functools import partial

import structlog
from pydantic_core import to_json

from adapters.base import Inbound, PersonalEvent
from gateway.chats.approving import Approving
from gateway.chats.asking import Asking
from gateway.chats.host import Host
from gateway.chats.journal import TurnJournal
from gateway.chats.messages import Line, tool_result
from gateway.chats.past import Past
from gateway.delivery.persistence import Outcome
from gateway.sessions import session_key
from gateway.store.journal import ToolStarted
from gateway.tools import order
from gateway.tools.approvals import approval_of
from gateway.tools.policy import Decision, Like, User, decide, offered, strictest, user_of
from gateway.tools.tool import Arguments, Risk, Tool, ToolCall, ToolContext, ToolFailed, ToolResult

CUT_OFF = (
    "This call was interrupted by a restart of the host: it had begun, and nobody knows how far it "
    "came. Find out before you make it again."
)
"""What the model is told of a tool that was running when the gateway was killed."""

UNKNOWN = "There is no tool {name!r} here."
MIXED = (
    "{name} is done in one person's name, and somebody else has spoken into this answer. Whoever "
    "wants it has to ask for it in a message of their own."
)
IN_A_NAME = frozenset({"people", "time"})
"""Toolsets that see, write to or leave something behind in more than the chat of the call: what is
scheduled runs later with its owner's rights alone."""

_FETCHING = Like("web_extract", "web", Risk.NETWORK)

DENIED = "{name} is not for the person who asks, or not for this chat. Tell them, if it matters."

PROGRESS_CHARS = 200  # more of what a tool says about its progress is not worth a line

_log = structlog.get_logger()

Report = Callable[[ToolCall, str], None]
"""Tells the person how far a call has come."""

Show = Callable[[str, str], Awaitable[Outcome]]
"""Shows what a tool sends under a name that is the same after a restart; says how that ended."""


async def offered_to(host: Host, message: Inbound) -> list[Tool]:
    """The tools that the agent of a message's chat is told of."""
    user = await _user(host, message)
    return offered(host.settings.tools, host.toolbox.all(), user)


async def may_fetch(host: Host, heard: Iterable[PersonalEvent]) -> bool:
    """Whether pages may be fetched, without a question, for all of those who were heard.

    What an answer shows of the web goes by that as well.
    """
    users = [await _user(host, event) for event in heard]
    decision = strictest(decide(host.settings.tools, _FETCHING, user) for user in users)
    return decision is Decision.ALLOW


async def _user(host: Host, event: PersonalEvent) -> User:
    return user_of(event.address, event.sender, (await host.standing(event)).role)


class ToolCalls:
    """The calls of one turn, which answers `message`."""

    def __init__(
        self,
        host: Host,
        message: Inbound,
        journal: TurnJournal,
        past: Past,
        *,
        asking: Asking,
        report: Report,
        show: Show,
    ) -> None:
        self._host = host
        self._message = message
        self._journal = journal
        self._past = past
        self._approving = Approving(host, message, asking)
        self._report = report
        self._show = show
        self._line = order.Line()
        self._chat = session_key(message.address)

    def place(self, name: str) -> order.Place:
        """The place in the order of the turn's calls; to be taken as they come."""
        tool = self._host.toolbox.find(name)
        return self._line.take(is_parallel=tool is None or tool.is_parallel)

    async def answer(self, line: Line, place: order.Place) -> Line:
        """Carry out a `tool_call` when its turn has come; returns the `tool_result`.

        Raises `StoreError`.
        """
        call = ToolCall(line["id"], line["name"], line["arguments"], self._chat, self._message)
        async with place:
            result = await self._measured(call)
        return tool_result(call.id, call.name, result.content, is_error=result.is_error)

    async def _measured(self, call: ToolCall) -> ToolResult:
        begun, outcome = time.perf_counter(), "cancelled"
        known = call.name if self._host.toolbox.find(call.name) else "unknown"
        try:
            result = await self._run(call)
            outcome = "error" if result.is_error else "done"
        finally:
            self._host.metrics.tool_ended(known, outcome, time.perf_counter() - begun)
        return result

    async def _run(self, call: ToolCall) -> ToolResult:
        try:
            users = await self._users()
            tool, decision = self._admit(call, users)
            arguments = tool.read(call.arguments)
            context = self._context(call, tool, must_ask=decision is Decision.ASK)
            approval = await self._host.toolbox.approval(tool, arguments, context)
            if approval is None and decision is Decision.ASK:
                approval = approval_of(tool, arguments)
            if approval is not None and await self._approving.get(call, tool, approval, users):
                self._admit(call, await self._users())  # an hour later the rules may be others
                context = replace(context, approved=approval)
        except ToolFailed as error:
            return ToolResult(str(error), is_error=True)
        await self._journal.write(ToolStarted(self._journal.turn, call.id, call.name))
        return await self._host.toolbox.carry_out(tool, arguments, context)

    async def _users(self) -> list[User]:
        """Everybody whose words led to a call, the person who is answered first.

        What one of them says into another's turn must not be done with the other's rights.
        """
        voices = {message.sender.id: message for message in reversed(self._journal.voices)}
        voices.pop(self._message.sender.id, None)
        heard = [self._message, *voices.values()]
        return [await _user(self._host, message) for message in heard]

    def _admit(self, call: ToolCall, users: Sequence[User]) -> tuple[Tool, Decision]:
        """The tool that is called, and whether somebody has to be asked. Raises `ToolFailed`."""
        tool = self._host.toolbox.find(call.name)
        is_told = call.name in self._journal.tools
        if (
            tool is None
            or not is_told
            or (call.within is not None and call.name not in call.within)
        ):
            _log.warning("a tool was called that the agent was not told of", tool=call.name)
            raise ToolFailed(UNKNOWN.format(name=call.name))
        decision = strictest(decide(self._host.settings.tools, tool, user) for user in users)
        if tool.toolset in IN_A_NAME and len(users) > 1:
            raise ToolFailed(MIXED.format(name=call.name))
        if decision is Decision.DENY:
            raise ToolFailed(DENIED.format(name=call.name))
        if call.id in self._past.started and not tool.is_repeatable:
            _log.warning("a tool was cut off by the restart", tool=call.name)
            self._approving.forget_inside(call)
            raise ToolFailed(CUT_OFF)
        return tool, decision

    def _tell(self, call: ToolCall, text: str) -> None:
        self._report(call, self._host.toolbox.plain(text)[:PROGRESS_CHARS])

    def _context(self, call: ToolCall, tool: Tool, *, must_ask: bool) -> ToolContext:
        workspace = self._host.workspaces.of(call.chat)
        numbers = itertools.count(1)

        async def run(caller: ToolCall, name: str, arguments: Arguments) -> ToolResult:
            inner_id, given = f"{call.id}/{next(numbers)}", to_json(dict(arguments)).decode()
            return await self._run(replace(caller, id=inner_id, name=name, arguments=given))

        async def run_deeper(name: str, arguments: Arguments, within: frozenset[str]) -> ToolResult:
            return await run(replace(call, depth=call.depth + 1, within=within), name, arguments)

        shows = itertools.count(1)

        async def show(markdown: str) -> bool:
            return (await self._show(f"{call.id}/{next(shows)}", markdown)).may_be_seen

        return ToolContext(
            call=call,
            workspace=workspace,
            report=partial(self._tell, call),
            run_tool=partial(run, call),
            run_deeper=run_deeper,
            new_output=partial(self._host.toolbox.output, tool, workspace),
            must_ask=must_ask,
            show=show,
        )
