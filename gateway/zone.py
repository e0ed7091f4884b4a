"""The time zone that people here live in: with its rules, not just today's distance from UTC."""

import os
from datetime import tzinfo
from pathlib import Path
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

import structlog
from tzlocal import get_localzone_name

from gateway.errors import StartupError

LOCALTIME = Path("/etc/localtime")

_log = structlog.get_logger()


def load_zone(name: str | None) -> tzinfo:
    """The zone of that name (`Europe/Zurich`); without one, the machine's. Blocks.

    Raises `StartupError` if there is no such zone.
    """
    wanted = name or os.environ.get("TZ", "").removeprefix(":") or _of_machine()
    try:
        return wanted if isinstance(wanted, tzinfo) else ZoneInfo(wanted)
    except (ZoneInfoNotFoundError, ValueError, OSError) as error:
        where = "`timezone`" if name else "The variable TZ"
        raise StartupError(
            f"{where} is {wanted!r}, and there is no such time zone on this machine. Names look "
            "like Europe/Zurich or UTC."
        ) from error


def zone_name(zone: tzinfo) -> str:
    """Its IANA name, to be stored with what happens by its clocks. Blocks."""
    if isinstance(zone, ZoneInfo) and zone.key not in {None, "local"}:
        return zone.key
    try:
        if name := get_localzone_name():
            ZoneInfo(name)
            return name
    except (KeyError, ValueError, OSError):  # what tzlocal raises when it finds no name
        pass
    _log.warning("this machine's time zone has no name, so schedules go by UTC: set `timezone`")
    return "UTC"


def _of_machine() -> tzinfo | str:
    try:
        with LOCALTIME.open("rb") as file:
            return ZoneInfo.from_file(file, key="local")
    except (OSError, ValueError):  # a container without one
        return "UTC"
