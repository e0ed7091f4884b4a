"""Which time zone a gateway lives in."""

from datetime import datetime, timedelta
from zoneinfo import ZoneInfo

import pytest

from gateway.errors import StartupError
from gateway.zone import load_zone


def test_a_named_zone_knows_when_its_clocks_change() -> None:
    zone = load_zone("Europe/Zurich")
    winter, summer = datetime(2031, 1, 1, tzinfo=zone), datetime(2031, 7, 1, tzinfo=zone)
    assert (winter.utcoffset(), summer.utcoffset()) == (timedelta(hours=1), timedelta(hours=2))


def test_without_a_name_it_is_the_machine_s(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TZ", "America/New_York")
    assert load_zone(None) == ZoneInfo("America/New_York")
    monkeypatch.delenv("TZ")
    assert datetime.now(load_zone(None)).utcoffset() == datetime.now().astimezone().utcoffset()


@pytest.mark.parametrize("name", ["Europe/Zürich", "../../etc/passwd", "Moon"])
def test_an_unknown_zone_is_a_sentence(name: str) -> None:
    with pytest.raises(StartupError, match="there is no such time zone"):
        load_zone(name)
