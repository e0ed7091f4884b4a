"""Code and hidden links are still there when a text has lost its styles."""

import pytest

from adapters.telegram.inbound.entities import Found, Me, without_me
from adapters.telegram.inbound.markup import marked_up
from tests.adapters.telegram.serving import Serving
from tests.fakes.telegram import FakeTelegram, Person


def styled(text: str, piece: str, kind: str, **more: str) -> Found:
    start = text.index(piece)
    return Found(kind, start, start + len(piece), piece, **more)  # type: ignore[arg-type] # url and language only


@pytest.mark.parametrize(
    ("text", "piece", "kind", "more", "wanted"),
    [
        ("use len here", "len", "code", {}, "use `len` here"),
        ("a `tick` here", "`tick`", "code", {}, "a `tick` here"),
        (
            "look: x = 1\n  y = 2",
            "x = 1\n  y = 2",
            "pre",
            {"language": "python"},
            "look: \n```python\nx = 1\n  y = 2\n```",
        ),
        ("x = 1\nwhy?", "x = 1", "pre", {}, "```\nx = 1\n```\nwhy?"),
        ("see here.", "here", "text_link", {"url": "https://a.b/c"}, "see here (https://a.b/c)."),
        ("see https://a.b", "https://a.b", "text_link", {"url": "https://a.b"}, "see https://a.b"),
        ("so bold", "bold", "bold", {}, "so bold"),
    ],
)
def test_code_and_links_are_written_out(
    text: str, piece: str, kind: str, more: dict[str, str], wanted: str
) -> None:
    assert marked_up(text, [styled(text, piece, kind, **more)])[0] == wanted


def test_a_link_around_code_leads_somewhere_behind_it() -> None:
    text = "call len(x)"
    found = [
        styled(text, "len(x)", "text_link", url="https://a.b"),
        styled(text, "len(x)", "code"),
    ]
    assert marked_up(text, found)[0] == "call `len(x)` (https://a.b)"


def test_a_mention_behind_marks_is_still_found_and_taken_out() -> None:
    text = "😀 x = 1 @hermes what?"
    found = [styled(text, "x = 1", "code"), styled(text, "@hermes", "mention")]
    readable, moved = marked_up(text, found)
    assert moved[1].text == readable[moved[1].start : moved[1].end] == "@hermes"
    assert without_me(readable, moved, Me(1, "hermes")) == "😀 `x = 1` what?"


def test_a_command_keeps_its_arguments_as_they_are() -> None:
    text = "/model gpt-4"
    found = [styled(text, "/model", "bot_command"), styled(text, "gpt-4", "code")]
    assert marked_up(text, found) == (text, found)


async def test_it_holds_for_captions_and_counts_in_utf16_units(
    fake: FakeTelegram, ada: Person, serving: Serving
) -> None:
    message = fake.people.say(ada, "😀 see here")
    message.entities = [{"type": "text_link", "offset": 7, "length": 4, "url": "https://a.b/c"}]
    fake.updates.put("edited_message", message.to_json() | {"edit_date": 1})
    assert (await serving.edited(1)).message.text == "😀 see here (https://a.b/c)"
