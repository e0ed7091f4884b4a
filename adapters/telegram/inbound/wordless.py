"""What people send instead of words, in words: `[Sticker 😺 from the set Cats]`. Pure.

Names and titles within are the sender's, cut to one short line each.
"""

import datetime as dt
from collections.abc import Callable

from telegram import ChecklistTask, ExternalReplyInfo, Location, Message

from adapters.telegram.inbound.places import label

Content = Message | ExternalReplyInfo

_FOREVER_S = 0x7FFFFFFF  # Bot API, Location.live_period


def in_words(message: Content) -> str | None:
    """What stands for it; None if there is nothing of the kind."""
    found = (describe(message) for describe in _DESCRIPTIONS)
    return next((f"[{text}]" for text in found if text is not None), None)


def _sticker(message: Content) -> str | None:
    if (sticker := message.sticker) is None:
        return None
    emoji = f" {sticker.emoji}" if sticker.emoji else ""
    return f"Sticker{emoji}" + (
        f" from the set {label(sticker.set_name)}" if sticker.set_name else ""
    )


def _venue(message: Content) -> str | None:
    if (venue := message.venue) is None:
        return None
    return f"Place: {label(venue.title)}, {label(venue.address)} ({_coordinates(venue.location)})"


def _location(message: Content) -> str | None:
    if (location := message.location) is None:
        return None
    if location.live_period is None:
        return f"Location: {_coordinates(location)}"
    period = location.live_period
    seconds = period.total_seconds() if isinstance(period, dt.timedelta) else period
    shared = "" if seconds >= _FOREVER_S else f" for {seconds / 60:g} minutes"
    return f"Location, shared live{shared}, now: {_coordinates(location)}"


def _contact(message: Content) -> str | None:
    if (contact := message.contact) is None:
        return None
    name = " ".join(filter(None, (contact.first_name, contact.last_name)))
    return f"Contact: {label(name)}, {label(contact.phone_number)}"


def _poll(message: Content) -> str | None:
    if (poll := message.poll) is None:
        return None
    options = "; ".join(label(option.text) for option in poll.options)
    kind = "Quiz" if poll.type == "quiz" else "Poll"
    return f"{kind}: {label(poll.question)} Options: {options}"


def _dice(message: Content) -> str | None:
    return None if message.dice is None else f"{message.dice.emoji} shows {message.dice.value}"


def _story(message: Content) -> str | None:
    if message.story is None:
        return None
    return f"A story of {label(message.story.chat.effective_name or '')}, which bots can't see"


def _checklist(message: Content) -> str | None:
    if (checklist := message.checklist) is None:
        return None
    tasks = "; ".join(
        f"{'done' if _is_done(task) else 'open'}: {label(task.text)}" for task in checklist.tasks
    )
    return f"Checklist {label(checklist.title)}: {tasks}"


def _is_done(task: ChecklistTask) -> bool:
    # Of an open task the time may be missing, or 0 (Bot API, ChecklistTask).
    return task.completion_date is not None and task.completion_date.timestamp() > 0


def _game(message: Content) -> str | None:
    return None if message.game is None else f"Game: {label(message.game.title)}"


def _paid_media(message: Content) -> str | None:
    return None if message.paid_media is None else "Paid media, which bots can't see"


# A venue is called a location as well (Bot API, Message.venue), so it is asked first.
_DESCRIPTIONS: tuple[Callable[[Content], str | None], ...] = (
    _sticker,
    _venue,
    _location,
    _contact,
    _poll,
    _dice,
    _story,
    _checklist,
    _game,
    _paid_media,
)


def _coordinates(location: Location) -> str:
    accuracy = location.horizontal_accuracy
    within = f" ±{accuracy:.0f} m" if accuracy else ""
    return f"{location.latitude:.6f}, {location.longitude:.6f}{within}"
