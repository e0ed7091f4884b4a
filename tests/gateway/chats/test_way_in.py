"""Where an event goes: nowhere, to a command, or into its chat."""

import asyncio

import pytest
from structlog.testing import capture_logs

from tests.gateway.chats.people import EVE
from tests.gateway.chats.small_gateway import SmallGateway


async def test_a_stranger_gets_nothing_at_all(gateway: SmallGateway) -> None:
    await gateway.platform.say("hello", sender=EVE)
    await gateway.platform.say("/start", sender=EVE)
    await gateway.platform.say("hello", sender=EVE, chat="-999")
    notice = await gateway.platform.press_data("stop:1", sender=EVE, wait_s=0.05)
    assert notice == "(never acknowledged)"
    gateway.model.enqueue(text="hello Alice")
    await gateway.platform.say("hello")
    await gateway.platform.until_shown("hello Alice")
    screens = gateway.platform.screens
    assert (screens["666"].log, screens["-999"].log) == ([], [])
    assert len(gateway.model.requests) == 1


async def test_the_log_names_each_stranger_once_with_the_id_to_add(gateway: SmallGateway) -> None:
    with capture_logs() as logs:
        for _ in range(3):
            await gateway.platform.say("let me in", sender=EVE)
    named = [entry for entry in logs if entry.get("user_id") == "666"]
    assert len(named) == 1
    assert "let me in" not in str(logs)


async def test_strangers_leave_no_trace_in_the_store(gateway: SmallGateway) -> None:
    await gateway.platform.say("hello", sender=EVE, event_id="stranger")
    assert not await gateway.was_taken("stranger")


async def test_talk_among_others_in_a_group_is_not_taken(gateway: SmallGateway) -> None:
    await gateway.platform.say("lunch?", chat="-100", is_addressed=False, event_id="lunch")
    await gateway.platform.say("/new", chat="-100", is_addressed=False)
    assert not await gateway.was_taken("lunch")
    assert gateway.platform.screens["-100"].log == []


async def test_an_event_that_comes_twice_is_answered_once(gateway: SmallGateway) -> None:
    gateway.model.enqueue(text="only once")
    for _ in range(3):
        await gateway.platform.say("hello", event_id="same")
    await gateway.platform.until_shown("only once")
    await gateway.chats.idle("telegram:dm:1")
    assert len(gateway.model.requests) == 1


async def test_commands_are_answered_and_never_fed_to_the_model(gateway: SmallGateway) -> None:
    await gateway.platform.say("/start")
    await gateway.platform.until(lambda s: s.last.startswith("Hello!"))
    await gateway.platform.say("/help")
    await gateway.platform.until(lambda s: s.last.startswith("Write to me"))
    await gateway.platform.say("/frobnicate")
    await gateway.platform.until_shown("There is no command /frobnicate. /help lists them.")
    assert gateway.model.requests == []


async def test_commands_run_while_a_turn_runs(gateway: SmallGateway) -> None:
    drip = gateway.model.enqueue(text="the answer", gated=True)
    await gateway.platform.say("question")
    await drip.started.wait()
    await gateway.platform.say("/help")
    await gateway.platform.until(lambda s: s.last.startswith("Write to me"))
    drip.release(20)
    await gateway.platform.until(lambda s: "the answer" in s.texts)


async def test_a_flood_of_commands_is_not_a_flood_of_notices(gateway: SmallGateway) -> None:
    for _ in range(50):
        await gateway.platform.say("/help")
    await gateway.chats.close(5)
    assert 1 <= len(gateway.platform.screens["1"].texts) <= 50
    assert not gateway.chats._notices


async def test_a_path_is_no_command(gateway: SmallGateway) -> None:
    gateway.model.enqueue(text="a file of users")
    await gateway.platform.say("/etc/passwd")
    await gateway.platform.until_shown("a file of users")


async def test_a_closed_router_leaves_events_with_their_platform(gateway: SmallGateway) -> None:
    gateway.router.close()
    giving = asyncio.create_task(gateway.platform.say("hello", event_id="late"))
    done, _ = await asyncio.wait([giving], timeout=0.05)
    assert not done
    giving.cancel()
    assert not await gateway.was_taken("late")


@pytest.mark.parametrize(
    "data", ["", "ask", "ask:", "ask:x", "ask:x:99", "stop", "nonsense:1", ":"]
)
async def test_made_up_buttons_do_no_harm(gateway: SmallGateway, data: str) -> None:
    assert await gateway.platform.press_data(data) != "(never acknowledged)"
    gateway.model.enqueue(text="all is well")
    await gateway.platform.say("hello")
    await gateway.platform.until_shown("all is well")


async def test_talk_of_strangers_among_themselves_is_not_logged(gateway: SmallGateway) -> None:
    with capture_logs() as logs:
        await gateway.platform.say("lunch?", sender=EVE, chat="-999", is_addressed=False)
    assert logs == []
