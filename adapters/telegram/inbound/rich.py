"""A rich message (Bot API 10.1, `RichMessage`) as Markdown, which models read best. Pure.

People forward them, and bots of today answer with them. The client does not know them yet, so they
are read from what it has passed over; blocks of a later kind by the fields that all kinds share.
What is shown in them besides text is named, and not fetched.
"""

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from telegram import Message
from telegram.constants import MessageEntityType

from adapters.telegram.inbound.entities import Found

Json = Mapping[str, Any]

_FIELD = "rich_message"
_ADDRESSING = frozenset(
    {MessageEntityType.MENTION, MessageEntityType.TEXT_MENTION, MessageEntityType.BOT_COMMAND}
)
_SHOWN = {
    "photo": "[A picture]",
    "animation": "[An animation]",
    "video": "[A film]",
    "audio": "[A piece of music]",
    "voice_note": "[A voice message]",
    "document": "[A file]",
}
_BACKTICKS = re.compile(r"`{3,}")


@dataclass(frozen=True, slots=True)
class Rich:
    """The text, and the mentions and commands in it."""

    text: str
    found: tuple[Found, ...]


def rich_of(message: Message) -> Rich | None:
    """The rich message, if it is one."""
    raw = message.api_kwargs.get(_FIELD)
    blocks = raw.get("blocks") if isinstance(raw, Mapping) else None
    if not isinstance(blocks, Sequence):
        return None
    text = _blocks(blocks)
    return Rich(text, tuple(_located(text, blocks))) if text else None


def words_of(message: Message) -> str:
    """What is said in a message, whatever it is."""
    rich = rich_of(message)
    return message.text or message.caption or (rich.text if rich else "")


def _blocks(blocks: Sequence[Json]) -> str:
    return "\n\n".join(filter(None, map(_block, blocks)))


def _block(block: Json) -> str:
    write = _WRITERS.get(str(block.get("type")), _other)
    return write(block)


def _heading(block: Json) -> str:
    return f"{'#' * int(block.get('size', 1))} {_text(block.get('text'))}"


def _code(block: Json) -> str:
    text = _text(block.get("text"))
    longest = max((len(run) for run in _BACKTICKS.findall(text)), default=2)
    fence = "`" * (longest + 1)
    return f"{fence}{block.get('language', '')}\n{text}\n{fence}"


def _formula(block: Json) -> str:
    return f"$$\n{block.get('expression', '')}\n$$"


def _divider(_block: Json) -> str:
    return "---"


def _list(block: Json) -> str:
    return "\n".join(map(_item, block.get("items", ())))


def _item(item: Json) -> str:
    marker = f"{item['value']}." if "value" in item else "-"
    if item.get("has_checkbox"):
        marker += " [x]" if item.get("is_checked") else " [ ]"
    within = " " * (len(marker.split()[0]) + 1)
    lines = _blocks(item.get("blocks", ())).split("\n")
    return f"{marker} " + "\n".join(
        line if number == 0 or not line else within + line for number, line in enumerate(lines)
    )


def _quote(block: Json) -> str:
    said = _text(block.get("text")) or _blocks(block.get("blocks", ()))
    credit = _text(block.get("credit"))
    lines = [*said.split("\n"), *([f"({credit})"] if credit else [])]
    return "\n".join(f"> {line}".rstrip() for line in lines)


def _table(block: Json) -> str:
    rows = [[_cell(cell) for cell in row] for row in block.get("cells", ())]
    lines = [f"| {' | '.join(row)} |" for row in rows]
    if lines:
        lines.insert(1, "|" + "---|" * len(rows[0]))
    return "\n".join(filter(None, (_text(block.get("caption")), *lines)))


def _cell(cell: Json) -> str:
    return " ".join(_text(cell.get("text")).split()).replace("|", "\\|")


def _map(block: Json) -> str:
    place = block.get("location", {})
    return _with_caption(f"[Map: {place.get('latitude')}, {place.get('longitude')}]", block)


def _shown(block: Json) -> str:
    return _with_caption(_SHOWN[block["type"]], block)


def _other(block: Json) -> str:
    """A paragraph, a footer, pictures side by side, something to unfold."""
    texts = map(_text, (block.get("summary"), block.get("text")))
    parts = filter(None, (*texts, _blocks(block.get("blocks", ()))))
    return _with_caption("\n\n".join(parts), block)


def _with_caption(text: str, block: Json) -> str:
    caption = block.get("caption")  # a RichBlockCaption, but that of a table is a RichText
    credit = caption.get("credit") if isinstance(caption, Mapping) else None
    return " ".join(filter(None, (text, _text(caption), _text(credit))))


_WRITERS: dict[str, Callable[[Json], str]] = {
    "heading": _heading,
    "pre": _code,
    "mathematical_expression": _formula,
    "divider": _divider,
    "list": _list,
    "blockquote": _quote,
    "pullquote": _quote,
    "expandable_blockquote": _quote,
    "table": _table,
    "map": _map,
    **dict.fromkeys(_SHOWN, _shown),
}


def _text(value: object) -> str:
    """A `RichText`: a text, several, or one with a style."""
    if isinstance(value, str):
        return value
    if isinstance(value, Sequence):
        return "".join(map(_text, value))
    if not isinstance(value, Mapping):
        return ""
    return _STYLES.get(str(value.get("type")), _plain)(value)


def _plain(value: Json) -> str:
    return _text(value.get("text"))


def _link(value: Json) -> str:
    text, url = _plain(value), value.get("url", "")
    return text if text == url else f"{text} ({url})"


_STYLES: dict[str, Callable[[Json], str]] = {
    "code": lambda value: f"`{_plain(value)}`",
    "mathematical_expression": lambda value: f"${value.get('expression', '')}$",
    "custom_emoji": lambda value: str(value.get("alternative_text", "")),
    "url": _link,
}


def _located(text: str, value: object) -> Iterator[Found]:
    """Where the mentions and commands are that stand in these blocks, in reading order."""
    place = 0
    for node in _nodes(value):
        label = _plain(node)
        start = text.find(label, place) if label else -1
        if start >= 0:
            place = start + len(label)
            user = node.get("user") or {}
            yield Found(str(node["type"]), start, place, label, user.get("id"))


def _nodes(value: object) -> Iterator[Json]:
    if isinstance(value, Mapping):
        if value.get("type") in _ADDRESSING:
            yield value
        else:
            for part in value.values():
                yield from _nodes(part)
    elif isinstance(value, Sequence) and not isinstance(value, str):
        for part in value:
            yield from _nodes(part)
