"""The task list: forgiving about how a model writes one."""

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agent_core.tools.todo import (
    MAX_CONTENT_CHARS,
    MAX_ITEMS,
    STATUSES,
    change_todos,
    open_todos,
    read_todos,
)

LIST = read_todos(
    [
        {"id": "1", "content": "Plan", "status": "completed"},
        {"id": "2", "content": "Build", "status": "in_progress"},
    ]
)


def test_without_todos_the_list_is_read() -> None:
    answer, todos = change_todos({}, LIST)
    assert todos == LIST
    assert answer["count"] == 2
    assert answer["summary"] == {
        "total": 2, "pending": 0, "in_progress": 1, "completed": 1, "cancelled": 0,
    }  # fmt: skip


def test_a_list_replaces_the_list() -> None:
    _, todos = change_todos({"todos": [{"id": "a", "content": "New", "status": "pending"}]}, LIST)
    assert [item["id"] for item in todos] == ["a"]


@pytest.mark.parametrize("merge", [True, "true", "True"])
def test_merging_changes_by_id_and_keeps_the_rest(merge: Any) -> None:
    given_items = [{"id": 2, "status": "done"}, {"id": "3", "content": "Test"}, {"content": "?"}]
    _, todos = change_todos({"todos": given_items, "merge": merge}, LIST)
    assert todos == [
        *LIST[:1],
        {"id": "2", "content": "Build", "status": "completed"},
        {"id": "3", "content": "Test", "status": "pending"},
    ]


@pytest.mark.parametrize(
    ("given_todos", "expected"),
    [
        (["Buy bread", "Bake"], [("1", "Buy bread", "pending"), ("2", "Bake", "pending")]),
        ('["Buy bread"]', [("1", "Buy bread", "pending")]),
        ("- Buy bread\n* Bake\n", [("1", "Buy bread", "pending"), ("2", "Bake", "pending")]),
        ({"id": 7, "task": "Eat", "status": "Done"}, [("7", "Eat", "completed")]),
        ([{"content": "a"}, {"id": "1", "content": "b"}], [("2", "a", "pending"),
                                                           ("1", "b", "pending")]),
        ([{"id": "x"}, None, 5], [("x", "(no description)", "pending"),
                                  ("1", "(no description)", "pending"), ("2", "5", "pending")]),
        ([{"content": "a", "status": "IN-PROGRESS"}], [("1", "a", "in_progress")]),
        ([{"content": "a", "status": "canceled"}], [("1", "a", "cancelled")]),
        ([{"content": "a", "status": 5}], [("1", "a", "pending")]),
        ([{"id": "1", "content": "a"}, {"id": "1", "content": "b"}], [("1", "b", "pending")]),
        ([], []),
    ],
)  # fmt: skip
def test_odd_lists_are_read(given_todos: Any, expected: list[tuple[str, str, str]]) -> None:
    _, todos = change_todos({"todos": given_todos}, LIST)
    assert [(item["id"], item["content"], item["status"]) for item in todos] == expected


def test_what_is_no_list_changes_nothing() -> None:
    answer, todos = change_todos({"todos": 5}, LIST)
    assert answer["success"] is False
    assert todos == LIST


def test_the_open_tasks_are_listed() -> None:
    assert open_todos(LIST) == "- [>] 2. Build"


json_values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(
        st.sampled_from(["id", "content", "status", "text"]), inner, max_size=4),
    max_leaves=8,
)  # fmt: skip


@given(json_values, json_values, st.lists(json_values, max_size=4))
def test_whatever_is_given_the_list_stays_a_list(todos: Any, merge: Any, before: list[Any]) -> None:
    arguments = {"todos": todos, "merge": merge}
    answer, changed = change_todos(arguments, read_todos(before))
    assert answer.get("todos", changed) == changed
    assert all(set(item) == {"id", "content", "status"} for item in changed)
    assert all(item["status"] in STATUSES and item["id"] for item in changed)
    assert len({item["id"] for item in changed}) == len(changed)


def test_it_does_not_grow_without_bound() -> None:
    many = [{"id": str(n), "content": "x" * 5_000} for n in range(300)]
    _, todos = change_todos({"todos": many}, [])
    assert len(todos) == MAX_ITEMS
    assert {len(item["content"]) for item in todos} == {MAX_CONTENT_CHARS}
    _, todos = change_todos({"todos": [{"id": "new", "content": "x"}], "merge": True}, todos)
    assert len(todos) == MAX_ITEMS
