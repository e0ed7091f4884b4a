"""/approve, /deny and /approvals: yes and no by words, and what was said yes to for more than once.

An owner can answer an approval of any chat of the platform, by its id; everybody else only what
they could answer by a button, in the chat where it stands.
"""

from collections.abc import Sequence

from adapters.base import ChatKind
from gateway.access.roles import Role
from gateway.chats.questions import SHORT_ID_CHARS, Question, Questions, answer_to_json, pressed
from gateway.commands.command import Call, Command
from gateway.sessions import session_key
from gateway.store.approvals import ApprovalStore, Remembered
from gateway.store.base import Store
from gateway.store.journal import JournalStore, QuestionAnswered
from gateway.tools.approvals import Verdict, inline
from gateway.tools.visible import visible

NOTHING = "Nothing waits for a yes here."
ANOTHER = "Another has just ended here. If you mean the one that stands here now: `/approve {id}`."
_WORDS = {
    "": Verdict.ONCE,
    "once": Verdict.ONCE,
    "session": Verdict.SESSION,
    "always": Verdict.ALWAYS,
}
_REVOKE = "revoke"


def approval_commands(
    questions: Questions, journal: JournalStore, store: Store, approvals: ApprovalStore
) -> list[Command]:
    """The three."""

    async def approve(call: Call) -> str:
        words = call.arguments.lower().split()
        verdict = next((_WORDS[word] for word in words if word in _WORDS), Verdict.ONCE)
        ids = [word for word in words if word not in _WORDS]
        return await answer(call, " ".join(ids), verdict)

    async def deny(call: Call) -> str:
        return await answer(call, call.arguments.lower(), Verdict.DENY)

    async def answer(call: Call, question_id: str, verdict: Verdict) -> str:
        found = _open(questions, call, question_id)
        if isinstance(found, str):
            return found
        if refusal := found.refusal(call.message.sender.id, call.role):
            return refusal
        is_yes = verdict is not Verdict.DENY
        if is_yes and not question_id and not questions.is_plainly_meant(found):
            return ANOTHER.format(id=found.short_id)
        if verdict.value not in found.choices:
            return f"This can be approved only once: `/approve {found.short_id}`."
        said = pressed(verdict.value, call.message.sender)
        await journal.write([QuestionAnswered(found.id, answer_to_json(said))])
        if not found.settle(said):
            return "Somebody was quicker."
        return "Approved." if is_yes else "Denied."

    async def listing(call: Call) -> str:
        action, _, rest = call.arguments.lower().partition(" ")
        chat, platform = session_key(call.message.address), call.message.address.platform
        is_owner = call.role >= Role.OWNER
        if action == _REVOKE and rest.strip().isdecimal() and len(rest.strip()) < 18:
            where = None if is_owner else chat
            is_gone = await approvals.revoke(int(rest), platform=platform, chat=where)
            return "It has to be approved again from now on." if is_gone else "There is no such."
        # A group reads along: what other chats ask leave for is none of its business.
        is_alone = call.message.address.kind is ChatKind.DIRECT
        waiting = _visible(questions, call) if is_alone else questions.approvals(chat)
        if is_owner and action == "all":
            if not is_alone:
                return "I tell that where nobody reads along: ask me in our direct chat."
            kept = await approvals.everywhere(platform)
        else:
            kept = await approvals.in_chat(chat, (await store.current_session(chat)).id)
        return "\n".join(_lines(waiting, kept))

    return [
        Command("approve", "say yes to what I asked leave for", approve, is_counted=False),
        Command("deny", "say no to it", deny, is_counted=False),
        Command("approvals", "show what waits for a yes, and what has one for longer", listing),
    ]


def _open(questions: Questions, call: Call, question_id: str) -> Question | str:
    """The approval that is meant, or why there is none."""
    if question_id and len(question_id) < SHORT_ID_CHARS:
        return "That is too short: copy the whole id."
    if question_id:
        found = [one for one in _visible(questions, call) if one.id.startswith(question_id)]
        return found[0] if len(found) == 1 else f"Nothing with the id {question_id[:16]!r} waits."
    here = questions.approvals(session_key(call.message.address))
    if len(here) > 1:
        ids = ", ".join(f"`{one.short_id}`" for one in here)
        return f"There is more than one: name it, {ids}."
    return here[0] if here else NOTHING


def _visible(questions: Questions, call: Call) -> list[Question]:
    """The open approvals that somebody may know of."""
    here, platform = session_key(call.message.address), call.message.address.platform
    return [
        one
        for one in questions.approvals()
        if one.chat == here or (call.role >= Role.OWNER and one.chat.partition(":")[0] == platform)
    ]


def _lines(waiting: list[Question], kept: Sequence[Remembered]) -> list[str]:
    rows = [f"- `{one.short_id}` waits in {one.chat}:\n\n{one.text}" for one in waiting]
    head = ["These wait: /approve or /deny with the id answers.", "", *rows] if rows else [NOTHING]
    given = [
        f"- {one.id}. {one.kind}: {inline(visible(one.pattern))} for {one.person} in {one.chat}"
        f"{'' if one.session is None else ', in this conversation'}"
        for one in kept
    ]
    tail = ["", "Approved for longer; `/approvals revoke NUMBER` ends that:", "", *given]
    return head + (tail if given else [])
