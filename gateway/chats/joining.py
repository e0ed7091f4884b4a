"""Which waiting messages are one: an album, or a text that the sender's client had to split. Pure.

Platforms deliver the pieces one by one and say nowhere which is the last; the little while for
which the next one is waited for is a setting.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace

from adapters.base import Inbound

MAX_ALBUM = 10
"""What Telegram and Discord put into one; then nothing more is waited for."""


@dataclass(frozen=True, slots=True)
class Piece:
    """A message, and when it came, on any clock that only goes forward."""

    message: Inbound
    came_at: float


def continues(pieces: Sequence[Piece], next_: Piece, window_s: float) -> bool:
    """Whether a message belongs to those before it."""
    first, last = pieces[0].message, pieces[-1].message
    message = next_.message
    if message.sender.id != first.sender.id or message.scheduled or first.scheduled:
        return False
    if first.album_id is not None or message.album_id is not None:
        return first.album_id == message.album_id and len(pieces) < MAX_ALBUM
    is_prompt = next_.came_at - pieces[-1].came_at <= window_s
    return last.may_go_on and is_prompt and not message.attachments and not message.forwarded_from


def gathered(pieces: Sequence[Piece], window_s: float) -> list[int]:
    """The places of the first message and of all that belong to it.

    Others' messages may lie between them; one of the same sender ends a text.
    """
    places, found = [0], [pieces[0]]
    for place, piece in enumerate(pieces[1:], start=1):
        if continues(found, piece, window_s):
            places.append(place)
            found.append(piece)
        elif _is_ended_by(found[0].message, piece.message):
            break
    return places


def wait_s(pieces: Sequence[Piece], window_s: float, now: float) -> float:
    """How long it may still take until another piece comes; 0 if none is expected."""
    last = pieces[-1]
    is_open = last.message.may_go_on or (
        last.message.album_id is not None and len(pieces) < MAX_ALBUM
    )
    return max(0.0, last.came_at + window_s - now) if is_open else 0.0


def joined(messages: Sequence[Inbound]) -> Inbound:
    """All of them as one message, which is the first."""
    first = messages[0]
    if len(messages) == 1:
        return first
    quoted = (message.quoted_text for message in messages)
    return replace(
        first,
        # Clients split where a line or a word ends, and the blank there is lost.
        text="\n".join(message.text for message in messages if message.text),
        quoted_text=next((text for text in quoted if text), None),
        attachments=tuple(one for message in messages for one in message.attachments),
        context=tuple(one for message in messages for one in message.context),
    )


def is_same(one: Inbound, other: Inbound) -> bool:
    """Whether two are the same message of the same person, at different times."""
    return one.message_id == other.message_id is not None and one.sender.id == other.sender.id


def _is_ended_by(first: Inbound, other: Inbound) -> bool:
    return first.album_id is None and other.sender.id == first.sender.id
