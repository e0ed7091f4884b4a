"""The button under an answer that failed: it asks the same message again, in its place."""

from gateway.changes import NOT_LAST
from tests.gateway.chats.people import EVE
from tests.gateway.chats.small_gateway import SmallGateway, Start

CHAT = "telegram:dm:1"


async def fail(gateway: SmallGateway, text: str, chat: str | None = None) -> str:
    """Let the answer to a message fail; returns what its button says."""
    gateway.model.enqueue(status=500, body=b"broken")
    await gateway.platform.say(text, chat=chat)
    screen = await gateway.platform.until(
        lambda s: any(one.label == "Try again" for one in s.buttons), chat=chat or "1"
    )
    await gateway.chats.idle(CHAT if chat is None else f"telegram:group:{chat}")
    return next(one.data for one in screen.buttons if one.label == "Try again")


async def test_trying_again_answers_the_message_and_takes_the_failure_away(
    gateway: SmallGateway,
) -> None:
    await fail(gateway, "what is new?")
    gateway.model.enqueue(text="Nothing is new.")
    assert await gateway.platform.press("Try again") == ""
    screen = await gateway.platform.until(lambda s: s.texts == ["Nothing is new."])
    assert screen.buttons == []
    history = [(one["role"], one["content"]) for one in await gateway.history()]
    assert history == [("user", "what is new?"), ("assistant", "Nothing is new.")]


async def test_an_answer_that_succeeds_has_no_such_button(gateway: SmallGateway) -> None:
    gateway.model.enqueue(text="fine")
    await gateway.platform.say("hello")
    screen = await gateway.platform.until_shown("fine")
    await gateway.chats.idle(CHAT)
    assert screen.buttons == []


async def test_what_fails_again_can_be_tried_again(gateway: SmallGateway) -> None:
    await fail(gateway, "what is new?")
    gateway.model.enqueue(status=500, body=b"broken")
    await gateway.platform.press("Try again")
    await gateway.chats.idle(CHAT)
    gateway.model.enqueue(text="Nothing is new.")
    await gateway.platform.press("Try again")
    await gateway.platform.until(lambda s: s.texts == ["Nothing is new."])


async def test_pressed_twice_it_asks_once(gateway: SmallGateway) -> None:
    data = await fail(gateway, "what is new?")
    gateway.model.enqueue(text="Nothing is new.")
    await gateway.platform.press_data(data)
    await gateway.platform.until_shown("Nothing is new.")
    await gateway.chats.idle(CHAT)
    assert await gateway.platform.press_data(data) == NOT_LAST
    assert len(gateway.model.requests) == 2


async def test_a_failure_that_is_long_past_is_not_tried_again(gateway: SmallGateway) -> None:
    data = await fail(gateway, "what is new?")
    gateway.model.enqueue(text="Something else.")
    await gateway.platform.say("and what else?")
    await gateway.platform.until_shown("Something else.")
    await gateway.chats.idle(CHAT)
    assert await gateway.platform.press_data(data) == NOT_LAST
    assert await gateway.platform.press_data("retry:made-up") == NOT_LAST


async def test_in_a_group_only_who_asked_can_try_again(gateway: SmallGateway) -> None:
    data = await fail(gateway, "what is new?", chat="-100")
    notice = await gateway.platform.press_data(data, sender=EVE, chat="-100")
    assert notice == "This button is for Alice."


async def test_a_restart_does_not_take_the_button_away(start: Start) -> None:
    async with start() as first:
        data = await fail(first, "what is new?")
    async with start() as second:
        second.model.enqueue(text="Nothing is new.")
        assert await second.platform.press_data(data) == ""
        await second.platform.until_shown("Nothing is new.")
