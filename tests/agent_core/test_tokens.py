"""The estimate of tokens: never less for more."""

from hypothesis import given
from hypothesis import strategies as st

from agent_core.tokens import estimate_message, estimate_messages, estimate_text, estimate_tools
from tests.agent_core.host import call, tool


@given(st.text(), st.text())
def test_more_text_never_costs_less(one: str, two: str) -> None:
    assert max(estimate_text(one), estimate_text(two)) <= estimate_text(one + two)
    assert estimate_text(one + two) <= estimate_text(one) + estimate_text(two)


def test_scripts_count_as_they_cost() -> None:
    assert estimate_text("") == 0
    assert estimate_text("four" * 10) == 10
    assert estimate_text("你好世界") == 4
    assert estimate_text("안녕 hello") == 4


def test_calls_pictures_and_schemas_count() -> None:
    plain = {"role": "assistant", "content": "x"}
    with_call = {**plain, "tool_calls": [call("a", "look_up", {"what": "x" * 400})]}
    assert estimate_message(with_call) > estimate_message(plain) + 100
    picture = {"role": "user", "content": [{"type": "image_url", "image_url": {}}]}
    assert estimate_message(picture) > 1_400
    assert estimate_message({"role": "user", "content": None}) > 0
    assert estimate_messages([plain, picture]) == estimate_message(plain) + estimate_message(
        picture
    )
    assert estimate_tools([]) == 0
    assert estimate_tools([tool("x" * 400)]) > 100
