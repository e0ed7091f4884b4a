"""Two who change the same notes at once: what each of them did is there afterwards."""

import pytest

from gateway.store.notes import merged


def notes(*entries: str) -> str:
    return "\n§\n".join(entries)


@pytest.mark.parametrize(
    ("before", "after", "present", "then"),
    [
        ("a", "a b", "a", "a b"),  # nobody else was there
        ("a", "a b", "a c", "a c b"),  # both have added something
        ("a b", "b", "a b c", "b c"),  # one has removed what the other knew nothing new of
        ("a b", "x b", "a y", "y x"),  # each has put something in the place of another entry
        ("a b", "a", "a", "a"),  # both have removed the same
        ("a", "x", "y", "y x"),  # both have changed the same: neither is lost
        ("a", "a b", "a b", "a b"),  # both have added the same
        ("", "a", "b", "b a"),
        ("a", "", "a b", "b"),
    ],
)
def test_what_both_did_is_there(before: str, after: str, present: str, then: str) -> None:
    texts = (notes(*text.split()) for text in (before, after, present))
    assert merged(*texts) == notes(*then.split())
