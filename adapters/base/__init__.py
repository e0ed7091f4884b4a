"""What every platform speaks with the gateway: events in, parts of replies out.

An adapter turns the platform's events into one of `Event`, and puts `Part`s on a screen. It
decides nothing: who may talk, what is a command and what is answered is the gateway's
business. It also keeps the platform's limits to itself: `render` gives parts that fit.
"""

from adapters.base.adapter import (
    NO_LIMITS,
    Adapter,
    FindsMessages,
    Menus,
    OpensForms,
    Pulse,
    Rate,
    RateLimits,
    ShowsDrafts,
)
from adapters.base.errors import (
    AdapterError,
    Ambiguous,
    ChatGone,
    RateLimited,
    Rejected,
    TargetGone,
    Unreachable,
)
from adapters.base.events import (
    Address,
    Attachment,
    ButtonPress,
    ChatKind,
    Deleted,
    Edited,
    Event,
    Inbound,
    MediaKind,
    Moved,
    Observed,
    PersonalEvent,
    Reaction,
    Sender,
)
from adapters.base.parts import (
    Button,
    Mark,
    OutgoingFile,
    Part,
    Style,
)

__all__ = [
    "NO_LIMITS",
    "Adapter",
    "AdapterError",
    "Address",
    "Ambiguous",
    "Attachment",
    "Button",
    "ButtonPress",
    "ChatGone",
    "ChatKind",
    "Deleted",
    "Edited",
    "Event",
    "FindsMessages",
    "Inbound",
    "Mark",
    "MediaKind",
    "Menus",
    "Moved",
    "Observed",
    "OpensForms",
    "OutgoingFile",
    "Part",
    "PersonalEvent",
    "Pulse",
    "Rate",
    "RateLimited",
    "RateLimits",
    "Reaction",
    "Rejected",
    "Sender",
    "ShowsDrafts",
    "Style",
    "TargetGone",
    "Unreachable",
]
