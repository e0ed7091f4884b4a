"""Which files go together, and what is said of them."""

from dataclasses import replace
from itertools import chain, pairwise
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from adapters.base import MediaKind, OutgoingFile
from adapters.base.albums import Item, caption_of, together

items = st.lists(
    st.builds(
        lambda number, sort, size: Item(named(str(number)), sort, size),
        st.integers(0, 99),
        st.sampled_from(["seen", "heard", None]),
        st.integers(0, 9),
    ),
    max_size=25,
)


def named(name: str, caption: str = "") -> OutgoingFile:
    return OutgoingFile(Path("/outbox") / name, MediaKind.FILE, name, caption)


@given(items, st.integers(1, 10), st.none() | st.integers(1, 40))
def test_no_file_is_lost_or_moved_and_no_album_is_too_large(
    items: list[Item], most: int, most_bytes: int | None
) -> None:
    albums = together(items, most, most_bytes)
    assert list(chain.from_iterable(albums)) == [item.file for item in items]
    rest = iter(items)
    for album in albums:
        those = [next(rest) for _ in album]
        assert 1 <= len(album) <= most
        assert len(album) == 1 or len({item.sort for item in those}) == 1
        assert len(album) == 1 or None not in {item.sort for item in those}
        if most_bytes is not None and len(album) > 1:
            assert sum(item.size_bytes for item in those) <= most_bytes


@given(items, st.integers(2, 10))
def test_neighbours_of_one_sort_are_parted_by_the_limit_alone(items: list[Item], most: int) -> None:
    albums = together(items, most, None)
    sorts = [item.sort for item in items]
    start = 0
    for album, following in pairwise(albums):
        end = start + len(album)
        is_full = len(album) == most
        assert is_full or sorts[end - 1] is None or sorts[end - 1] != sorts[end], following
        start = end


@pytest.mark.parametrize(
    ("captions", "said"),
    [
        ([], ""),
        (["", ""], ""),
        (["", "*Cats*", ""], "*Cats*"),
        (["Cats", "Dogs"], "1\\. Cats  \n2\\. Dogs"),
        (["Cats", "", "Two\nlines"], "1\\. Cats  \n3\\. Two lines"),
    ],
)
def test_several_texts_have_the_numbers_of_their_files(captions: list[str], said: str) -> None:
    assert caption_of([replace(named("a"), caption=caption) for caption in captions]) == said
