"""Names that address a bot: words in any script, and expressions that no text can make slow."""

import pytest
from pydantic import TypeAdapter, ValidationError

from config.names import Name, Names

CHECKED: TypeAdapter[str] = TypeAdapter(Name)


@pytest.mark.parametrize(
    ("names", "text", "is_called"),
    [
        (["hermes"], "Hermes, what's up?", True),
        (["hermes"], "thermes are hot", False),
        (["hermes"], "hermes_bot", False),
        (["Гермес"], "эй, ГЕРМЕС!", True),
        (["Гермес"], "Гермесов много", False),
        (["c++"], "who knows c++?", True),
        (["a.c"], "abc", False),
        ([r"/^(hey|hi) bot\b/"], "Hi Bot, hello", True),
        ([r"/^(hey|hi) bot\b/"], "oh hi bot", False),
        (["/"], "either / or", True),
        ([], "anything", False),
    ],
)
def test_a_name_is_a_whole_word_or_an_expression(
    names: list[str], text: str, is_called: bool
) -> None:
    assert Names.of(map(CHECKED.validate_python, names)).are_in(text) is is_called


@pytest.mark.parametrize("name", ["", "  ", "/(/", r"/(a)\1/", "/(?=x)/"])
def test_what_is_no_name_or_no_linear_expression_is_refused(name: str) -> None:
    with pytest.raises(ValidationError):
        CHECKED.validate_python(name)


def test_an_expression_that_explodes_elsewhere_is_searched_for_in_linear_time() -> None:
    """With backtracking this would take longer than the universe is old."""
    assert not Names.of(["/^(a|aa|a?)+$/"]).are_in("a" * 4_000 + "!")
