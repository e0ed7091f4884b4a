"""What an agent asks, and how a person's answer finds its way back."""

import asyncio
from datetime import UTC, datetime

import pytest

from adapters.base import ChatGone, Sender
from config.settings import ChatSettings
from gateway.chats.questions import Question as OpenQuestion
from gateway.chats.questions import buttons_of, markdown_of, typed_answer
from tests.fakes.platform import ALICE, Screen
from tests.gateway.chats.small_gateway import SmallGateway, Start

BOB = Sender("2", "Bob")
CITIES = ("Berlin", "Paris")


def ask(gateway: SmallGateway, *choices: str) -> None:
    arguments = {"question": "Which city?"} | ({"choices": list(choices)} if choices else {})
    gateway.model.enqueue(tool_calls=[("clarify", arguments)])


def result_of(gateway: SmallGateway) -> str:
    """What the model was told that the person said."""
    message = gateway.request()["messages"][-1]
    assert message["role"] == "tool"
    return str(message["content"])


def is_asked(screen: Screen) -> bool:
    return screen.last == "Which city?"


async def test_a_question_shows_its_choices_as_buttons(gateway: SmallGateway) -> None:
    ask(gateway, *CITIES)
    await gateway.platform.say("book a trip")
    screen = await gateway.platform.until(is_asked)
    assert [button.label for button in screen.buttons] == ["Berlin", "Paris", "Other"]


async def test_a_pressed_button_answers_and_is_seen_to_have_answered(
    gateway: SmallGateway,
) -> None:
    ask(gateway, *CITIES)
    gateway.model.enqueue(text="Paris it is")
    await gateway.platform.say("book a trip")
    await gateway.platform.until(is_asked)
    assert await gateway.platform.press("Paris") == ""
    screen = await gateway.platform.until(lambda s: s.texts == [QUESTION_PARIS, "Paris it is"])
    assert screen.buttons == []
    assert "Paris" in result_of(gateway)


QUESTION_PARIS = "Which city?\n\n→ Paris"


@pytest.mark.parametrize(
    ("typed", "meant"), [("2", "Paris"), ("berlin", "Berlin"), ("Rome, I think", "Rome, I think")]
)
async def test_a_typed_answer_is_a_number_a_choice_or_anything(
    gateway: SmallGateway, typed: str, meant: str
) -> None:
    ask(gateway, *CITIES)
    gateway.model.enqueue(text="booked it")
    await gateway.platform.say("book a trip")
    await gateway.platform.until(is_asked)
    await gateway.platform.say(typed)
    screen = await gateway.platform.until_shown("booked it")
    assert meant in result_of(gateway)
    assert screen.buttons == []


async def test_other_asks_for_words_and_leaves_the_question_open(gateway: SmallGateway) -> None:
    ask(gateway, *CITIES)
    gateway.model.enqueue(text="booked it")
    await gateway.platform.say("book a trip")
    await gateway.platform.until(is_asked)
    assert await gateway.platform.press("Other") == "Then write your answer."
    await gateway.platform.say("Rome")
    await gateway.platform.until_shown("booked it")
    assert "Rome" in result_of(gateway)


async def test_typing_shows_again_after_the_answer(gateway: SmallGateway) -> None:
    """Case 40."""
    ask(gateway, *CITIES)
    drip = gateway.model.enqueue(text="booked it", gated=True)
    await gateway.platform.say("book a trip")
    screen = await gateway.platform.until(is_asked)
    typed_before = screen.typing
    await gateway.platform.say("1")
    await drip.started.wait()
    await gateway.platform.until(lambda s: s.typing > typed_before)
    drip.release(20)
    await gateway.platform.until_shown("booked it")


