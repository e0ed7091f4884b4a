"""/export and /forget."""

import asyncio
import sqlite3
from contextlib import closing
from pathlib import Path

from adapters.base import Sender
from tests.gateway.chats.small_gateway import SmallGateway

ALICE, BOB = Sender("1", "Alice"), Sender("2", "Bob")
GROUP = "-100"


async def command(gateway: SmallGateway, text: str, chat: str | None = None) -> str:
    screen = gateway.platform.screens[chat or "1"]
    shown = len(screen.texts)
    await gateway.platform.say(text, chat=chat)
    await gateway.platform.until(lambda s: len(s.texts) > shown, chat=chat or "1")
    return screen.last


async def test_export_shows_a_person_their_own_and_only_in_their_own_chat(
    gateway: SmallGateway,
) -> None:
    await gateway.talk("my cat is called Luna", "a fine name")
    await gateway.talk("Bob's secret", "is safe", sender=BOB)
    await gateway.talk("lunch?", "at noon", chat=GROUP)
    await command(gateway, "/memory add me: likes cats")
    exported = await command(gateway, "/export")
    assert exported.startswith("# What is stored about telegram:1")
    for part in ("likes cats", "my cat is called Luna", "a fine name", "lunch?"):
        assert part in exported
    assert "secret" not in exported
    assert "direct chat" in await command(gateway, "/export", chat=GROUP)


async def test_a_long_export_is_left_to_the_command_line(gateway: SmallGateway) -> None:
    await gateway.talk("x" * 20_000, "that is long")
    assert "`hermes-gateway export telegram:1`" in await command(gateway, "/export")


async def test_forget_asks_first_and_then_forgets_everything(gateway: SmallGateway) -> None:
    await gateway.talk("my cat is called Luna", "a fine name")
    await gateway.talk("Bob's secret", "is safe", sender=BOB)
    await gateway.talk("lunch with Luna?", "at noon", chat=GROUP)
    await command(gateway, "/memory add me: likes cats")
    assert "/forget yes" in await command(gateway, "/forget")
    assert "direct chat" in await command(gateway, "/forget yes", chat=GROUP)
    assert "Luna" in await command(gateway, "/search luna")
    assert "Forgotten: 1 conversations" in await command(gateway, "/forget yes")
    assert "nothing of that" in await command(gateway, "/search luna")
    await gateway.talk("what is my cat called?", "I don't know")
    asked = str(gateway.request()["messages"])
    assert "Luna" not in asked
    assert "likes cats" not in asked
    # The group's agent was warm, and has forgotten, too.
    await gateway.talk("hi", "hello Bob", sender=BOB, chat=GROUP)
    assert "Luna" not in str(gateway.request()["messages"])
    assert "at noon" in str(gateway.request()["messages"])
    bobs = await gateway.store.history((await gateway.store.current_session("telegram:dm:2")).id)
    assert "secret" in str(bobs)


async def test_forget_leaves_nothing_in_the_journal(gateway: SmallGateway, tmp_path: Path) -> None:
    await gateway.talk("my cat is called Luna", "a fine name")
    await gateway.talk("lunch with Luna?", "at noon", chat=GROUP)
    await gateway.talk("my dog is called Rex", "a fine name", sender=BOB)
    await command(gateway, "/forget yes")
    with closing(sqlite3.connect(tmp_path / "hermes.db")) as connection:
        lives = connection.execute("SELECT DISTINCT chat FROM lives").fetchall()
        events = connection.execute("SELECT DISTINCT chat FROM inbound").fetchall()
    assert lives == [("telegram:dm:2",)]
    assert ("telegram:dm:2",) in events
    await gateway.talk("hello again", "have we met?")
    await gateway.talk("hello all", "hello to you", chat=GROUP)


async def test_forget_stops_the_answer_that_is_being_written(gateway: SmallGateway) -> None:
    drip = gateway.model.enqueue(text="a very long story", gated=True)
    await gateway.platform.say("tell me about Luna")
    await drip.started.wait()
    await gateway.platform.say("/forget yes")
    await gateway.platform.until(lambda s: s.last.startswith("Forgotten"))
    await gateway.chats.idle("telegram:dm:1")
    assert await gateway.history() == []


async def test_export_names_the_files_of_ones_own_chat(gateway: SmallGateway) -> None:
    await gateway.talk("my cat is called Luna", "a fine name")
    workspace = gateway.host.workspaces.of("telegram:dm:1")
    await asyncio.to_thread(workspace.save_new, "inbox/old", "cat.jpg", [b"x"])
    group = gateway.host.workspaces.of("telegram:group:-100")
    await asyncio.to_thread(group.save_new, "inbox", "theirs.jpg", [b"x"])
    exported = await command(gateway, "/export")
    assert "## Files\n\n- inbox/old/cat.jpg" in exported
    assert "theirs" not in exported


async def test_forget_removes_the_files_of_ones_own_chat_and_of_no_other(
    gateway: SmallGateway,
) -> None:
    chats = ["telegram:dm:1", "telegram:dm:2", "telegram:group:-100"]
    for chat in chats:
        workspace = gateway.host.workspaces.of(chat)
        await asyncio.to_thread(workspace.save_new, "inbox", "cat.txt", [b"Luna"])
    await gateway.talk("my cat is called Luna", "a fine name")
    await gateway.talk("lunch with Luna?", "at noon", chat=GROUP)
    await command(gateway, "/forget yes")
    await gateway.chats.idle("telegram:dm:1")
    left = [await asyncio.to_thread(gateway.host.workspaces.of(chat).list) for chat in chats]
    assert list(map(bool, left)) == [False, True, True]
