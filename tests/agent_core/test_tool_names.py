"""Which tool a model meant."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agent_core.tool_names import resolve

KNOWN = ("memory", "todo", "clarify", "look_up", "read_file", "read_files")


@pytest.mark.parametrize(
    ("written", "expected"),
    [
        *[(name, name) for name in KNOWN],
        ("Memory", "memory"),
        ("LOOK-UP", "look_up"),
        ("look up", "look_up"),
        ("LookUp", "look_up"),
        ("functions.look_up", "look_up"),
        ("look_up_tool", "look_up"),
        (" todo ", "todo"),
        ("memroy", "memory"),
        ("read_fil", "read_file"),
        ("", None),
        ("  ", None),
        ("___", None),
        ("launch_rocket", None),
        ("m", None),
    ],
)
def test_a_name_is_repaired_only_if_it_points_at_one_tool(
    written: str, expected: str | None
) -> None:
    assert resolve(written, KNOWN) == expected


@given(st.text(max_size=30), st.permutations(KNOWN))
def test_the_order_of_the_tools_does_not_matter(written: str, known: list[str]) -> None:
    assert resolve(written, known) == resolve(written, KNOWN)


@given(st.text())
def test_without_tools_nothing_is_meant(written: str) -> None:
    assert resolve(written, ()) is None