async def test_in_a_group_only_the_person_asked_can_answer(gateway: SmallGateway) -> None:
    ask(gateway, *CITIES)
    gateway.model.enqueue(text="booked it")
    gateway.model.enqueue(text="hello Bob")
    platform = gateway.platform
    await platform.say("book a trip", chat="-100")
    await platform.until(is_asked, chat="-100")
    notice = await platform.press("Paris", sender=BOB, chat="-100")
    assert notice == "This question is for Alice."
    await platform.say("hi", sender=BOB, chat="-100")  # waits its turn
    await platform.say("berlin", sender=ALICE, chat="-100", is_addressed=False)
    await platform.until_shown("booked it", "hello Bob", chat="-100")
    tool_results = [m for m in gateway.request()["messages"] if m["role"] == "tool"]
    assert "Berlin" in tool_results[-1]["content"]


async def test_a_made_up_choice_leaves_the_question_open(gateway: SmallGateway) -> None:
    ask(gateway, *CITIES)
    gateway.model.enqueue(text="booked it")
    await gateway.platform.say("book a trip")
    screen = await gateway.platform.until(is_asked)
    known = screen.buttons[0].data.removesuffix("1")
    for made_up in ("99", "-1", "0", "x", ""):
        await gateway.platform.press_data(known + made_up)
    assert len(gateway.model.requests) == 1
    await gateway.platform.say("1")
    await gateway.platform.until_shown("booked it")


async def test_an_answered_question_can_not_be_answered_again(gateway: SmallGateway) -> None:
    ask(gateway, *CITIES)
    gateway.model.enqueue(text="booked it")
    await gateway.platform.say("book a trip")
    screen = await gateway.platform.until(is_asked)
    button = screen.buttons[0].data
    await gateway.platform.press_data(button)
    await gateway.platform.until_shown("booked it")
    notice = await gateway.platform.press_data(button)
    assert notice == "This question is no longer open."


async def test_a_question_of_another_chat_can_not_be_answered_from_here(
    gateway: SmallGateway,
) -> None:
    ask(gateway, *CITIES)
    await gateway.platform.say("book a trip")
    screen = await gateway.platform.until(is_asked)
    notice = await gateway.platform.press_data(screen.buttons[0].data, chat="-100")
    assert notice == "This question is no longer open."


async def test_an_answer_that_never_comes_is_told_to_the_agent(start: Start) -> None:
    async with start(clarify_timeout_s=0.05) as gateway:
        ask(gateway, *CITIES)
        gateway.model.enqueue(text="then I decide")
        await gateway.platform.say("book a trip")
        screen = await gateway.platform.until(
            lambda s: len(s.texts) == 2 and "Nobody answered" in s.texts[0]
        )
    assert screen.texts[-1] == "then I decide"
    assert [button.label for button in screen.buttons] == ["Ask me again"]


async def test_a_question_that_can_not_be_shown_is_told_to_the_agent_at_once(
    gateway: SmallGateway,
) -> None:
    """Case 42."""
    ask(gateway, *CITIES)
    gateway.model.enqueue(text="I could not ask")
    gateway.platform.fail("send", ChatGone("for the moment"))
    await gateway.platform.say("book a trip")
    await gateway.platform.until_shown("I could not ask")
    assert len(gateway.model.requests) == 2


async def test_a_person_may_take_longer_than_a_turn_may_be_silent(start: Start) -> None:
    async with start(turn_timeout_s=1, clarify_timeout_s=20) as gateway:
        ask(gateway, *CITIES)
        await gateway.platform.say("book a trip")
        await gateway.platform.until(is_asked)
        gateway.model.enqueue(text="booked it")
        await asyncio.sleep(1.2)  # the person thinks, for longer than the turn may be silent
        await gateway.platform.say("1")
        await gateway.platform.until_shown("booked it")


async def test_stop_takes_the_question_back(gateway: SmallGateway) -> None:
    ask(gateway, *CITIES)
    await gateway.platform.say("book a trip")
    screen = await gateway.platform.until(is_asked)
    button = screen.buttons[0].data
    await gateway.platform.say("/stop")
    screen = await gateway.platform.until(lambda s: len(s.texts) == 2 and not s.buttons)
    notice = await gateway.platform.press_data(button)
    assert notice == "This question is no longer open."
    gateway.model.enqueue(text="welcome back")
    await gateway.platform.say("hello")
    await gateway.platform.until_shown("welcome back")


