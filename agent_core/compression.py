"""Makes a history shorter when it outgrows the model: what to keep, what to sum up, how.

Kept as they are: the first exchange, the latest messages within a budget of tokens, and always
the user's latest message. What lies between becomes a summary that the host has a model write, or
a plain extract if that fails. Cuts never fall between a call and its results.
"""

from dataclasses import dataclass

from agent_core import history as rules
from agent_core.expecting import SUMMARY, Expected, Steps
from agent_core.session import Session
from agent_core.summary import (
    ACKNOWLEDGEMENT,
    clip,
    extract,
    instruction,
    is_summary,
    summary_message,
)
from agent_core.summary import transcript as transcript_of
from agent_core.tokens import CHARS_PER_TOKEN, estimate_messages
from agent_core.wire import Message

TAIL_SHARE = 0.2  # of the size at which compression starts
HEAD_SHARE = 0.1
WEAK_SAVING = 0.1  # a pass that saves less than this …
MAX_WEAK_PASSES = 2  # … so many times in a row is the last one until the user acts
MIN_SUMMARY_TOKENS, MAX_SUMMARY_TOKENS = 500, 4_000
RESULTS_SHARE = 0.5  # of a history that was refused: its tool results may take up no more
SHRINK_ABOVE_CHARS = 400
SHRUNK_PREVIEW_CHARS = 80


@dataclass(frozen=True, slots=True)
class Plan:
    """How a history is divided."""

    head: list[Message]
    middle: list[Message]  # to be summed up
    question: list[Message]  # the user's latest message, if it lies before the tail
    tail: list[Message]


def compress_if_needed(session: Session) -> Steps[None]:
    """Compress if the next request would be too large, and attempts are not given up."""
    limit = session.settings.compress_above_tokens
    size = session.context_tokens()
    if size <= limit or session.weak_compressions >= MAX_WEAK_PASSES:
        return
    session.status(
        f"Context compression needed: ~{size} tokens > {limit} threshold",
        "compressing",
        tokens=size,
        threshold=limit,
    )
    yield from compress(session)


def compress(session: Session, *, topic: str = "", is_forced: bool = False) -> Steps[bool]:
    """Shorten the history; whether it became shorter.

    `is_forced` says that the provider refused the request, so that the cheap first pass is not
    enough; `topic` is what the summary should keep most of.
    """
    if session.weak_compressions >= MAX_WEAK_PASSES:
        return False
    before = session.history
    old_size = estimate_messages(before)
    limit = session.settings.compress_above_tokens
    plan = divide(before, tail_tokens=_tail_tokens(session, is_forced), head_tokens=_head(limit))
    shrunk = shrink_results(before, keep_last=len(plan.tail))
    saved_enough = session.fixed_tokens() + estimate_messages(shrunk) <= limit * (1 - WEAK_SAVING)
    if (not is_forced and not topic and shrunk != before and saved_enough) or not plan.middle:
        new = shrunk
    else:
        new = yield from _summed_up(session, plan, topic)
    if is_forced:
        new = clip_results(new, most_tokens=int(min(limit, old_size) * RESULTS_SHARE))
    new_size = estimate_messages(new)
    if new_size >= old_size:
        session.weak_compressions += 1
        return False
    is_weak = new_size > old_size * (1 - WEAK_SAVING)
    session.weak_compressions = session.weak_compressions + 1 if is_weak else 0
    session.replace_history(new)
    session.status(
        f"Compressed to {len(session.history)} messages",
        "compressed",
        messages_before=len(before),
        messages_after=len(session.history),
        tokens_before=old_size,
        tokens_after=new_size,
    )
    return True


def divide(messages: list[Message], *, tail_tokens: int, head_tokens: int) -> Plan:
    """Decide what of a sound history is kept and what is summed up. Pure."""
    grouped = rules.groups(messages)
    head = _head_length(grouped, head_tokens)
    start, used = len(grouped), 0
    while start > head:
        size = estimate_messages(grouped[start - 1])
        if used and used + size > tail_tokens:
            break
        used += size
        start -= 1
    asked = max((i for i, g in enumerate(grouped) if g[0]["role"] == "user"), default=-1)
    is_before_tail = head <= asked < start
    middle = [
        message
        for i, group in enumerate(grouped[head:start], head)
        if not (is_before_tail and i == asked)
        for message in group
    ]
    return Plan(
        head=[m for group in grouped[:head] for m in group],
        middle=middle,
        question=grouped[asked] if is_before_tail else [],
        tail=[m for group in grouped[start:] for m in group],
    )


