"""What the server does to a text and its entities before it takes them.

The rules are those of TDLib, on which the official Bot API server stands: control characters
become spaces, the ends are trimmed (indentation that an entity begins with stays), entities must
lie within the text and between whole characters. Lengths are in UTF-16 units.
"""

import re
import unicodedata
from collections.abc import Sequence

from tests.fakes.telegram.errors import bad_request
from tests.fakes.telegram.world import Json

LONGEST_TEXT = 4096
LONGEST_CAPTION = 1024
MOST_ENTITIES = 100

_SPACES = {code: " " for code in range(32) if code not in {10, 13}}
_DROPPED = dict.fromkeys([13, *range(0x2028, 0x202F)])
_STYLES = {"bold", "italic", "underline", "strikethrough", "spoiler"}
_CODE = {"pre", "code"}
_QUOTES = {"blockquote", "expandable_blockquote"}
_FOUND = {"mention", "hashtag", "cashtag", "bot_command", "url", "email", "phone_number"}
_KNOWN = _STYLES | _CODE | _QUOTES | _FOUND | {"text_link", "text_mention", "custom_emoji"}
_NAME = re.compile(r"(?<!\w)@[a-zA-Z0-9_]{2,32}(?!\w)")
_FOUND_ADDRESS = re.compile(r"https?://\S+|(?<![\w@])[\w.-]+\.[a-z]{2,}[/?#]\S*", re.IGNORECASE)
_WEB_ADDRESS = re.compile(
    r"https?://([\w.~!$&'()*+,;=%:-]+@)?[\w-]+(\.[\w-]+)+(:0*[1-9]\d{0,4})?([/?#]\S*)?",
    re.IGNORECASE,
)


def units(text: str) -> int:
    """Length in UTF-16 units."""
    return len(text.encode("utf-16-le")) // 2


def accept(text: str, entities: Sequence[Json], too_long: str) -> tuple[str, list[Json]]:
    """The text and entities as the server keeps them. Raises `ApiError`."""
    if not text:
        raise bad_request("message text is empty")
    kept, order = _kept(text, entities)
    if _is_empty(kept):
        raise bad_request("text must be non-empty")
    if units(kept) > LONGEST_TEXT:
        raise bad_request(too_long)
    return kept, order


def accept_caption(text: str, entities: Sequence[Json]) -> tuple[str, list[Json]]:
    """A caption and its entities as the server keeps them; it may be empty. Raises `ApiError`."""
    kept, order = _kept(text, entities)
    if units(kept) > LONGEST_CAPTION:
        raise bad_request("message caption is too long")
    return ("", []) if _is_empty(kept) else (kept, order)


def _kept(text: str, entities: Sequence[Json]) -> tuple[str, list[Json]]:
    for entity in entities:
        _check_kind(entity)
        _check_bounds(text, entity)
    # All replacements but \r and the bidirectional marks keep the length.
    kept = text.translate(_SPACES)
    moved = [dict(entity) for entity in entities][:MOST_ENTITIES]
    if any(code in _DROPPED for code in map(ord, kept)):
        kept, moved = _drop(kept, moved)
    kept, moved = _trim(kept, moved)
    order = sorted(moved, key=lambda entity: (entity["offset"], -entity["length"], entity["type"]))
    return kept, order


def violations(entities: Sequence[Json]) -> list[str]:
    """What the real server would quietly repair, and a client should not need repaired."""
    found = []
    if len(entities) > MOST_ENTITIES:
        found.append(f"{len(entities)} entities: those after the first {MOST_ENTITIES} are lost")
    ordered = sorted(entities, key=lambda one: (one["offset"], -one["length"]))
    open_ones: list[Json] = []
    for entity in ordered:
        while open_ones and _end(open_ones[-1]) <= entity["offset"]:
            open_ones.pop()
        for outer in open_ones:
            if _end(entity) > _end(outer):
                found.append(f"{_name(entity)} crosses the end of {_name(outer)}")
            elif not _fit(outer, entity):
                found.append(f"{_name(outer)} may not hold {_name(entity)}")
        open_ones.append(entity)
    return found


