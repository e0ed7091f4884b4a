"""Makes Discord know our commands, and only when something has changed.

Discord takes 200 new commands a day ("Application Commands", rate limits), so it is first asked
what it knows. A refusal leaves what was there; if it is about one command, the others are told one
by one. Nothing waits for it.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import discord
import structlog
from discord import app_commands

_BAD_REQUEST = 400

_log = structlog.get_logger(__name__)

Payload = Mapping[str, Any]
Key = tuple[int, str]  # kind and name


@dataclass(frozen=True, slots=True)
class Difference:
    """What has to be told to Discord."""

    changed: tuple[Payload, ...]  # new ones, and those that look different
    obsolete: tuple[Key, ...]


def difference(wanted: Sequence[Payload], known: Sequence[Payload]) -> Difference:
    """What to send so that Discord knows exactly the commands that are wanted. Pure."""
    there = {_key(one): one for one in known}
    changed = tuple(
        one
        for one in wanted
        if _key(one) not in there or _compared(one) != _compared(there[_key(one)])
    )
    keys = {_key(one) for one in wanted}
    obsolete = tuple(key for key in there if key not in keys)
    return Difference(changed, obsolete)


async def sync(
    client: discord.Client,
    tree: app_commands.CommandTree[Any],
    servers: Sequence[int] = (),
) -> bool:
    """Tell Discord of the commands, everywhere or in these servers only; whether all went well."""
    payloads: list[Payload] = [command.to_dict(tree) for command in _all(tree)]
    everywhere = [] if servers else payloads
    is_done = await _sync_place(client, None, everywhere)
    for server in servers:
        is_done = await _sync_place(client, server, payloads) and is_done
    return is_done


async def _sync_place(
    client: discord.Client, server: int | None, wanted: Sequence[Payload]
) -> bool:
    application_id, http = client.application_id, client.http
    if application_id is None:
        return False
    try:
        if server is None:
            known = await http.get_global_commands(application_id)
        else:
            known = await http.get_guild_commands(application_id, server)
    except discord.HTTPException as error:
        _log.warning("Discord's list of commands can't be read", why=error.text, server=server)
        return False
    todo = difference(wanted, known)
    if not todo.changed and not todo.obsolete:
        return True
    try:
        await _replace_all(client, application_id, server, wanted)
    except discord.HTTPException as error:
        _log.warning("the commands were not taken", why=error.text, server=server)
        if error.status != _BAD_REQUEST:
            return False  # the day's quota, or Discord is down: what was there is still there
        await _one_by_one(client, application_id, server, todo)
        return False
    _log.info("commands told to Discord", changed=len(todo.changed), server=server)
    return True


async def _one_by_one(
    client: discord.Client, application_id: int, server: int | None, todo: Difference
) -> None:
    """One of them is refused: the others need not wait until it is mended."""
    for payload in todo.changed:
        try:
            await _put(client, application_id, server, payload)
        except discord.HTTPException as error:
            _log.warning("a command was not taken", name=payload["name"], why=error.text)
            if error.status != _BAD_REQUEST:
                return


async def _replace_all(
    client: discord.Client, application_id: int, server: int | None, wanted: Sequence[Payload]
) -> None:
    """All at once or not at all; Discord counts only those that it did not know."""
    made: Any = [dict(one) for one in wanted]
    if server is None:
        await client.http.bulk_upsert_global_commands(application_id, made)
    else:
        await client.http.bulk_upsert_guild_commands(application_id, server, made)


async def _put(
    client: discord.Client, application_id: int, server: int | None, payload: Payload
) -> None:
    """Make it, or replace the one of the same name."""
    made: Any = dict(payload)
    if server is None:
        await client.http.upsert_global_command(application_id, made)
    else:
        await client.http.upsert_guild_command(application_id, server, made)


def _all(tree: app_commands.CommandTree[Any]) -> Iterator[Any]:
    for kind in discord.AppCommandType:
        yield from tree.get_commands(type=kind)


def _key(payload: Payload) -> Key:
    return (int(payload.get("type", 1)), str(payload["name"]))


def _compared(payload: Payload) -> dict[str, Any]:
    """What makes a difference to people, with Discord's defaults."""
    return {
        "description": payload.get("description") or "",
        "nsfw": bool(payload.get("nsfw")),
        "permissions": payload.get("default_member_permissions"),
        "contexts": sorted(payload.get("contexts") or ()),
        "installs": sorted(payload.get("integration_types") or ()),
        "options": [_option(one) for one in payload.get("options") or ()],
    }


def _option(option: Payload) -> tuple[object, ...]:
    return (
        option["type"],
        option["name"],
        option.get("description") or "",
        bool(option.get("required")),
        bool(option.get("autocomplete")),
    )
