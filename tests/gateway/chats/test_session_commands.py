"""Sessions: titles, going back to one of the past, ends by age, and search."""

from datetime import UTC, datetime, timedelta

import pytest

from adapters.base import Sender
from tests.gateway.chats.small_gateway import SmallGateway, Start

BOB = Sender("2", "Bob")
GROUP = "-100"


class Clock:
    """Stands still until it is moved."""

    def __init__(self) -> None:
        self.time = datetime(2031, 5, 6, 12, 0, tzinfo=UTC)

    def __call__(self) -> datetime:
        return self.time


async def command(
    gateway: SmallGateway,
    text: str,
    chat: str | None = None,
    sender: Sender = Sender("1", "Alice"),  # noqa: B008 - frozen
) -> str:
    screen = gateway.platform.screens[chat or sender.id]
    shown = len(screen.texts)
    await gateway.platform.say(text, chat=chat, sender=sender)
    await gateway.platform.until(lambda s: len(s.texts) > shown, chat=chat or sender.id)
    return screen.last


async def test_a_session_is_called_by_its_first_words_or_as_people_wish(
    gateway: SmallGateway,
) -> None:
    assert "“nothing said yet”" in await command(gateway, "/title")
    await gateway.talk("Plan a trip to Bern\nand back", "with pleasure")
    assert "“Plan a trip to Bern”" in await command(gateway, "/title")
    assert "now called “Bern”" in await command(gateway, "/title  Bern ")
    assert "- session: Bern (" in await command(gateway, "/status")


async def test_sessions_lists_what_was_said_in_and_resume_goes_back(
    gateway: SmallGateway,
) -> None:
    assert "not said anything" in await command(gateway, "/sessions")
    await gateway.talk("about cats", "cats are fine")
    await command(gateway, "/new")
    await command(gateway, "/new")
    await gateway.talk("about dogs", "dogs are fine")
    listed = await command(gateway, "/sessions")
    first, second = listed.splitlines()[:2]
    assert first.startswith("1. about dogs (2031-05-06 12:00, ")
    assert first.endswith("open now)")
    assert second.startswith("2. about cats (")
    assert "about cats" in await command(gateway, "/resume 2")
    await gateway.talk("and now?", "we spoke of cats")
    said = [message["content"] for message in gateway.request()["messages"][1:]]
    assert said == ["about cats", "cats are fine", "and now?"]
    assert "about dogs" in await command(gateway, "/resume")
    assert "dogs are fine" in str(await gateway.history())


async def test_a_press_goes_back_and_says_so_once(gateway: SmallGateway) -> None:
    await gateway.talk("about cats", "cats are fine")
    await command(gateway, "/sessions")
    assert gateway.platform.screens["1"].buttons == []  # there is nowhere to go
    await command(gateway, "/new")
    await gateway.talk("about dogs", "dogs are fine")
    await command(gateway, "/sessions")
    buttons = gateway.platform.screens["1"].buttons
    assert [button.label for button in buttons] == ["1. about dogs", "2. about cats"]
    assert await gateway.platform.press("1. about dogs") == ""
    await gateway.platform.until(lambda s: "we are having" in s.last)
    assert await gateway.platform.press("2. about cats") == ""
    await gateway.platform.until(lambda s: s.last.startswith("We go on with “about cats”."))
    assert "cats are fine" in str(await gateway.history())
    assert await gateway.platform.press("2. about cats") == ""
    await gateway.platform.until(lambda s: "we are having" in s.last)


async def test_a_press_in_another_chat_finds_nothing(gateway: SmallGateway) -> None:
    await gateway.talk("my secret", "is safe")
    await command(gateway, "/new")
    await command(gateway, "/sessions")
    (button,) = gateway.platform.screens["1"].buttons
    await gateway.platform.press_data(button.data, sender=BOB)
    await gateway.platform.until(lambda s: "no such conversation" in s.last, chat="2")
    await gateway.platform.press_data(button.data, sender=BOB, chat=GROUP)
    await gateway.platform.until(lambda s: "no such conversation" in s.last, chat=GROUP)


async def test_only_offered_commands_can_be_pressed(gateway: SmallGateway) -> None:
    await gateway.talk("my secret", "is safe")
    first = await gateway.store.current_session("telegram:dm:1")
    assert await gateway.platform.press_data("new:") == ""
    await gateway.chats.idle("telegram:dm:1")
    assert await gateway.store.current_session("telegram:dm:1") == first


