"""/model and /usage, and what a chat's own model and its budget do to its turns."""

import pytest

from gateway.commands.models import find_label, unknown_label_text
from tests.gateway.chats.small_gateway import SmallGateway, Start


async def turn(gateway: SmallGateway, text: str, answer: str) -> None:
    gateway.model.enqueue(text=answer)
    await gateway.platform.say(text)
    await gateway.platform.until_shown(answer)


async def says(gateway: SmallGateway, command: str, expected: str) -> None:
    shown = len(gateway.platform.screens["1"].texts)
    await gateway.platform.say(command)
    await gateway.platform.until(lambda s: len(s.texts) > shown and expected in s.last)


async def test_the_next_turn_has_the_model_that_was_chosen(start: Start) -> None:
    async with start(other_models=["other-model"]) as gateway:
        await turn(gateway, "hi", "hello there")
        assert gateway.request()["model"] == "fake-model"
        await says(
            gateway, "/model", "`fake-model` answers in this chat. `/model NAME` chooses another:"
        )
        await says(
            gateway, "/model Other-Model", "From your next message on, `other-model` answers"
        )
        await turn(gateway, "hi again", "hello once more")
        assert gateway.request()["model"] == "other-model"
        # The agent, too, knows who it is now, and all that was said before.
        assert "other-model" in gateway.request()["messages"][0]["content"]
        assert "hello there" in str(gateway.request()["messages"])


async def test_a_choice_survives_a_restart_and_is_the_chats_own(start: Start) -> None:
    async with start(other_models=["other-model"]) as gateway:
        await says(gateway, "/model other-model", "From your next message on")
        await says(gateway, "/model other-model", "This chat has `other-model` already.")
    async with start(other_models=["other-model"]) as gateway:
        await turn(gateway, "hi", "hello from the other")
        assert gateway.request()["model"] == "other-model"
        gateway.model.enqueue(text="hello to all")
        await gateway.platform.say("hi", chat="-100")
        await gateway.platform.until_shown("hello to all", chat="-100")
        assert gateway.request()["model"] == "fake-model"
        await says(gateway, "/status", "other-model (openai)")


async def test_a_press_chooses_what_its_button_says_also_after_a_restart(start: Start) -> None:
    async with start(other_models=["other-model"]) as gateway:
        await says(gateway, "/model", "chooses another")
        (button,) = gateway.platform.screens["1"].buttons
        assert button.label == "other-model"
    async with start(other_models=["other-model"]) as gateway:
        assert await gateway.platform.press_data(button.data) == ""
        await gateway.platform.until(lambda s: "From your next message on" in s.last)
        await turn(gateway, "hi", "hello from the other")
        assert gateway.request()["model"] == "other-model"
        assert await gateway.platform.press_data(button.data) == ""
        await gateway.platform.until_shown("This chat has `other-model` already.")


async def test_a_button_for_a_model_that_is_gone_changes_nothing(start: Start) -> None:
    async with start(other_models=["other-model"]) as gateway:
        await says(gateway, "/model", "chooses another")
        (button,) = gateway.platform.screens["1"].buttons
    async with start() as gateway:
        assert await gateway.platform.press_data(button.data) == ""
        await gateway.platform.until(lambda s: s.last.startswith("I have no model of that name."))
        await turn(gateway, "hi", "still the same")
        assert gateway.request()["model"] == "fake-model"


async def test_there_are_ten_buttons_at_most_and_none_where_nothing_can_be_chosen(
    start: Start,
) -> None:
    async with start() as gateway:
        await says(gateway, "/model", "the only model I have")
        assert gateway.platform.screens["1"].buttons == []
    many = [f"{'model-' * 20}{number}" for number in range(12)]
    async with start(other_models=many) as gateway:
        await says(gateway, "/model", many[-1])
        buttons = gateway.platform.screens["1"].buttons
        assert [button.label for button in buttons] == many[:10]
        assert max(len(button.data.encode()) for button in buttons) <= 64


async def test_a_name_that_is_none_changes_nothing(start: Start) -> None:
    async with start(other_models=["other-model"]) as gateway:
        await says(gateway, "/model other-mode", "Did you mean `other-model`?")
        await turn(gateway, "hi", "still the same")
        assert gateway.request()["model"] == "fake-model"


async def test_usage_tells_tokens_and_cost(start: Start) -> None:
    async with start(
        other_models=["other-model"], llm={"price": {"input": 1_000, "output": 10_000}}
    ) as gateway:
        await says(gateway, "/usage", "This chat has used nothing so far.")
        await turn(gateway, "hi", "hello there")
        await says(gateway, "/usage", "- today: 17 tokens in 1 call, 0.0620 USD")
        await says(gateway, "/model other-model", "From your next message on")
        await turn(gateway, "hi", "hello from the other")
        await says(gateway, "/usage", "- `other-model`: 17 tokens in 1 call")
        await says(gateway, "/usage", "- in all: 34 tokens in 2 calls, 0.0620 USD")


async def test_who_has_used_up_the_budget_is_told_until_when(start: Start) -> None:
    async with start(budgets={"tokens_per_user": 1}) as gateway:
        await says(gateway, "hi", "Your budget for today is used up.")
        assert gateway.model.requests == []


@pytest.mark.parametrize(
    ("typed", "found"),
    [("Claude", "Claude"), ("claude", None), ("GPT", "gpt"), ("", None), ("gp", None)],
)
def test_a_label_is_found_in_any_case_unless_two_fit(typed: str, found: str | None) -> None:
    assert find_label(typed, ["Claude", "CLAUDE", "gpt"]) == found


def test_a_name_like_none_of_them_gets_no_guess() -> None:
    assert unknown_label_text("xyz", ["claude", "gpt"]) == "I have no model of that name."