def assemble(plan: Plan, summary: Message) -> list[Message]:
    """The new history: roles alternate, whichever way the pieces begin and end."""
    rest = [*plan.question, *plan.tail]
    begins_with_user = bool(rest) and rest[0]["role"] == "user"
    middle = [summary, ACKNOWLEDGEMENT] if begins_with_user or not rest else [summary]
    return [*plan.head, *middle, *rest]


def shrink_results(messages: list[Message], *, keep_last: int) -> list[Message]:
    """The history with long tool results before the last `keep_last` messages cut to one line."""
    border = len(messages) - keep_last
    return [
        {**m, "content": _shrunk(m)}
        if i < border and m["role"] == "tool" and len(m["content"]) > SHRINK_ABOVE_CHARS
        else m
        for i, m in enumerate(messages)
    ]


def clip_results(messages: list[Message], *, most_tokens: int) -> list[Message]:
    """The history with its longest tool results cut in their middles, so that all of them together
    take about `most_tokens`: the latest ones alone can be too much for a model."""
    sizes = sorted(len(m["content"]) for m in messages if m["role"] == "tool")
    left = most_tokens * CHARS_PER_TOKEN
    longest = max(sizes, default=0)
    for number, size in enumerate(sizes):
        fair = left // (len(sizes) - number)
        if size > fair:
            longest = max(fair, SHRINK_ABOVE_CHARS)
            break
        left -= size
    return [
        {**m, "content": clip(m["content"], longest * 2 // 3, longest // 3)}
        if m["role"] == "tool" and len(m["content"]) > longest
        else m
        for m in messages
    ]


def _summed_up(session: Session, plan: Plan, topic: str) -> Steps[list[Message]]:
    max_tokens = min(
        max(estimate_messages(plan.middle) // 5, MIN_SUMMARY_TOKENS), MAX_SUMMARY_TOKENS
    )
    request_id = session.next_id("r")
    window_tokens = session.settings.context_length
    session.emit_for_level(
        "compress_request",
        {"request_id": request_id, "max_tokens": max_tokens},
        messages=transcript_of(plan.middle, window_tokens=window_tokens),
        instruction=instruction(topic),
    )
    answer = (yield (Expected(SUMMARY, request_id),)).message
    text = "" if answer.get("error") else str(answer.get("summary") or "").strip()
    written = summary_message(text, session.todos)
    # A "summary" longer than what it sums up is none.
    is_usable = bool(text) and estimate_messages([written]) < estimate_messages(plan.middle)
    if not is_usable:
        session.status(
            "The summary failed; older messages were kept as an extract.",
            "compression_fallback",
            error=str(answer.get("error") or answer.get("message") or "empty summary"),
        )
        written = summary_message(extract(plan.middle), session.todos, is_extract=True)
    return assemble(plan, written)


def _tail_tokens(session: Session, is_forced: bool) -> int:
    share = TAIL_SHARE / 2 if is_forced else TAIL_SHARE
    limit = session.settings.compress_above_tokens
    # A history that is compressed on request may be far below the limit.
    return int(min(limit, estimate_messages(session.history)) * share)


def _head(limit: int) -> int:
    return int(limit * HEAD_SHARE)


def _head_length(grouped: list[list[Message]], head_tokens: int) -> int:
    """How many groups make the first exchange: question and plain answer, if they are short."""
    if len(grouped) < 3 or is_summary(grouped[0][0]):
        return 0
    question, answer = grouped[0], grouped[1]
    is_exchange = answer[0]["role"] == "assistant" and not answer[0].get("tool_calls")
    fits = estimate_messages([*question, *answer]) <= head_tokens
    return 2 if is_exchange and fits else 0


def _shrunk(result: Message) -> str:
    content = result["content"]
    preview = " ".join(content[:SHRUNK_PREVIEW_CHARS].split())
    return f"[Result of {result.get('name', 'a tool')}, {len(content):,} characters: {preview} …]"