async def test_resume_by_id_and_what_is_not_there(gateway: SmallGateway) -> None:
    await gateway.talk("about cats", "cats are fine")
    cats = (await gateway.store.current_session("telegram:dm:1")).id
    assert "we are having" in await command(gateway, "/resume 1")
    assert "no such conversation" in await command(gateway, "/resume")
    assert "no such conversation" in await command(gateway, "/resume 7")
    await command(gateway, "/new")
    assert "about cats" in await command(gateway, f"/resume {cats[-8:]}")
    info = await gateway.store.sessions.info(cats)
    assert (info.ended_at, info.end_reason) == (None, None)


async def test_one_chat_s_sessions_can_t_be_resumed_from_another(gateway: SmallGateway) -> None:
    await gateway.talk("my secret", "is safe")
    secret = (await gateway.store.current_session("telegram:dm:1")).id
    await command(gateway, "/new")
    for attempt in (secret, secret[-8:], "1"):
        answer = await command(gateway, f"/resume {attempt}", sender=BOB)
        assert "no such conversation" in answer


async def test_a_new_session_knows_which_one_it_followed(gateway: SmallGateway) -> None:
    await gateway.talk("hello", "hello Alice")
    first = await gateway.store.current_session("telegram:dm:1")
    await command(gateway, "/new")
    second = await gateway.store.current_session("telegram:dm:1")
    ended = await gateway.store.sessions.info(first.id)
    assert ended.end_reason == "new"
    assert (await gateway.store.sessions.info(second.id)).parent == first.id


@pytest.mark.parametrize(
    ("sessions", "why"),
    [
        ({"reset": "daily", "daily_at": "04:00"}, "A new day begins at 04:00"),
        ({"reset": "idle", "idle_hours": 10}, "Nothing was said here for 10 hours or more"),
    ],
)
async def test_an_old_session_ends_even_after_a_restart_and_can_be_had_back(
    start: Start, sessions: dict[str, object], why: str
) -> None:
    clock = Clock()
    async with start(clock=clock, sessions=sessions) as gateway:
        await gateway.talk("about cats", "cats are fine")
        clock.time += timedelta(hours=3)
        await gateway.talk("more", "more of cats")
        assert len(gateway.platform.screens["1"].texts) == 2
    clock.time += timedelta(hours=20)
    async with start(clock=clock, sessions=sessions) as gateway:
        await gateway.talk("good morning", "to you too")
        notice, answer = gateway.platform.screens["1"].texts
        assert notice.startswith(f"*{why}")
        assert "/resume goes on with “about cats”" in notice
        assert answer == "to you too"
        assert "cats" not in str(gateway.request()["messages"])
        await gateway.talk("again", "once a day")
        assert len(gateway.platform.screens["1"].texts) == 3
        assert "about cats" in await command(gateway, "/resume")
        await gateway.talk("so, cats?", "cats again")
        assert "more of cats" in str(gateway.request()["messages"])


async def test_search_finds_what_was_said_in_this_chat_and_says_when(
    gateway: SmallGateway,
) -> None:
    await gateway.talk("my cat is called Luna", "a fine name")
    await command(gateway, "/new")
    await gateway.talk("and the dog?", "ask the dog")
    found = await command(gateway, "/search luna")
    assert found == "- 2031-05-06 12:00, my cat is called Luna, you: my cat is called Luna"
    assert "nothing of that" in await command(gateway, "/search canary")
    assert "What for?" in await command(gateway, "/search")
    assert "nothing of that" in await command(gateway, '/search "OR NEAR(')


async def test_search_finds_the_groups_one_was_in_but_nobody_else_s_past(
    gateway: SmallGateway,
) -> None:
    await gateway.talk("the code is swordfish", "I keep it to myself")
    await gateway.talk("swordfish for dinner", "enjoy it", chat=GROUP)
    found = await command(gateway, "/search swordfish")
    assert "the code is swordfish" in found.splitlines()[0]
    assert "in another chat" in found.splitlines()[1]
    assert "for dinner" in found.splitlines()[1]
    assert "nothing of that" in await command(gateway, "/search swordfish", sender=BOB)
    # Others read along in a group.
    found = await command(gateway, "/search swordfish", chat=GROUP)
    assert "for dinner" in found
    assert "the code" not in found
    await gateway.talk("hi all", "hello Bob", chat=GROUP, sender=BOB)
    found = await command(gateway, "/search swordfish", sender=BOB)
    assert "for dinner" in found
    assert "the code" not in found


async def test_what_was_undone_is_still_found(gateway: SmallGateway) -> None:
    await gateway.talk("my cat is called Luna", "a fine name")
    assert "Undone" in await command(gateway, "/undo")
    assert "Luna" in await command(gateway, "/search luna")
