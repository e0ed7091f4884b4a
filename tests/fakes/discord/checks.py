"""What Discord refuses: limits of messages, files, buttons and menus ("Create Message",
"Uploading Files", "Components").
"""

import re
from collections.abc import Mapping

from tests.fakes.discord.world import Json

EMPTY, INVALID, TOO_LARGE = 50006, 50035, 40005
MOST_FILES = 10
LARGEST_FILE = 10 << 20  # "Uploading Files": each, without boosts
LARGEST_REQUEST = 25 << 20  # "Create Message"
MENU = 3


class Refused(Exception):
    """An error answer: a status, Discord's code, and its words."""

    def __init__(self, status: int, code: int, message: str) -> None:
        super().__init__(message)
        self.status = status
        self.code = code
        self.message = message


def check_message(body: Json, *, has_files: bool) -> None:
    """Raise `Refused` for a message that Discord would not take."""
    content, embeds = body.get("content") or "", body.get("embeds") or []
    if not content.strip() and not embeds and not has_files:
        raise Refused(400, EMPTY, "Cannot send an empty message")
    if len(content) > 2000:
        raise Refused(400, INVALID, f"Invalid Form Body: content has {len(content)} > 2000")
    for embed in embeds:
        if not 1 <= len(embed.get("description") or "") <= 4096:
            raise Refused(400, INVALID, "Invalid Form Body: description must be 1 to 4096 long")
    if body.get("nonce") is not None and len(str(body["nonce"])) > 25:
        raise Refused(400, INVALID, "Invalid Form Body: nonce is longer than 25")
    _check_rows(body.get("components") or [])


def check_files(body: Json, sizes: Mapping[str, int]) -> None:
    """Raise `Refused` for more or larger files than a message takes; `sizes` by their field."""
    said = body.get("attachments") or []
    if len(sizes) > MOST_FILES:
        raise Refused(
            400, INVALID, "Invalid Form Body: attachments: Must be 10 or fewer in length."
        )
    if any(size > LARGEST_FILE for size in sizes.values()) or sum(sizes.values()) > LARGEST_REQUEST:
        raise Refused(413, TOO_LARGE, "Request entity too large")
    for one in said:
        if f"files[{one['id']}]" not in sizes:
            raise Refused(400, INVALID, f"Invalid Form Body: there is no files[{one['id']}]")
        if len(one.get("description") or "") > 1024:
            raise Refused(400, INVALID, "Invalid Form Body: description is longer than 1024")


def _check_rows(rows: list[Json]) -> None:
    if len(rows) > 5:
        raise Refused(400, INVALID, "Invalid Form Body: more than 5 rows")
    ids: list[str] = []
    for row in rows:
        most = 1 if any(one["type"] == MENU for one in row["components"]) else 5
        if not 1 <= len(row["components"]) <= most:
            raise Refused(400, INVALID, "Invalid Form Body: a row has 1 to 5 buttons, or a menu")
        for one in row["components"]:
            if one["type"] == MENU:
                _check_options(one["options"])
            elif not 1 <= len(one["label"]) <= 80:
                raise Refused(400, INVALID, "Invalid Form Body: a label must be 1 to 80 long")
            if not 1 <= len(one["custom_id"]) <= 100:
                raise Refused(400, INVALID, "Invalid Form Body: an id must be 1 to 100 long")
            ids.append(one["custom_id"])
    if len(ids) != len(set(ids)):
        raise Refused(400, INVALID, "Invalid Form Body: two components have the same id")


def _check_options(options: list[Json]) -> None:
    if not 1 <= len(options) <= 25:
        raise Refused(400, INVALID, "Invalid Form Body: a menu has 1 to 25 options")
    for one in options:
        if not 1 <= len(one["label"]) <= 100 or not 1 <= len(one["value"]) <= 100:
            raise Refused(400, INVALID, "Invalid Form Body: an option must be 1 to 100 long")
    if len(options) != len({one["value"] for one in options}):
        raise Refused(400, INVALID, "Invalid Form Body: two options have the same value")


def check_commands(commands: list[Json]) -> None:
    """Raise `Refused` if one of these is none ("Application Commands")."""
    if sum(one.get("type", 1) == 1 for one in commands) > 100:
        raise Refused(400, 30032, "Maximum number of application commands reached (100)")
    for one in commands:
        is_slash = one.get("type", 1) == 1
        if is_slash and not re.fullmatch(r"[-_a-z0-9]{1,32}", one["name"]):
            raise Refused(400, INVALID, f"Invalid Form Body: {one['name']} is no name")
        for described in (one, *one.get("options", ())) if is_slash else ():
            if not 1 <= len(described.get("description") or "") <= 100:
                raise Refused(400, INVALID, "Invalid Form Body: description")
