"""`hermes-gateway chats | export | forget | backup`: the stored data, for the administrator.

All but `forget` work beside a gateway that runs. `forget` needs it stopped: its agents remember.
"""

import asyncio
import os
import sqlite3
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, asynccontextmanager, closing
from datetime import datetime
from pathlib import Path

from config.settings import Settings
from gateway.chats.host import local_time
from gateway.errors import GatewayError, StartupError
from gateway.exporting import as_json, as_markdown, files_of
from gateway.lock import DataFolderInUse, lock_data_dir
from gateway.sessions import is_direct
from gateway.store.backup import back_up
from gateway.store.errors import StoreError
from gateway.store.people import Forgotten, PersonalData
from gateway.store.private_files import FILE_MODE
from gateway.store.schema import load_migrations
from gateway.store.sqlite import FILE_NAME, SqliteStore
from gateway.workspace.workspace import FOLDER_NAME, Workspaces


async def chats_text(settings: Settings) -> str:
    """A line for each chat."""
    async with _opened(settings) as store:
        chats = await store.people.chats()
    rows = [("CHAT", "LAST USED", "SESSIONS", "MESSAGES", "WHO")]
    for chat in chats:
        last = datetime.fromisoformat(chat.last_used_at).astimezone()
        counts = f"{chat.sessions:,}", f"{chat.messages:,}"
        rows.append((chat.chat, f"{last:%Y-%m-%d %H:%M}", *counts, chat.members))
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    lines = ("  ".join(map(str.ljust, row, widths)).rstrip() for row in rows)
    return "\n".join(lines) if chats else "There are no chats yet."


async def export_text(settings: Settings, person: str, *, is_json: bool) -> str:
    """All that is stored of a person."""
    async with _opened(settings) as store:
        data = await store.people.data_of(_checked(person))
    if not (data.notes or data.sessions or data.in_groups or data.jobs):
        raise StoreError(f"Nothing is stored of {person}. `hermes-gateway chats` shows who is.")
    workspaces = Workspaces(settings.data_dir / FOLDER_NAME)
    files = await asyncio.to_thread(files_of, data, workspaces)
    return as_json(data, files) if is_json else as_markdown(data, files)


async def data_of(settings: Settings, person: str) -> PersonalData:
    """What `forget` would delete."""
    async with _opened(settings, is_alone=True) as store:
        return await store.people.data_of(_checked(person))


async def forget(settings: Settings, person: str) -> Forgotten:
    """Delete all that is stored of a person. Raises `DataFolderInUse` beside a gateway."""
    async with _opened(settings, is_alone=True) as store:
        forgotten = await store.people.forget(_checked(person))
    workspaces = Workspaces(settings.data_dir / FOLDER_NAME)
    for chat in filter(is_direct, forgotten.chats):
        await asyncio.to_thread(workspaces.remove, chat)
    return forgotten


def backup(settings: Settings, target: Path) -> tuple[Path, int]:
    """Copy the database to a file, or into a folder; where it is, and its size. Blocks."""
    if target.is_dir():
        target /= f"hermes-{local_time():%Y%m%d-%H%M%S}.db"
    return target, back_up(settings.data_dir / FILE_NAME, target)


def write_private(path: Path, text: str) -> None:
    """Write a file that only its owner may read, and that is not there yet. Blocks."""
    try:
        descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, FILE_MODE)
        with os.fdopen(descriptor, "w", encoding="utf-8") as file:
            file.write(text)
    except OSError as error:
        raise GatewayError(f"{path} can't be written: {error.strerror}.") from error


@asynccontextmanager
async def _opened(settings: Settings, *, is_alone: bool = False) -> AsyncIterator[SqliteStore]:
    """The store; beside a gateway that runs, unless one has to be alone with it."""
    path = settings.data_dir / FILE_NAME
    if not await asyncio.to_thread(path.exists):
        raise StoreError(f"There is no database at {path} yet.")
    async with AsyncExitStack() as stack:
        try:
            lock = await asyncio.to_thread(lock_data_dir, settings.data_dir)
            stack.push_async_callback(asyncio.to_thread, lock.release)
        except DataFolderInUse:
            if is_alone:
                raise
            await asyncio.to_thread(_check_version, path)
        store = await SqliteStore.open(path, now=local_time)
        stack.push_async_callback(store.close)
        yield store


def _check_version(path: Path) -> None:
    """Raises `StartupError` if this version would change the schema under a running gateway."""
    with closing(sqlite3.connect(f"{path.absolute().as_uri()}?mode=ro", uri=True)) as connection:
        ((version,),) = connection.execute("PRAGMA user_version").fetchall()
    if version != load_migrations()[-1].version:
        raise StartupError(
            "The gateway that runs is of another version than this command. Restart it first."
        )


def _checked(person: str) -> str:
    platform, colon, id_ = person.partition(":")
    if not (platform and colon and id_):
        raise GatewayError(
            f"{person!r} is nobody: a person is PLATFORM:ID, like telegram:123456789."
        )
    return person
