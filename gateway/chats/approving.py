"""Gets a person's yes before a tool call, or finds one that was given for more than once.

What is asked is `gateway.tools.approvals`' text; how people are asked is `asking`'s business.
Silence is no, and so is whatever is not plainly yes.
"""

import hashlib
from collections.abc import Sequence
from dataclasses import replace

import structlog

from adapters.base import ChatKind, Inbound, Style
from gateway.access.roles import Role
from gateway.chats.asking import Asking, Heard
from gateway.chats.host import Host
from gateway.chats.questions import Answerers, Outcome, Question, plain_label
from gateway.sessions import session_key
from gateway.store.approvals import Remembered
from gateway.tools.approvals import Verdict, question_text, verdicts
from gateway.tools.policy import User
from gateway.tools.tool import Approval, Tool, ToolCall, ToolFailed

SAID_NO = "{name} was not approved: somebody said no. Don't try it in another way; ask what to do."
NOBODY = "{name} was not approved: nobody answered in time. Tell the person what is open."
NOT_ASKED = "{name} has to be approved, and the question could not be shown. Nothing was done."

_log = structlog.get_logger()


class Approving:
    """The approvals of one turn, which answers `message`."""

    def __init__(self, host: Host, message: Inbound, asking: Asking) -> None:
        self._host = host
        self._message = message
        self._asking = asking
        self._chat = session_key(message.address)

    async def get(
        self, call: ToolCall, tool: Tool, approval: Approval, users: Sequence[User]
    ) -> bool:
        """Return if the call may be made that these people's words have led to.

        True: somebody was shown it, and said yes just now; False: one who had said so before.
        Raises `ToolFailed` and `StoreError`.
        """
        session = (await self._host.store.current_session(self._chat)).id
        what = Remembered(self._chat, "", approval.kind, approval.pattern, session)
        if not approval.always and await self._has_yes(what, users):
            return False
        heard = await self._ask(call, tool, approval, users[0].role)
        verdict = _verdict(heard, approval)
        _log.info("approval", tool=tool.name, verdict=verdict or heard.outcome.value)
        if verdict is None or verdict is Verdict.DENY:
            raise ToolFailed(_refusals(heard).format(name=tool.name))
        if verdict in {Verdict.SESSION, Verdict.ALWAYS}:
            by = heard.answer.by_id if heard.answer else ""
            kept = replace(
                what,
                person=users[0].key,
                session=session if verdict is Verdict.SESSION else None,
                given_by=f"{users[0].platform}:{by}",
            )
            await self._host.approvals.remember(kept)
        return True

    def forget_inside(self, call: ToolCall) -> None:
        """What calls from inside this one had asked before a restart is open no longer."""
        self._asking.forget(_key(f"{call.id}/"))

    async def _has_yes(self, what: Remembered, users: Sequence[User]) -> bool:
        """Whether all of them have one that holds for longer."""
        for user in users:
            if not await self._host.approvals.holds(replace(what, person=user.key)):
                return False
        return True

    async def _ask(self, call: ToolCall, tool: Tool, approval: Approval, role: Role) -> Heard:
        settings = self._host.settings.tools.approvals
        may_asker = settings.asker_may_approve and self._message.address.kind is ChatKind.DIRECT
        answerers = Answerers.OWNERS_OR_ASKED if may_asker else Answerers.OWNERS

        is_news = False
        shown = replace(approval, text=self._host.toolbox.plain(approval.text))

        def make() -> Question:
            nonlocal is_news
            question = Question(
                chat=self._chat,
                asked_id=self._message.sender.id,
                asked_name=self._message.sender.name,
                text="",
                choices=tuple(verdict.value for verdict in verdicts(approval)),
                asked_at=self._host.clock(),
                answerers=answerers,
            )
            is_theirs = question.refusal(self._message.sender.id, role) is None
            is_news = not is_theirs
            how = "" if is_theirs else _how(question)
            return question.with_text(
                question_text(tool, shown, plain_label(question.asked_name), how)
            )

        # What was answered before a restart was answered about this very text.
        digest = hashlib.sha256(approval.text.encode("utf-8", "replace")).hexdigest()[:16]
        key = _key(f"{call.id}:{digest}")
        question = await self._asking.enter(key, make)
        if is_news:
            platform = self._message.address.platform
            await self._host.tell_owners(platform, f"{question.text}\n\n(In {self._chat}.)")
        return await self._asking.hear(question, key, Style.APPROVAL, timeout_s=settings.timeout_s)


def _key(of: str) -> str:
    """Under which a question is stored: it begins with the id of the call that it is about."""
    return f"approve:{of}"


def _how(question: Question) -> str:
    return f"An owner can say it here, or from anywhere: `/approve {question.short_id}`, `/deny …`."


def _verdict(heard: Heard, approval: Approval) -> Verdict | None:
    """What was said, if it is an answer that was offered."""
    offered = {verdict.value: verdict for verdict in verdicts(approval)}
    return None if heard.answer is None else offered.get(heard.answer.content)


def _refusals(heard: Heard) -> str:
    if heard.outcome is Outcome.UNDELIVERABLE:
        return NOT_ASKED
    return NOBODY if heard.answer is None else SAID_NO
