"""Which settings take effect at once: each stands in one table, and only those are taken over."""

from collections.abc import Iterator
from pathlib import Path

from pydantic import BaseModel

from config.live import AT_THE_START, LIVE, change
from config.settings import Settings


def leaves(section: BaseModel, prefix: str = "") -> Iterator[str]:
    for key in type(section).model_fields:
        value = getattr(section, key)
        if isinstance(value, BaseModel):
            yield from leaves(value, f"{prefix}{key}.")
        else:
            yield f"{prefix}{key}"


def test_each_setting_stands_in_exactly_one_table() -> None:
    for name in leaves(Settings()):
        rows = [row for row in (*LIVE, *AT_THE_START) if f"{name}.".startswith(f"{row}.")]
        assert len(rows) == 1, f"{name} is in {rows}"


def test_each_row_names_a_setting() -> None:
    names = [f"{name}." for name in leaves(Settings())]
    for row in (*LIVE, *AT_THE_START):
        assert any(name.startswith(f"{row}.") for name in names), row


def test_only_what_is_live_is_taken_over() -> None:
    old = Settings()
    new = Settings.model_validate(
        {
            "data_dir": "/elsewhere",
            "telegram": {"token": "123:abc", "allowed_users": [7]},
            "chats": {"busy": "steer"},
            "model": {"name": "other"},
            "models": [{"name": "third"}],
        }
    )
    found = change(old, new)
    assert found.live == (
        "model.name",
        "models",
        "chats.busy",
        "telegram.allowed_users",
    )
    assert found.at_the_start == ("data_dir", "telegram.token")
    assert found.settings.chats.busy == "steer"
    assert found.settings.telegram.allowed_users == (7,)
    assert found.settings.telegram.token is None
    assert found.settings.data_dir == old.data_dir != Path("/elsewhere")
    assert found.settings.models == new.models


def test_settings_that_are_the_same_change_nothing() -> None:
    found = change(Settings(), Settings())
    assert (found.live, found.at_the_start, found.settings) == ((), (), Settings())
