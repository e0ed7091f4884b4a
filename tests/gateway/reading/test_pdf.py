"""The text of PDFs, and of what only looks like one. In the test's own process, with its limits."""

import pytest

from gateway.reading import pdf as module
from gateway.reading.errors import NoText
from gateway.reading.source import Source, Text
from gateway.reading.texts import read
from tests.gateway.reading.pdf_documents import bomb, locked, pdf, scanned, spoiled

LINE = "Cats purr when they are at ease, and at times when they are not."
PAGE = "\n".join([LINE] * 10)


def source(content: bytes, first_page: int = 1, max_chars: int = 400_000) -> Source:
    return Source(
        "", "application/pdf", content=content, first_page=first_page, max_chars=max_chars
    )


def test_each_page_with_text_has_a_heading() -> None:
    found = read(source(pdf("one\ntwo", "", "three", title="Numbers  in\nwords")))
    assert found.text == "## Page 1\n\none\ntwo\n\n## Page 3\n\nthree"
    assert (found.title, found.pages, found.is_cut) == ("Numbers in words", 3, False)


def test_what_everybody_may_open_is_read_although_it_is_encrypted() -> None:
    content = locked("Not to be printed.", password="", owner="swordfish")
    assert read(source(content)).text == "## Page 1\n\nNot to be printed."


@pytest.mark.parametrize(
    ("content", "reason"),
    [
        (locked("secret", password="swordfish"), module.LOCKED),
        (pdf(PAGE)[:500], module.BROKEN),
        (b"%PDF-1.7\n\xe2\xe3\xcf\xd3" + b"\xff" * 20, module.BROKEN),
        (spoiled(pdf(PAGE)), module.BROKEN),
        (scanned(), module.PICTURES),
        (bomb(), module.TOO_MUCH),
    ],
    ids=["locked", "half", "beginning", "spoiled", "scanned", "bomb"],
)
def test_why_there_is_no_text_is_told(content: bytes, reason: str) -> None:
    with pytest.raises(NoText) as told:
        read(source(content))
    assert str(told.value) == reason


def test_a_page_that_is_broken_does_not_cost_the_others() -> None:
    found = read(source(spoiled(pdf("one", PAGE, "three"), page=2)))
    assert found.text == (
        "## Page 1\n\none\n\n## Page 2\n\n[This page could not be read.]\n\n## Page 3\n\nthree"
    )


def whole(content: bytes, max_chars: int) -> list[Text]:
    """All parts of a document."""
    parts = [read(source(content, 1, max_chars))]
    while (page := parts[-1].next_page) is not None:
        parts.append(read(source(content, page, max_chars)))
    return parts


def test_the_parts_of_a_document_are_the_document() -> None:
    content = pdf(*(f"{number}\n{PAGE}" for number in range(9)), "", "")
    parts = whole(content, 1_500)
    assert len(parts) == 5
    assert all(len(part.text) <= 1_500 for part in parts)
    assert [part.is_cut for part in parts] == [True] * (len(parts) - 1) + [False]
    text = "\n".join(part.text for part in parts)
    assert text.rstrip("\n") == read(source(content)).text


def test_a_page_that_is_too_long_alone_is_cut_and_says_so() -> None:
    first, second = whole(pdf(PAGE, "two " * 20), 300)
    assert first.is_cut
    assert len(first.text) <= 300
    assert first.text.startswith("## Page 1\n\nCats purr")
    assert first.text.endswith(" more characters of this page are left out]\n")
    assert second.text.startswith("## Page 2\n\ntwo")


def test_of_pages_without_text_it_is_said_how_many_were_looked_at(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(module, "BUDGET_S", -1.0)
    with pytest.raises(NoText, match=r"no text on the first 1 pages"):
        read(source(scanned()))


def test_no_page_is_begun_when_the_time_is_over(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "BUDGET_S", -1.0)
    parts = whole(pdf("one", "two", "three"), 400_000)
    assert [part.text for part in parts] == [
        "## Page 1\n\none\n", "## Page 2\n\ntwo\n", "## Page 3\n\nthree"
    ]  # fmt: skip
