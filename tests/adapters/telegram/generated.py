"""Markdown of every kind that an answer may have, made up by Hypothesis, from nothing to 60,000
characters.

Words that are to be followed are written as `q1q`, `q2q` and so on, in reading order, wherever
they stand: in styles, links, lists within lists, tables, quotations and code.
"""

import itertools
import random
import re

from hypothesis import strategies as st

LONGEST = 60_000
TINY, USUAL = (2, 3, 16), (100, 1000, 4096)
LIMIT = st.sampled_from([*TINY, *USUAL])

_HERE = "§"  # where a word that is followed is to stand
_FOLLOWED = re.compile(r"q\d+q")
_LANGUAGES = "alpha beta, gamma. 路面電車 Straße क्‍ष مرحبا می‌خواهم שלום e\u0301 ภาษาไทย 𝕳𝖊𝖑𝖑𝖔"
_EMOJI = "👨‍👩‍👧‍👦 👍🏽 🇩🇪 🏴󠁧󠁢󠁥󠁮󠁧󠁿 ❤️‍🔥"
_OTHERS = "List<int> a_b 2*3 https://example.org/x_y_(z) snake_case $5 \\* &amp; @carol <b>"
_LONG = ["w" * 300, "👍" * 150, "\n", "  \n"]
_WORDS = st.sampled_from(
    [*[_HERE] * 12, *_LANGUAGES.split(), *_EMOJI.split(), *_OTHERS.split(), *_LONG]
)
_TEXT = st.lists(_WORDS, min_size=1, max_size=12).map(" ".join)
_INLINE = st.one_of(
    _TEXT,
    _TEXT.map("**{}**".format),
    _TEXT.map("*{}*".format),
    _TEXT.map("~~{}~~".format),
    _TEXT.map("**a *{}* `c` b**".format),
    st.sampled_from([f"`{_HERE}`", f"``{_HERE} ` b``", f"[`{_HERE}`](https://example.org)"]),
    st.sampled_from([f"![{_HERE}](./x.png)", f"[{_HERE}](<a b>)", f"{_HERE}<br>{_HERE}"]),
    _TEXT.map("[{}](https://example.org/p)".format),
    _TEXT.map("||{}||".format),
    st.sampled_from(["$x_1 * y_2$", f"\\({_HERE}*b*c\\)", "said[^1]", f"||**{_HERE}** b||"]),
)
# Deferred, because Hypothesis would write out all of it wherever it stands.
_LINE = st.deferred(lambda: st.lists(_INLINE, min_size=1, max_size=4).map(" ".join))
CODE_LINES = st.lists(
    st.one_of(
        st.text("ab {}()*_<>\"'#:=+👍界\t", max_size=40),
        st.sampled_from([f"    {_HERE} = True", "y" * 500, f"\t{_HERE}", "", "- no list", "> x"]),
    ),
    max_size=30,
)
FENCE = st.sampled_from(["```", "~~~", "````", "~~~~~"])
_WITHIN = {"```": "~~~", "~~~": "```", "````": "```", "~~~~~": "~~~"}  # what is code in it
_CODE = st.tuples(FENCE, st.sampled_from(["", "python", "c++", "js title=x"]), CODE_LINES).map(
    lambda made: "\n".join([made[0] + made[1], *made[2], made[0]])
)
_FENCE_IN_FENCE = st.tuples(FENCE, CODE_LINES).map(
    lambda made: "\n".join([made[0], f"{_WITHIN[made[0]]}py", *made[1], _WITHIN[made[0]], made[0]])
)


def _moved(text: str, by: int) -> str:
    return "\n".join(f"{' ' * by}{line}" if line else "" for line in text.split("\n"))


def _list(marker: str, items: list[str]) -> str:
    """Items of one list, each of which may hold blocks."""
    within = len(marker) + 1
    return "\n".join(f"{marker} {_moved(item, within).lstrip()}" for item in items)


def _rows(columns: int, rows: list[list[str]]) -> str:
    """A table. Names of columns come again in each row of wide ones: nothing there is followed."""
    head = [f"|{'|'.join(['name'] * columns)}|", f"|{'---|' * columns}"]
    return "\n".join([*head, *(f"|{'|'.join(row)}|" for row in rows)])


_CELL = st.sampled_from(
    [_HERE, f"**{_HERE}**", f"`{_HERE}`", f"long {_HERE} " * 5, "", "👍", "שלום"]
)
_TABLE = st.integers(2, 12).flatmap(
    lambda columns: st.lists(
        st.lists(_CELL, min_size=columns, max_size=columns), min_size=1, max_size=6
    ).map(lambda rows: _rows(columns, rows))
)
_MARKER = st.sampled_from(["-", "*", "7.", "12)", "- [ ]"])
_LIST = st.recursive(
    st.one_of(_LINE, _CODE),
    lambda inner: st.tuples(_MARKER, st.lists(inner, min_size=1, max_size=3), _LINE).map(
        lambda made: f"{made[2].split(chr(10))[0]}\n{_list(made[0], made[1])}"
    ),
    max_leaves=8,
).map(lambda item: _list("-", [item]))
_BLOCK = st.one_of(
    _LINE,
    _CODE,
    _FENCE_IN_FENCE,
    _LINE.map("# {}".format),
    _LIST,
    st.tuples(_LINE, _CODE).map(lambda made: _list("1.", [f"{made[0]}\n\n{made[1]}"])),
    _LINE.map(lambda line: "> " + line.replace("\n", "\n> ")),
    _LINE.map(lambda line: "> > " + line.replace("\n", "\n> > ")),
    st.lists(_LINE, min_size=9, max_size=12).map(lambda lines: "> " + "\n> ".join(lines)),
    _CODE.map(lambda code: "> " + code.replace("\n", "\n> ")),
    _TABLE,
    st.just("界").map(lambda character: f"{_HERE} {character * 5_000} {_HERE}"),
    st.sampled_from(
        ["---", f"$$\n{_HERE} *b*\n$$", f"\\[ {_HERE} \\]", f"[^1]: {_HERE}", "[y]: https://e.org"]
    ),
)


BLOCK = st.deferred(lambda: _BLOCK)


def _numbered(markdown: str) -> str:
    numbers = itertools.count(1)
    return re.sub(_HERE, lambda _: f"q{next(numbers)}q", markdown)


def _filled(blocks: list[str], length: int, chance: random.Random) -> str:
    """These blocks in any order, again and again; cut off in the middle of whatever it is."""
    chosen: list[str] = []
    missing = length
    while missing > 0:
        chosen.append(chance.choice(blocks))
        missing -= len(chosen[-1]) + 2
    return _numbered("\n\n".join(chosen))[:length]


MARKDOWN = st.lists(BLOCK, max_size=8).map("\n\n".join).map(_numbered)
MARKDOWN_AND_LIMIT = st.one_of(
    st.tuples(MARKDOWN, st.sampled_from(USUAL)),
    # Enough for a hundred parts; more of them show nothing else.
    st.tuples(MARKDOWN.map(lambda markdown: markdown[:300]), st.sampled_from(TINY)),
)
ANY_LENGTH = st.tuples(
    st.lists(BLOCK, min_size=4, max_size=12),
    st.sampled_from([0, 1, 40, 500, 4_096, 4_097, 20_000, LONGEST]),
    st.integers(0, 1 << 32).map(random.Random),
).map(lambda made: _filled(*made))


def followed(text: str) -> list[str]:
    """The words that are followed, in their order."""
    return _FOLLOWED.findall(text)
