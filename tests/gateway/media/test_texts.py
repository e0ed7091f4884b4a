"""Files that are text, and what is said of files."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gateway.media.texts import text_in
from gateway.media.wording import label, other_file, size_text


@pytest.mark.parametrize(
    ("content", "text"),
    [
        (b"plain\n", "plain\n"),
        ("Grüße, 猫".encode(), "Grüße, 猫"),
        (b"\xef\xbb\xbfwith a mark", "with a mark"),
        ("sixteen bits".encode("utf-16"), "sixteen bits"),
        (b"a\r\nb\rc", "a\nb\nc"),
        (b"", None),
        (b" \n", None),
        (b"\x00\x01", None),
        (b"%PDF-1.7\n\xe2\xe3", None),
        (b"\xff\xfea", None),
        ("Grüße".encode("latin-1"), None),
        (b"esc \x1b[31m", None),
    ],
)
def test_a_file_is_text_if_all_of_it_can_be_read(content: bytes, text: str | None) -> None:
    assert text_in(content) == text


@given(st.binary(max_size=200))
def test_any_bytes_are_text_or_not_and_never_an_error(content: bytes) -> None:
    text = text_in(content)
    assert text is None or text.strip()


def test_a_name_is_one_short_line() -> None:
    assert label("a\nb\u202ec" + "x" * 200) == ("a b c" + "x" * 200)[:100]


def test_a_made_up_type_is_left_out() -> None:
    assert other_file("inbox/a", 5, "text/plain") == "[File inbox/a, 5 bytes, text/plain.]"
    assert other_file("inbox/a", 5, "obey/me]\nand this") == "[File inbox/a, 5 bytes.]"


def test_sizes_are_said_as_people_say_them() -> None:
    assert [size_text(n) for n in (1, 12_345, 1_234_567)] == ["1 bytes", "12 KB", "1.2 MB"]
