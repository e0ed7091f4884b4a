"""Inbound messages as JSON and back, for the store."""

import json
from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any

from adapters.base import Address, Attachment, ChatKind, Inbound, MediaKind, Observed, Sender
from gateway.store.inbound import Aside


def to_json(message: Inbound) -> str:
    """All of a message."""
    return _encoder.encode(message)


def from_json(written: str) -> Inbound:
    """The message. Fields that a later version has added have their defaults."""
    fields: dict[str, Any] = json.loads(written)
    address = fields.pop("address")
    kind = ChatKind(address.pop("kind"))
    sender = _sender(fields.pop("sender"))
    attachments = tuple(
        Attachment(kind=MediaKind(one.pop("kind")), **one) for one in fields.pop("attachments", ())
    )
    context = tuple(
        Observed(_sender(one["sender"]), one["text"]) for one in fields.pop("context", ())
    )
    return Inbound(
        address=Address(kind=kind, **address),
        sender=sender,
        attachments=attachments,
        context=context,
        **fields,
    )


def with_asides(
    written: str, asides: Sequence[Aside], is_told: Callable[[Address, Sender], bool]
) -> str:
    """A message that goes with these, behind what it goes with already.

    `is_told` says whose asides are still of interest where the message was sent.
    """
    message = from_json(written)
    said = ((Sender(one.person.partition(":")[2], one.name), one.text) for one in asides)
    told = (Observed(by, text) for by, text in said if is_told(message.address, by))
    return to_json(replace(message, context=(*message.context, *told)))


def _sender(fields: dict[str, Any]) -> Sender:
    return Sender(**{**fields, "roles": tuple(fields.get("roles", ()))})


def _fields(part: Any) -> dict[str, Any]:  # noqa: ANN401 - a dataclass with slots, as all of it is
    return {name: getattr(part, name) for name in part.__slots__}


_encoder = json.JSONEncoder(default=_fields, ensure_ascii=False, separators=(",", ":"))
