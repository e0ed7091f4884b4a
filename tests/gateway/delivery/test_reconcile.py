"""One screen, one wish: what is still to be done."""

from pathlib import Path

from hypothesis import given
from hypothesis import strategies as st

from adapters.base import MediaKind, OutgoingFile, Part
from gateway.delivery.reconcile import Delete, Edit, Send, Shown, next_step

FILE = OutgoingFile(Path("/outbox/a.png"), MediaKind.IMAGE, "a.png")

parts = st.lists(st.text("ab", min_size=1, max_size=2).map(Part), max_size=5)
mixed = st.lists(
    st.builds(Part, st.sampled_from(["a", "b"]), files=st.sampled_from([(), (FILE,), (FILE,) * 3])),
    max_size=5,
)


def test_a_screen_that_is_right_is_left_alone() -> None:
    assert next_step([Shown(("1",), Part("a"))], [Part("a")]) is None


def test_a_missing_part_is_sent() -> None:
    assert next_step([Shown(("1",), Part("a"))], [Part("a"), Part("b")]) == Send(1, Part("b"))


def test_a_changed_part_is_edited() -> None:
    assert next_step([Shown(("1",), Part("a"))], [Part("b")]) == Edit(0, Part("b"), "1")


def test_a_surplus_part_is_deleted() -> None:
    assert next_step([Shown(("1",), Part("a"))], []) == Delete(0, ("1",))


def test_a_message_that_somebody_deleted_is_sent_again() -> None:
    assert next_step([None], [Part("a")]) == Send(0, Part("a"))


def test_a_part_that_may_be_there_is_not_sent_again() -> None:
    assert next_step([Shown((), Part("a"))], [Part("a")]) is None


def test_a_message_without_an_id_is_not_edited_but_followed_by_the_right_text() -> None:
    assert next_step([Shown((), Part("a"))], [Part("b")]) == Send(0, Part("b"))


@given(parts, parts)
def test_any_screen_becomes_any_wish(before: list[Part], wanted: list[Part]) -> None:
    shown: list[Shown | None] = [Shown((str(n),), part) for n, part in enumerate(before)]
    steps = 0
    while (step := next_step(shown, wanted)) is not None:
        steps += 1
        match step:
            case Send(index, part):
                assert index == len(shown), "parts are sent in their order"
                shown.append(Shown((f"new{index}",), part))
            case Edit(index, part, message_id):
                shown[index] = Shown((message_id,), part)
            case Delete(index):
                del shown[index]
    assert [there.part for there in shown if there] == wanted
    assert steps <= max(len(before), len(wanted))


@given(mixed, mixed)
def test_no_file_is_ever_edited_and_what_is_sent_comes_in_order(
    before: list[Part], wanted: list[Part]
) -> None:
    shown = [Shown((str(n),), part) for n, part in enumerate(before)]
    steps = 0
    while (step := next_step(shown, wanted)) is not None:
        steps += 1
        match step:
            case Send(index, part):
                assert index == len(shown)
                shown.append(Shown((f"new{index}",), part))
            case Edit(index, part, message_id):
                assert not part.files
                assert not shown[index].part.files
                shown[index] = Shown((message_id,), part)
            case Delete(index):
                assert index == len(shown) - 1
                shown.pop()
    assert [there.part for there in shown] == wanted
    assert steps <= len(before) + len(wanted)
