"""Commands about the chat's model: which one answers, and what it has used."""

import difflib
import hashlib
from collections.abc import Sequence
from datetime import date

from gateway.chats.host import Host
from gateway.commands.command import Call, Command, button_for
from gateway.delivery.reply import Offer, Said
from gateway.sessions import session_key
from gateway.store.usage import Usage, UsageStore

MAX_OFFERED = 10
_KEY_CHARS = 16


def model_commands(host: Host, usage: UsageStore) -> list[Command]:
    """/model and /usage."""

    async def model(call: Call) -> Said:
        key, labels = session_key(call.message.address), host.models.labels()
        present = (await host.models.of_chat(key)).label
        if not call.arguments:
            return models_offer(present, labels)
        wanted = find_label(call.arguments, labels)
        if wanted is None:
            return f"{unknown_label_text(call.arguments, labels)}\n\n{models_text(present, labels)}"
        if wanted == present:
            return f"This chat has {_code(wanted)} already."
        await host.models.choose(key, wanted)
        # A warm agent would go on under the name that it was woken with.
        host.pool.drop(key)
        return f"From your next message on, {_code(wanted)} answers in this chat."

    async def show_usage(call: Call) -> str:
        key = session_key(call.message.address)
        today = host.clock().date()
        spans = [
            (name, await usage.usage("chat", key, since))
            for name, since in (
                ("today", today.isoformat()),
                ("this month", first_of_month(today)),
                ("in all", ""),
            )
        ]
        by_model = await usage.usage_by_model(key)
        return usage_text(spans, by_model, host.settings.budgets.currency)

    return [
        Command(
            "model",
            "show which model answers here, or choose another",
            model,
            argument="name",
            has_buttons=True,
        ),
        Command("usage", "show what this conversation has used", show_usage, is_private=True),
    ]


def find_label(typed: str, labels: Sequence[str]) -> str | None:
    """The model that somebody means: its label, in whatever case, or what its button says."""
    if typed in labels:
        return typed
    same = [
        label for label in labels if typed.casefold() == label.casefold() or typed == key_of(label)
    ]
    return same[0] if len(same) == 1 else None


def key_of(label: str) -> str:
    """What stands for a label in a button, which takes few bytes; the same after a restart."""
    return hashlib.sha256(label.encode()).hexdigest()[:_KEY_CHARS]


def models_offer(present: str, labels: Sequence[str]) -> Offer:
    """The answer to /model, with a button for each of the first other models."""
    others = [label for label in labels if label != present][:MAX_OFFERED]
    rows = tuple((button_for("model", key_of(label), label),) for label in others)
    return Offer(models_text(present, labels), rows)


def models_text(present: str, labels: Sequence[str]) -> str:
    """Which model answers, and which others there are."""
    others = [label for label in labels if label != present]
    if not others:
        return f"{_code(present)} answers in this chat. It is the only model I have."
    rows = [f"- {_code(label)}" for label in others]
    return "\n".join(
        [f"{_code(present)} answers in this chat. `/model NAME` chooses another:", "", *rows]
    )


def unknown_label_text(typed: str, labels: Sequence[str]) -> str:
    """What is said to a name that is none."""
    near = difflib.get_close_matches(typed.casefold(), [label.casefold() for label in labels], n=1)
    meant = next((label for label in labels if [label.casefold()] == near), None)
    return "I have no model of that name." + (f" Did you mean {_code(meant)}?" if meant else "")


def usage_text(
    spans: Sequence[tuple[str, Usage]], by_model: Sequence[tuple[str, Usage]], currency: str
) -> str:
    """The answer to /usage."""
    if not by_model:
        return "This chat has used nothing so far."
    rows = [f"- {name}: {amount_text(used, currency)}" for name, used in spans]
    lines = ["What this chat has used:", "", *rows]
    if len(by_model) > 1:
        lines += ["", "By model:", ""]
        lines += [f"- {_code(name)}: {amount_text(used, currency)}" for name, used in by_model]
    return "\n".join(lines)


def amount_text(used: Usage, currency: str) -> str:
    """An amount in words: `12,345 tokens in 3 calls (2,000 from a cache), 0.0210 USD`."""
    calls = "call" if used.calls == 1 else "calls"
    text = f"{used.tokens:,} tokens in {used.calls:,} {calls}"
    if used.cached_tokens:
        text += f" ({used.cached_tokens:,} from a cache)"
    return f"{text}, {used.cost:,.4f} {currency}" if used.cost else text


def first_of_month(day: date) -> str:
    """The month's first day, as the ledger writes days."""
    return day.replace(day=1).isoformat()


def _code(label: str) -> str:
    """A label as it is, whatever is in it."""
    return f"`{label.replace('`', chr(39))}`"
