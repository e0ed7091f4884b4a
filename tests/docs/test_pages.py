"""What the documentation points to is there: the files it names as proof, and its own pages."""

import re
from collections import Counter
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
PAGES = sorted([*ROOT.glob("*.md"), *(ROOT / "docs").glob("*.md")])
GUARANTEES = (ROOT / "docs" / "guarantees.md").read_text(encoding="utf-8")
ROWS = [
    [cell.strip() for cell in line.strip("|").split(" | ")]
    for line in GUARANTEES.splitlines()
    if line.startswith("| ") and not line.startswith("| when |")
]

_CODE = re.compile(r"```.*?```|`[^`]*`", re.DOTALL)
_FENCE = re.compile(r"```.*?```", re.DOTALL)
_LINK = re.compile(r"\]\(([^)#\s:]+)(?:#[^)]*)?\)")
_LINK_TO_HEADING = re.compile(r"\]\(([^)#\s:]*)#([^)]+)\)")
_HEADING = re.compile(r"^#+ (.+)$", re.MULTILINE)


def anchors_of(page: Path) -> set[str]:
    """What links call a page's headings, as GitHub makes it of their words."""
    headings = _HEADING.findall(_FENCE.sub("", page.read_text(encoding="utf-8")))
    return {re.sub(r"[^\w\- ]", "", one).strip().lower().replace(" ", "-") for one in headings}


def test_each_guarantee_is_shown_by_tests_that_are_there() -> None:
    assert ROWS
    for when, what, *proof in ROWS:
        files = re.findall(r"`(tests/[^`]+)`", " ".join(proof))
        assert files, f"nothing shows what holds when {when}: {what}"
        missing = [file for file in files if not (ROOT / file).is_file()]
        assert not missing, f"{when}: {missing}"


def test_no_guarantee_is_given_twice() -> None:
    counted = Counter(when for when, *_ in ROWS)
    assert [when for when, number in counted.items() if number > 1] == []


def test_no_change_is_told_twice() -> None:
    """Merges keep both forms of a line that two have changed, which begin alike."""
    lines = (ROOT / "CHANGELOG.md").read_text(encoding="utf-8").splitlines()
    counted = Counter(line[:25] for line in lines if len(line) >= 25)
    assert [beginning for beginning, number in counted.items() if number > 1] == []


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_links_between_pages_lead_somewhere(page: Path) -> None:
    targets = _LINK.findall(_CODE.sub("", page.read_text(encoding="utf-8")))
    assert [target for target in targets if not (page.parent / target).exists()] == []


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_links_lead_to_headings_that_are_there(page: Path) -> None:
    links = _LINK_TO_HEADING.findall(_CODE.sub("", page.read_text(encoding="utf-8")))
    lost = [
        f"{target}#{anchor}"
        for target, anchor in links
        if anchor not in anchors_of(page.parent / target if target else page)
    ]
    assert lost == []
