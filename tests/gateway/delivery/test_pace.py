"""How often a growing message is edited."""

from gateway.delivery.pace import Pace


def test_each_flood_halves_the_edits_down_to_one_in_ten_seconds() -> None:
    pace = Pace(3.0)
    intervals = [(pace := pace.after_flood(1)).interval_s for _ in range(4)]
    assert intervals == [6, 10, 10, 10]


def test_a_stated_wait_holds_once() -> None:
    pace = Pace(1.0).after_flood(21)
    assert pace.pause_s == 21
    assert pace.after_success().pause_s == 2


def test_three_strikes_of_any_kind_end_the_edits() -> None:
    two = Pace(1.0).after_flood(1).after_failure().after_success()
    assert not two.is_hopeless
    assert two.after_failure().is_hopeless
