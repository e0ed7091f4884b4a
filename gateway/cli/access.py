"""`hermes-gateway owner | pair | allow | block`: who may talk, changed from the command line.

They work beside a gateway that runs, which learns of the change with the next event.
"""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from enum import StrEnum

from config.settings import Settings
from gateway.access.administration import Administration, parse_person
from gateway.access.report import claim_text
from gateway.access.snapshot import access_from
from gateway.chats.host import local_time
from gateway.errors import GatewayError
from gateway.store.sqlite import FILE_NAME, SqliteStore

BY = "the command line"


class Action(StrEnum):
    """What can be done about pairing requests."""

    LIST = "list"
    APPROVE = "approve"
    DENY = "deny"


async def owner(settings: Settings, removed: str | None) -> str:
    """Issue a new ownership code, or take an ownership back; what to say. Raises `StoreError`."""
    async with _administration(settings) as administration:
        if removed is None:
            return claim_text(await administration.issue_claim())
        person = parse_person(removed)
        if person is None:
            raise GatewayError("--remove takes a platform and an id, e.g. telegram:123456789")
        return await administration.remove_owner(person)


async def pair(settings: Settings, action: Action, code: str) -> tuple[bool, str]:
    """Whether it was done, and what to say. Raises `StoreError`."""
    async with _administration(settings) as administration:
        if action is Action.LIST:
            return True, await administration.requests()
        request, text = await administration.settle(
            code, is_approved=action is Action.APPROVE, by=BY
        )
        return request is not None, text


async def settle(settings: Settings, typed: str, *, is_allowed: bool) -> tuple[bool, str]:
    """Let somebody in or shut them out; whether it was done, and what to say.

    Raises `GatewayError`, `StoreError`.
    """
    person = parse_person(typed)
    if person is None:
        raise GatewayError(
            "It takes a platform and an id, e.g. telegram:123456789, or of a group "
            "telegram:chat:-1001234567890."
        )
    async with _administration(settings) as administration:
        if is_allowed:
            return await administration.allow(person, BY)
        return await administration.block(person, BY)


@asynccontextmanager
async def _administration(settings: Settings) -> AsyncIterator[Administration]:
    async with await SqliteStore.open(settings.data_dir / FILE_NAME, now=local_time) as store:
        yield Administration(store.access, lambda: access_from(settings), local_time)
