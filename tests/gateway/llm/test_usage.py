"""What a call used, by its provider's count or by ours, and what that costs."""

from typing import Any

import pytest

from config.models import PriceSettings
from gateway.llm.usage import MAX_COUNT, Tokens, cost, estimate_prompt, expected, tokens_of

REQUEST: dict[str, Any] = {"messages": [{"role": "user", "content": "x" * 400}]}


def completion(usage: object, content: str | None = "y" * 40) -> dict[str, Any]:
    message = {"role": "assistant", "content": content}
    return {"choices": [{"message": message}], "usage": usage}


def test_the_providers_counts_are_taken() -> None:
    usage = {
        "prompt_tokens": 100,
        "completion_tokens": 20,
        "prompt_tokens_details": {"cached_tokens": 70, "cache_creation_tokens": 10},
        "completion_tokens_details": {"reasoning_tokens": 5},
    }
    assert tokens_of(completion(usage), REQUEST) == Tokens(100, 70, 10, 20, 5)


def test_deepseeks_word_for_cached_is_known() -> None:
    usage = {"prompt_tokens": 100, "completion_tokens": 1, "prompt_cache_hit_tokens": 64}
    assert tokens_of(completion(usage), REQUEST).cached == 64


@pytest.mark.parametrize("usage", [None, {}, "many", {"prompt_tokens": None}])
def test_where_nothing_is_counted_it_is_estimated(usage: object) -> None:
    assert tokens_of(completion(usage), REQUEST) == Tokens(prompt=104, completion=14)


@pytest.mark.parametrize("odd", [float("nan"), -5, "7", True, [1]])
def test_odd_counts_are_none(odd: object) -> None:
    usage = {"prompt_tokens": 10, "completion_tokens": odd}
    assert tokens_of(completion(usage), REQUEST) == Tokens(prompt=10)


def test_endless_counts_have_an_end() -> None:
    usage = {"prompt_tokens": float("inf"), "completion_tokens": 1}
    assert tokens_of(completion(usage), REQUEST).prompt == MAX_COUNT


def test_each_kind_of_token_has_its_price() -> None:
    tokens = Tokens(prompt=1_000_000, cached=600_000, cache_written=100_000, completion=500_000)
    price = PriceSettings(input=3, cached_input=0.3, cache_write=3.75, output=15)
    assert cost(tokens, price) == pytest.approx(0.3 * 3 + 0.6 * 0.3 + 0.1 * 3.75 + 0.5 * 15)
    assert cost(tokens, PriceSettings(input=3)) == pytest.approx(3)
    assert cost(tokens, PriceSettings()) == 0


def test_an_answers_own_limit_bounds_what_is_expected() -> None:
    assert expected(REQUEST).completion == 1_000
    assert expected({**REQUEST, "max_tokens": 50}) == Tokens(prompt=104, completion=50)


def test_tools_and_pictures_count() -> None:
    picture = {"type": "image_url", "image_url": {"url": "data:..."}}
    messages = [{"role": "user", "content": [picture]}]
    assert estimate_prompt({"messages": messages}) == 1_504
    assert estimate_prompt({"messages": messages, "tools": [{"type": "function"}]}) > 1_504