@pytest.mark.parametrize(
    ("text", "answer"),
    [("1", "Berlin"), ("2.", "Paris"), ("3", "3"), ("0", "0"), (" PARIS ", "Paris"), ("²", "²")],
)
def test_numbers_and_names_of_choices_are_understood(text: str, answer: str) -> None:
    assert typed_answer(CITIES, text) == answer


async def test_long_choices_are_spelled_out_and_their_buttons_stay_short() -> None:
    choices = ("short", "a choice that is far too long to be read on a button " * 3)
    question = OpenQuestion("chat", "1", "Alice", "Which?", choices, datetime.now(UTC))
    assert f"2. {choices[1]}" in markdown_of(question)
    buttons = [row[0] for row in buttons_of(question)]
    assert all(len(button.label) <= 45 for button in buttons)
    assert all(len(button.data.encode()) <= 64 for button in buttons)


async def test_a_button_of_a_question_that_nobody_answered_in_time_says_so(start: Start) -> None:
    """Case 40."""
    async with start(clarify_timeout_s=0.05) as gateway:
        gateway.model.enqueue(
            tool_calls=[("clarify", {"question": "Which city?", "choices": list(CITIES)})]
        )
        gateway.model.enqueue(text="then I decide")
        await gateway.platform.say("book a trip")
        screen = await gateway.platform.until(lambda s: bool(s.buttons) and s.last == "Which city?")
        data = screen.buttons[0].data
        await gateway.platform.until(lambda s: "then I decide" in s.texts)
        notice = await gateway.platform.press_data(data)
        assert notice == "This question is no longer open."


async def test_each_button_answers_its_own_question_when_two_are_open(
    gateway: SmallGateway,
) -> None:
    """Case 41."""
    for chat in ("-100", "1"):
        gateway.model.enqueue(
            tool_calls=[("clarify", {"question": f"Which in {chat}?", "choices": list(CITIES)})]
        )
        await gateway.platform.say("book", chat=None if chat == "1" else chat)
        await gateway.platform.until(lambda s, c=chat: s.last == f"Which in {c}?", chat=chat)  # type: ignore[misc]  # a default binds
    gateway.model.enqueue(text="booked for the group")
    assert await gateway.platform.press("Paris", chat="-100") == ""
    await gateway.platform.until(lambda s: "booked for the group" in s.texts, chat="-100")
    assert gateway.platform.screens["1"].last == "Which in 1?"
    assert gateway.platform.screens["1"].buttons


async def test_who_did_not_answer_in_time_can_be_asked_again(start: Start) -> None:
    async with start(clarify_timeout_s=0.05) as gateway:
        ask(gateway, *CITIES)
        gateway.model.enqueue(text="then I decide")
        await gateway.platform.say("book a trip", chat="-100")
        await gateway.platform.until(
            lambda s: [b.label for b in s.buttons] == ["Ask me again"], chat="-100"
        )
        gateway.host.settings = gateway.host.settings.model_copy(
            update={"chats": ChatSettings(clarify_timeout_s=600)}
        )
        ask(gateway, *CITIES)
        assert await gateway.platform.press("Ask me again", sender=BOB, chat="-100") == (
            "This question is for Alice."
        )
        assert await gateway.platform.press("Ask me again", chat="-100") == ""
        await gateway.platform.until(
            lambda s: [b.label for b in s.buttons][-3:] == ["Berlin", "Paris", "Other"], chat="-100"
        )
        last = [m for m in gateway.request()["messages"] if m["role"] == "user"][-1]
        assert "Please ask me again:\n> Which city?" in last["content"]
        assert await gateway.platform.press("Ask me again", chat="-100") != ""
        gateway.model.enqueue(text="Paris it is")
        await gateway.platform.press("Paris", chat="-100")
        await gateway.platform.until(lambda s: "Paris it is" in s.texts, chat="-100")


@pytest.mark.parametrize("data", ["anew:", "anew:no-such-question", "anew:'--"])
async def test_made_up_wishes_to_be_asked_again_are_nothing(
    gateway: SmallGateway, data: str
) -> None:
    assert await gateway.platform.press_data(data) == "This question is no longer open."
    assert gateway.model.requests == []
