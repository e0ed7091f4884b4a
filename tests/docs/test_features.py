"""The table of features is whole, and the tests that it names are there."""

import re
from collections import Counter
from functools import cache
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
PAGE = (ROOT / "docs" / "features.md").read_text(encoding="utf-8")
ROWS = [
    [cell.strip() for cell in line.strip("|").split(" | ")]
    for line in PAGE.splitlines()
    if re.match(r"\| \d", line)
]
NUMBERS = {"yes": (1, 2), "partly": (1, 2), "no": (0,)}
"""How many tests a row names, by whether the feature is here."""

_TEST = re.compile(r"`(tests/[^`:]+)::(\w+)`")
_FUNCTION = re.compile(r"^(?:async )?def (\w+)", re.MULTILINE)


@cache
def functions_of(path: str) -> frozenset[str]:
    """The functions of a test file."""
    return frozenset(_FUNCTION.findall((ROOT / path).read_text(encoding="utf-8")))


def test_the_rows_are_numbered_without_gaps() -> None:
    assert [row[0] for row in ROWS] == [str(number) for number in range(1, 131)]


@pytest.mark.parametrize("row", ROWS, ids=lambda row: row[0])
def test_what_is_here_is_shown_by_tests_that_are_there(row: list[str]) -> None:
    _, _, here, how, proof = row
    tests = _TEST.findall(proof)
    assert how
    assert len(tests) in NUMBERS[here]
    assert proof == ", ".join(f"`{path}::{name}`" for path, name in tests)
    missing = [
        f"{path}::{name}"
        for path, name in tests
        if not (ROOT / path).is_file() or name not in functions_of(path)
    ]
    assert missing == []


def test_the_sum_at_the_top_is_right() -> None:
    counted = Counter(here for _, _, here, *_ in ROWS)
    sentence = f"{counted['yes']} are here, {counted['partly']} partly, {counted['no']} not."
    assert f"\n{sentence}\n" in PAGE
