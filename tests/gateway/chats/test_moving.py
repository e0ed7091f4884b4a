"""A group that becomes a supergroup keeps everything, and goes on talking."""

import asyncio
import sqlite3
from contextlib import closing
from pathlib import Path
from typing import Any

from gateway.chats.apologies import LATER
from tests.fakes.platform import CURSOR
from tests.gateway.chats.people import EVE
from tests.gateway.chats.small_gateway import SmallGateway, Start

OLD, NEW = "-100", "-1009"
OLD_KEY, NEW_KEY = f"telegram:group:{OLD}", f"telegram:group:{NEW}"


def told(gateway: SmallGateway) -> list[Any]:
    """What the model was told last, but for its instructions."""
    return [m["content"] for m in gateway.request()["messages"] if m["role"] != "system"]


async def test_the_conversation_the_notes_and_the_files_move(gateway: SmallGateway) -> None:
    await gateway.talk("our cat is Luna", "noted", chat=OLD)
    await gateway.store.set_memory("memory", OLD_KEY, "They have a cat.")
    await asyncio.to_thread(gateway.host.workspaces.of(OLD_KEY).save_new, "", "a.txt", [b"a"])
    await gateway.platform.move(OLD, NEW)
    await gateway.talk("what is she called?", "Luna", chat=NEW)
    said = told(gateway)
    assert "our cat is Luna" in said[0]
    assert "They have a cat." in str(gateway.request()["messages"][0])
    files = await asyncio.to_thread(gateway.host.workspaces.of(NEW_KEY).list)
    assert [file.path for file in files] == ["a.txt"]
    found = await gateway.store.search.find(["luna"], [NEW_KEY], 10)
    assert found


async def test_topics_move_with_their_group(gateway: SmallGateway) -> None:
    await gateway.talk("here it is about cats", "good", chat=OLD, thread="7")
    await gateway.talk("here about dogs", "fine", chat=OLD, thread="70")
    await gateway.platform.move(OLD, NEW)
    await gateway.talk("about what?", "cats", chat=NEW, thread="7")
    said = told(gateway)
    assert "cats" in said[0]
    assert "dogs" not in str(said)


async def test_no_other_chat_is_touched(gateway: SmallGateway) -> None:
    async def rows(key: str) -> int:
        return len(await gateway.history(key))

    await gateway.talk("hello", "hi", chat=OLD)
    await gateway.platform.move("-10", "-5")
    await gateway.platform.move("-1000", "-6")
    assert await rows(OLD_KEY) == 2


async def test_what_runs_and_what_waits_goes_on_under_the_new_id(gateway: SmallGateway) -> None:
    cut_off = gateway.model.enqueue(text="never shown to the end", gated=True)
    await gateway.platform.say("one", chat=OLD)
    await gateway.platform.say("two", chat=OLD)
    cut_off.release(2)
    await gateway.platform.until(lambda s: CURSOR in s.last, chat=OLD)
    gateway.model.enqueue(text="the first answer")
    gateway.model.enqueue(text="the second answer")
    await gateway.platform.move(OLD, NEW)
    screen = await gateway.platform.until(lambda s: s.last == "the second answer", chat=NEW)
    assert screen.texts == ["the first answer", "the second answer"]
    await gateway.chats.idle(NEW_KEY)
    assert await gateway.store.inbound.waiting() == []
    assert len(await gateway.history(NEW_KEY)) == 4


async def test_an_open_question_can_be_answered_in_the_new_chat(gateway: SmallGateway) -> None:
    gateway.model.enqueue(tool_calls=[("clarify", {"question": "Which?", "choices": ["A", "B"]})])
    await gateway.platform.say("choose", chat=OLD)
    await gateway.platform.until(lambda s: s.last == "Which?", chat=OLD)
    await gateway.platform.move(OLD, NEW)
    gateway.model.enqueue(text="B it is")
    await gateway.platform.say("2", chat=NEW)
    await gateway.platform.until(lambda s: "B it is" in s.texts, chat=NEW)


async def test_a_group_that_the_settings_allow_is_still_allowed(start: Start) -> None:
    async with start() as gateway:
        await gateway.platform.move(OLD, "-7")
        await gateway.platform.move("-7", NEW)
        gateway.model.enqueue(text="hello Eve")
        await gateway.platform.say("hi", chat=NEW, sender=EVE)
        await gateway.platform.until_shown("hello Eve", chat=NEW)
    async with start() as again:
        again.model.enqueue(text="hello again")
        await again.platform.say("hi", chat=NEW, sender=EVE)
        await again.platform.until_shown("hello again", chat=NEW)


async def test_a_command_that_waits_is_carried_out_in_its_place(gateway: SmallGateway) -> None:
    await gateway.talk("our cat is Luna", "noted", chat=OLD)
    drip = gateway.model.enqueue(text="She is fine.", gated=True)
    await gateway.platform.say("how is she?", chat=OLD)
    await drip.started.wait()
    await gateway.platform.say("/undo", chat=OLD)
    await gateway.platform.until(lambda s: s.last == LATER, chat=OLD)
    await gateway.platform.say("and who feeds her?", chat=OLD)
    gateway.model.enqueue(text="She is well.")
    gateway.model.enqueue(text="You do.")
    await gateway.platform.move(OLD, NEW)
    await gateway.platform.until(lambda s: "You do." in s.texts, chat=NEW)
    said = [message["content"] for message in await gateway.history(NEW_KEY)]
    assert "how is she?" not in str(said)
    assert len(said) == 4


async def test_a_move_that_is_told_twice_is_one(gateway: SmallGateway) -> None:
    await gateway.talk("our cat is Luna", "noted", chat=OLD)
    await gateway.platform.move(OLD, NEW)
    await gateway.talk("what is she called?", "Luna", chat=NEW)
    await gateway.platform.move(OLD, NEW)
    await gateway.talk("sure?", "yes", chat=NEW)
    assert len(told(gateway)) == 5


async def test_the_moved_conversation_wins_over_one_that_began_under_the_new_id(
    gateway: SmallGateway,
) -> None:
    await gateway.talk("our cat is Luna", "noted", chat=OLD)
    await gateway.store.begin_session(NEW_KEY, "new")
    await gateway.platform.move(OLD, NEW)
    await gateway.talk("what is she called?", "Luna", chat=NEW)
    said = told(gateway)
    assert "our cat is Luna" in said[0]


async def test_nothing_of_the_old_id_is_left_where_it_would_be_used(
    start: Start, tmp_path: Path
) -> None:
    async with start(schedule={}) as gateway:
        await gateway.talk("hello", "hi", chat=OLD)
        gateway.model.enqueue(text="never comes", gated=True)
        await gateway.platform.say("one", chat=OLD)
        await gateway.platform.say("two", chat=OLD)
        await gateway.platform.move(OLD, NEW)
    columns = {"chat", "owner", "chat_id"}
    with closing(sqlite3.connect(tmp_path / "hermes.db")) as database:
        tables = database.execute("SELECT name FROM sqlite_schema WHERE type = 'table'").fetchall()
        for (table,) in tables:
            found = {row[1] for row in database.execute(f"PRAGMA table_info({table})")} & columns
            for column in found:
                query = f"SELECT count(*) FROM {table} WHERE {column} IN (?, ?)"  # noqa: S608 - ours
                rows = database.execute(query, (OLD, OLD_KEY))
                assert rows.fetchone() == (0,), f"{table}.{column}"
        waiting = database.execute("SELECT event FROM inbound WHERE event IS NOT NULL").fetchall()
        assert waiting
        assert all(f'"{OLD}"' not in event for (event,) in waiting)
