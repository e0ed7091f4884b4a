"""Files that are shown together: where buttons stand then, what is taken away, what it costs."""

import asyncio
from collections.abc import Sequence
from pathlib import Path

import pytest

from adapters.base import (
    Address,
    Ambiguous,
    Button,
    ChatKind,
    MediaKind,
    OutgoingFile,
    Part,
    Rate,
    RateLimits,
    Rejected,
    Unreachable,
)
from gateway.delivery.gate import Gate
from gateway.delivery.persistence import Outcome
from gateway.delivery.reply import with_buttons
from gateway.delivery.screen import Screen
from tests.fakes import virtual_time
from tests.fakes.platform import FakePlatform, shown_as

CHAT = Address("telegram", "1", ChatKind.DIRECT)
BUTTONS = ((Button("Retry", "retry"),),)


@pytest.fixture
def files(tmp_path: Path) -> tuple[OutgoingFile, ...]:
    """Three files."""
    made = []
    for name in ("a.png", "b.png", "c.png"):
        (tmp_path / name).write_text(name)
        made.append(OutgoingFile(tmp_path / name, MediaKind.IMAGE, name))
    return tuple(made)


def seen(platform: FakePlatform) -> list[str]:
    return [shown_as(part) for part in platform.screens["1"].messages.values()]


def labelled(parts: Sequence[Part]) -> list[tuple[str, bool]]:
    return [(shown_as(part), bool(part.buttons)) for part in parts]


def test_buttons_stand_under_the_text_if_an_album_is_last(files: tuple[OutgoingFile, ...]) -> None:
    shown = with_buttons([Part("one"), Part("two"), Part("", files=files)], BUTTONS)
    assert labelled(shown) == [
        ("one", False),
        ("two", True),
        ("<a.png> <b.png> <c.png>", False),
    ]


def test_buttons_stand_under_a_single_file(files: tuple[OutgoingFile, ...]) -> None:
    shown = with_buttons([Part("one"), Part("", files=files[:1])], BUTTONS)
    assert labelled(shown) == [("one", False), ("<a.png>", True)]


def test_an_album_that_is_all_there_is_is_taken_apart_for_buttons(
    files: tuple[OutgoingFile, ...],
) -> None:
    shown = with_buttons([Part("Cats", "bold", files=files)], BUTTONS)
    assert labelled(shown) == [("<a.png>", False), ("<b.png>", False), ("<c.png>", True)]
    assert [part.text for part in shown] == ["Cats", "", ""]


def test_without_buttons_nothing_changes(files: tuple[OutgoingFile, ...]) -> None:
    parts = [Part("Cats", files=files)]
    assert with_buttons(parts, ()) == parts
    assert with_buttons([], BUTTONS) == []


async def test_all_of_an_album_is_taken_away(files: tuple[OutgoingFile, ...]) -> None:
    platform = FakePlatform()
    screen = Screen(platform, CHAT, Gate(platform.limits), backoff_s=(0, 0))
    assert await screen.show([Part("here", "formatted"), Part("", files=files)]) is Outcome.SHOWN
    assert seen(platform) == ["here", "<a.png>", "<b.png>", "<c.png>"]
    # Cut off after the first, it is begun anew: what is gone already is no error.
    delete = platform.delete
    failures = iter([None, Unreachable("refused")])

    async def fail_once(address: Address, message_id: str) -> None:
        if (error := next(failures, None)) is not None:
            raise error
        await delete(address, message_id)

    platform.delete = fail_once  # type: ignore[method-assign] # a network with a whim
    assert await screen.show([Part("here", "formatted"), Part("no", "formatted")]) is Outcome.SHOWN
    assert seen(platform) == ["here", "no"]


async def test_an_album_that_is_refused_becomes_one_sentence(
    files: tuple[OutgoingFile, ...],
) -> None:
    platform = FakePlatform()
    platform.fail("send", Rejected("no"))
    screen = Screen(platform, CHAT, Gate(platform.limits))
    await screen.show([Part("*Cats*", "formatted", files=files)])
    assert seen(platform) == ["I could not send a.png, b.png and c.png: they are refused."]
    assert next(iter(platform.screens["1"].messages.values())).payload is None


async def test_an_album_in_doubt_is_not_sent_again(files: tuple[OutgoingFile, ...]) -> None:
    platform = FakePlatform()
    platform.fail("send", Ambiguous("timed out"), done_all_the_same=True)
    screen = Screen(platform, CHAT, Gate(platform.limits))
    assert await screen.show([Part("", files=files)]) is Outcome.UNKNOWN
    assert seen(platform) == ["<a.png>", "<b.png>", "<c.png>"]
    assert await screen.show([Part("", files=files)]) is Outcome.SHOWN
    assert len(seen(platform)) == 3


def entered_at(limits: RateLimits, costs: Sequence[int], files: tuple[OutgoingFile, ...]) -> object:
    """When parts with so many files may go, one after the other."""

    async def enter() -> list[float]:
        gate, times = Gate(limits), []
        for cost in costs:
            await gate.enter(CHAT, Part("x", files=(files * 4)[:cost]))
            times.append(asyncio.get_running_loop().time())
        return times

    return virtual_time.run(enter())


def test_an_album_costs_its_messages_where_these_count(files: tuple[OutgoingFile, ...]) -> None:
    limits = RateLimits(total=Rate(per_s=1, burst=5), counts_files=True)
    assert entered_at(limits, [0, 3, 3, 1], files) == pytest.approx([0, 0, 2, 3])
    assert entered_at(RateLimits(total=limits.total), [3, 3, 3, 3, 3, 3], files) == pytest.approx(
        [0, 0, 0, 0, 0, 1]
    )


def test_more_than_a_bucket_holds_waits_and_does_not_wait_for_ever(
    files: tuple[OutgoingFile, ...],
) -> None:
    limits = RateLimits(total=Rate(per_s=1, burst=5), counts_files=True)
    assert entered_at(limits, [10, 1], files) == pytest.approx([5, 11])


def test_on_credit_an_album_goes_at_once_and_the_next_waits(
    files: tuple[OutgoingFile, ...],
) -> None:
    limits = RateLimits(chat=Rate(per_s=1, credit=10), counts_files=True)
    assert entered_at(limits, [0, 10, 0, 0], files) == pytest.approx([0, 1, 11, 12])
