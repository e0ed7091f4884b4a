"""Inbound messages as JSON and back, for the store."""

import json
from dataclasses import asdict
from typing import Any

from adapters.base import Address, ChatKind, Inbound, Sender


def to_json(message: Inbound) -> str:
    """All of a message."""
    return json.dumps(asdict(message), ensure_ascii=False, separators=(",", ":"))


def from_json(written: str) -> Inbound:
    """The message. Fields that a later version has added have their defaults."""
    fields: dict[str, Any] = json.loads(written)
    address = fields.pop("address")
    kind = ChatKind(address.pop("kind"))
    sender = Sender(**fields.pop("sender"))
    return Inbound(address=Address(kind=kind, **address), sender=sender, **fields)
