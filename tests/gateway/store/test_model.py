"""Any sequence of history operations does to the store what it does to a plain list."""

import asyncio
import tempfile
from datetime import UTC, datetime
from pathlib import Path

from hypothesis import given, settings
from hypothesis import strategies as st

from gateway.store.base import Message
from gateway.store.rows import from_row, to_row
from gateway.store.sqlite import SqliteStore

json_values = st.recursive(
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats(allow_nan=False, allow_infinity=False)
    | st.text(st.characters()),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(), inner, max_size=3),
    max_leaves=6,
)
messages = st.fixed_dictionaries(
    {"role": st.sampled_from(["user", "assistant", "tool"]), "content": json_values}
)
batches = st.lists(messages, max_size=4)
operations = st.lists(
    st.one_of(
        st.tuples(st.just("append"), batches),
        st.tuples(st.just("replace"), batches),
        st.tuples(st.just("truncate"), st.integers(min_value=0, max_value=8)),
        st.tuples(st.just("reopen"), st.none()),
        st.tuples(st.just("new session"), st.none()),
        st.tuples(st.just("cancel"), batches),
    ),
    max_size=12,
)


def now() -> datetime:
    return datetime(2030, 1, 1, tzinfo=UTC)


async def run(path: Path, steps: list[tuple[str, object]]) -> None:
    store = await SqliteStore.open(path, now=now)
    model: list[Message] = []
    try:
        id_ = (await store.current_session("console")).id
        for name, value in steps:
            if name == "truncate":
                assert isinstance(value, int)
                await store.truncate_messages(id_, value)
                model = model[:value]
            elif name == "reopen":
                await store.close()
                store = await SqliteStore.open(path, now=now)
                assert (await store.current_session("console")).id == id_
            elif name == "new session":
                id_ = (await store.begin_session("console", "new")).id
                model = []
            else:
                assert isinstance(value, list)
                if name == "append":
                    await store.append_messages(id_, value)
                    model = model + value
                elif name == "replace":
                    await store.replace_messages(id_, value)
                    model = list(value)
                else:
                    task = asyncio.create_task(store.replace_messages(id_, value))
                    await asyncio.sleep(0)
                    task.cancel()
                    await asyncio.gather(task, return_exceptions=True)
                    after = await store.history(id_)
                    assert after in (model, value)
                    model = after
            assert await store.history(id_) == model
    finally:
        await store.close()


@settings(max_examples=40, deadline=None)
@given(operations)
def test_a_stored_history_behaves_like_a_list(steps: list[tuple[str, object]]) -> None:
    with tempfile.TemporaryDirectory() as folder:
        asyncio.run(run(Path(folder) / "hermes.db", steps))


@given(messages)
def test_any_message_comes_back_from_its_row(message: Message) -> None:
    row = to_row(message)
    assert from_row(row.message) == message
    row.message.encode("utf-8")
    row.text.encode("utf-8")
