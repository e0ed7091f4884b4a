"""What agents say is read as it was written, and nothing else is taken for it."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agent_core.wire import encode
from gateway.chats.messages import heard

json_values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False)
    | st.text(),
    lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner),
)  # fmt: skip


@given(st.lists(json_values, max_size=3))
def test_what_an_agent_has_written_is_heard(values: list[object]) -> None:
    messages = [{"type": "x", "value": value} for value in values]
    assert heard([encode(message) for message in messages]) == messages


@pytest.mark.parametrize(
    "line", ["", "{", "[]", '"type"', "{}", '{"type":1}', '{"type":"x","n":NaN}', '{"type":"x"} {}']
)
def test_what_is_no_message_is_refused(line: str) -> None:
    with pytest.raises(ValueError, match="line"):
        heard(['{"type":"x"}', line])
