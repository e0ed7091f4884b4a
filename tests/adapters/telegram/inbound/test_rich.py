"""Rich messages (Bot API 10.1): forwarded, said or replied to, they are read as Markdown."""

import pytest

from tests.adapters.telegram.serving import Serving
from tests.fakes.telegram import FakeTelegram, Person, media
from tests.fakes.telegram.world import Json


def paragraph(*text: object) -> Json:
    return {"type": "paragraph", "text": list(text)}


def item(*blocks: Json, **more: object) -> Json:
    return {"label": "•", "blocks": list(blocks), **more}


BLOCKS = [
    ({"type": "heading", "text": "Soup", "size": 2}, "## Soup"),
    (
        paragraph("hot ", {"type": "bold", "text": ["very", {"type": "italic", "text": " so"}]}),
        "hot very so",
    ),
    (
        paragraph({"type": "url", "text": "here", "url": "https://e.org"}, " or ", "there"),
        "here (https://e.org) or there",
    ),
    (
        paragraph(
            {"type": "code", "text": "x"},
            {"type": "mathematical_expression", "expression": "y^2"},
            {"type": "custom_emoji", "custom_emoji_id": "7", "alternative_text": "🍲"},
        ),
        "`x`$y^2$🍲",
    ),
    ({"type": "pre", "text": "a\n```\nb", "language": "md"}, "````md\na\n```\nb\n````"),
    ({"type": "mathematical_expression", "expression": "a+b"}, "$$\na+b\n$$"),
    ({"type": "divider"}, "---"),
    (
        {
            "type": "list",
            "items": [
                item(paragraph("eggs"), {"type": "list", "items": [item(paragraph("two"))]}),
                item(paragraph("flour"), has_checkbox=True, is_checked=True),
                item(paragraph("stir"), value=3),
            ],
        },
        "- eggs\n\n  - two\n- [x] flour\n3. stir",
    ),
    (
        {"type": "blockquote", "blocks": [paragraph("one"), paragraph("two")], "credit": "Ada"},
        "> one\n>\n> two\n> (Ada)",
    ),
    ({"type": "pullquote", "text": "less is more"}, "> less is more"),
    (
        {
            "type": "table",
            "caption": "Prices",
            "cells": [[{"text": "a|b"}, {"text": "€"}], [{"text": "egg"}, {}]],
        },
        "Prices\n| a\\|b | € |\n|---|---|\n| egg |  |",
    ),
    (
        {"type": "details", "summary": "More", "blocks": [paragraph("hidden")]},
        "More\n\nhidden",
    ),
    (
        {"type": "photo", "photo": [], "caption": {"text": "my soup", "credit": "Bob"}},
        "[A picture] my soup Bob",
    ),
    (
        {"type": "map", "location": {"latitude": 52.5, "longitude": 13.4}, "zoom": 14},
        "[Map: 52.5, 13.4]",
    ),
    ({"type": "of tomorrow", "text": "still read"}, "still read"),
]


@pytest.mark.parametrize(("block", "text"), BLOCKS, ids=[block["type"] for block, _ in BLOCKS])
async def test_a_block_is_read_as_markdown(
    fake: FakeTelegram, ada: Person, serving: Serving, block: Json, text: str
) -> None:
    fake.people.send(ada, media.rich(paragraph("see"), block))
    assert (await serving.inbound()).text == f"see\n\n{text}"


async def test_a_rich_message_can_be_forwarded_and_replied_to(
    fake: FakeTelegram, ada: Person, serving: Serving
) -> None:
    other = fake.people.person("Robo", is_bot=True)
    answer = media.rich(paragraph("the answer")) | media.forwarded(user=other)
    forwarded = fake.people.send(ada, answer)
    fake.people.say(ada, "is that right?", reply_to=forwarded)
    first, second = await serving.inbound(0), await serving.inbound(1)
    assert (first.text, first.forwarded_from) == ("the answer", "Robo")
    assert second.quoted_text == "the answer"


async def test_in_a_group_a_mention_in_a_rich_message_counts(
    fake: FakeTelegram, ada: Person, serving: Serving
) -> None:
    group = fake.people.group("Kitchen")
    me = {"type": "mention", "text": "@hermes_test_bot", "username": "hermes_test_bot"}
    fake.people.send(ada, media.rich(paragraph("soup?")), chat=group)
    fake.people.send(ada, media.rich(paragraph("ask"), paragraph(me, " soup?")), chat=group)
    assert not (await serving.inbound(0)).is_addressed
    event = await serving.inbound(1)
    assert (event.is_addressed, event.text) == (True, "ask\n\n soup?")


async def test_one_that_says_nothing_is_no_message(
    fake: FakeTelegram, ada: Person, serving: Serving
) -> None:
    fake.people.send(ada, media.rich())
    fake.people.send(ada, {"rich_message": "of another world"})
    fake.people.say(ada, "hello")
    assert (await serving.inbound()).text == "hello"
