"""The text of Word documents, and of what only looks like one. In the test's own process."""

from pathlib import Path
from typing import Any

import pytest

from gateway.reading import word as module
from gateway.reading.errors import NoText
from gateway.reading.source import Source
from gateway.reading.texts import WORD, read
from tests.gateway.reading.word_documents import bomb, with_body, with_entry, word

LAUGHS = "<!DOCTYPE x [<!ENTITY a '" + "ha" * 50 + "'>" + "".join(
    f"<!ENTITY {chr(number)} '{f'&{chr(number - 1)};' * 50}'>" for number in range(98, 106)
) + "]>"  # fmt: skip
PARAGRAPH = "<w:p><w:r><w:t>{}</w:t></w:r></w:p>"


def source(content: bytes, first_page: int = 1, max_chars: int = 400_000) -> Source:
    return Source("", WORD, content=content, first_page=first_page, max_chars=max_chars)


def fill(document: Any) -> None:
    document.core_properties.title = "All about cats"
    document.add_heading("Cats", 1)
    document.add_paragraph("Cats purr.\nThey sleep.")
    document.add_paragraph("milk", style="List Bullet")
    document.add_heading("Ages", 2)
    table = document.add_table(rows=2, cols=2)
    for cell, text in zip(
        [*table.rows[0].cells, *table.rows[1].cells], ["name", "age", "Minka|Tom", "7"], strict=True
    ):
        cell.text = text


def test_headings_lists_and_tables_are_markdown() -> None:
    found = read(source(word(with_more=fill)))
    assert found.title == "All about cats"
    assert found.text.strip() == (
        "# Cats\n\nCats purr.\nThey sleep.\n\n- milk\n\n## Ages\n\n"
        "| name | age |\n| --- | --- |\n| Minka\\|Tom | 7 |"
    )
    assert (found.pages, found.is_cut, found.next_page) == (None, False, None)


def test_the_parts_of_a_document_are_the_document() -> None:
    content = word(*(f"paragraph {number} of many" for number in range(50)))
    parts = [read(source(content, 1, 300))]
    while (number := parts[-1].next_page) is not None:
        parts.append(read(source(content, number, 300)))
    assert len(parts) > 3
    assert all(len(part.text) <= 300 for part in parts)
    whole = read(source(content)).text
    assert "\n".join(part.text for part in parts) == whole


def test_nothing_of_a_paragraph_that_is_longer_than_a_part_is_left_out() -> None:
    content = word("short", "x" * 700, "the end")
    parts = [read(source(content, 1, 300))]
    while (number := parts[-1].next_page) is not None:
        parts.append(read(source(content, number, 300)))
    assert [part.is_cut for part in parts] == [True] * (len(parts) - 1) + [False]
    text = "".join(part.text for part in parts).replace("\n", "")
    assert text == "short" + "x" * 700 + "the end"


@pytest.mark.parametrize(
    ("content", "reason"),
    [
        (b"PK\x03\x04 word/ and no archive", module.BROKEN),
        (word("half of it")[:5_000], module.BROKEN),
        (with_entry("word/document.xml", b"<no XML"), module.BROKEN),
        (word(), module.EMPTY),
        (bomb(), module.TOO_MUCH),
    ],
    ids=["beginning", "half", "no XML", "empty", "bomb"],
)
def test_why_there_is_no_text_is_told(content: bytes, reason: str) -> None:
    with pytest.raises(NoText) as told:
        read(source(content))
    assert str(told.value) == reason


def test_a_bomb_of_entities_does_not_go_off() -> None:
    with pytest.raises(NoText, match=r"broken"):
        read(source(with_body(PARAGRAPH.format("&i;"), LAUGHS)))


def test_an_entity_that_names_a_file_is_left_out(tmp_path: Path) -> None:
    (tmp_path / "secret").write_text("swordfish")
    prologue = f"<!DOCTYPE x [<!ENTITY e SYSTEM 'file://{tmp_path}/secret'>]>"
    body = PARAGRAPH.format("before") + PARAGRAPH.format("&e;")
    assert read(source(with_body(body, prologue))).text.strip() == "before"


def test_tables_in_tables_end_somewhere() -> None:
    depth = 60
    cell = (
        "<w:tbl><w:tr><w:tc>" * depth
        + PARAGRAPH.format("deep")
        + ("</w:tc></w:tr></w:tbl>" * depth)
    )
    text = read(source(with_body(PARAGRAPH.format("before") + cell))).text
    assert "before" in text
    assert "deep" not in text