def mentioned(text: str, entities: Sequence[Json]) -> list[str]:
    """The names that the server finds in a bot's text by itself, and whose owners it notifies.

    What the bot has called a link or code holds none (TDLib, `merge_new_entities`).
    """
    taken = [one for one in entities if one["type"] in _CODE | {"text_link", "text_mention"}]
    addresses = [match.span() for match in _FOUND_ADDRESS.finditer(text)]
    found = []
    for match in _NAME.finditer(text):
        start, end = units(text[: match.start()]), units(text[: match.end()])
        is_taken = any(one["offset"] < end and start < _end(one) for one in taken)
        if not is_taken and not any(first < match.start() < last for first, last in addresses):
            found.append(match[0])
    return [name for name in found if len(name) >= 5]


def _fit(outer: Json, inner: Json) -> bool:
    fits = _may_hold(outer["type"], inner["type"])
    is_same_range = (outer["offset"], outer["length"]) == (inner["offset"], inner["length"])
    return fits or (is_same_range and _may_hold(inner["type"], outer["type"]))


def _may_hold(outer: str, inner: str) -> bool:
    if _STYLES & {outer, inner}:
        return outer != inner and not _CODE & {outer, inner}
    return outer in _QUOTES and inner not in _QUOTES


def _name(entity: Json) -> str:
    return f"{entity['type']} at {entity['offset']}+{entity['length']}"


def _end(entity: Json) -> int:
    end: int = entity["offset"] + entity["length"]
    return end


def _check_kind(entity: Json) -> None:
    if entity["type"] not in _KNOWN:
        raise bad_request("can't parse MessageEntity: Unsupported type specified")
    if entity["type"] == "text_link":
        if "url" not in entity:
            raise bad_request("can't parse MessageEntity: Can't find field \"url\"")
        if not _WEB_ADDRESS.fullmatch(entity["url"]):
            raise bad_request(f"entity URL '{entity['url']}' is invalid: Wrong HTTP URL")


def _check_bounds(text: str, entity: Json) -> None:
    offset, length = entity["offset"], entity["length"]
    if not 0 <= offset <= 1_000_000:
        raise bad_request(f"receive an entity with incorrect offset {offset}")
    if not 0 <= length <= 1_000_000:
        raise bad_request(f"receive an entity with incorrect length {length}")
    total = units(text)
    if offset > total:
        raise bad_request(f"entity begins after the end of the text at UTF-16 offset {offset}")
    if offset + length > total:
        raise bad_request(
            f"entity beginning at UTF-16 offset {offset} ends after the end of the text "
            f"at UTF-16 offset {offset + length}"
        )
    for place, verb in ((offset, "begins"), (offset + length, "ends")):
        if _is_within_character(text, place):
            byte = len(_before(text, place).encode(errors="ignore"))
            raise bad_request(f"entity {verb} in a middle of a UTF-16 symbol at byte offset {byte}")


def _before(text: str, place: int) -> str:
    return text.encode("utf-16-le")[: 2 * place].decode("utf-16-le", "ignore")


def _is_within_character(text: str, place: int) -> bool:
    return units(_before(text, place)) != place


def _drop(text: str, entities: Sequence[Json]) -> tuple[str, list[Json]]:
    def moved(place: int) -> int:
        return units(_before(text, place).translate(_DROPPED))

    changed = [
        entity
        | {
            "offset": moved(entity["offset"]),
            "length": moved(_end(entity)) - moved(entity["offset"]),
        }
        for entity in entities
    ]
    return text.translate(_DROPPED), changed


def _trim(text: str, entities: Sequence[Json]) -> tuple[str, list[Json]]:
    kept = text.rstrip(" \n")
    end = units(kept)
    first = min((entity["offset"] for entity in entities if entity["length"]), default=end)
    skipped = 0
    while skipped < min(first, len(kept)) and kept[skipped] in " \n":
        skipped += 1
    shortened = [
        entity
        | {
            "offset": entity["offset"] - skipped,
            "length": min(_end(entity), end) - entity["offset"],
        }
        for entity in entities
    ]
    return kept[skipped:], [entity for entity in shortened if entity["length"] > 0]


def _is_empty(text: str) -> bool:
    return all(
        unicodedata.category(character) in {"Zs", "Zl", "Zp", "Cc", "Cf"} or character == "\u2800"
        for character in text
    )
