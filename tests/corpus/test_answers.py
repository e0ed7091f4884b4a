"""The corpus is worth its name: there are enough answers, long ones too, in enough languages."""

import re

import pytest

from tests.corpus.answers import read_answers

ANSWERS = read_answers()


def test_there_are_enough_answers() -> None:
    assert len(ANSWERS) >= 300


def test_there_are_enough_answers_as_long_as_real_ones() -> None:
    assert len([answer for answer in ANSWERS if len(answer.markdown) > 800]) >= 90


@pytest.mark.parametrize(
    "script",
    ["[а-я]", "[α-ω]", "[א-ת]", "[ء-ي]", "[一-龥]", "[ぁ-ん]", "[가-힣]", "[ก-ฮ]", "[अ-ह]"],
)
def test_there_are_enough_answers_in_each_script(script: str) -> None:
    """Three short ones, and three long ones."""
    found = [len(answer.markdown) > 800 for answer in ANSWERS if re.search(script, answer.markdown)]
    assert min(found.count(True), found.count(False)) >= 3
