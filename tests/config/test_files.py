"""Files that are not there, are no files, or are made to do harm."""

from collections.abc import Callable
from pathlib import Path

import pytest

import config
from config import ConfigInvalid, ConfigSyntax, ConfigUnreadable, Settings

Load = Callable[..., Settings]


def test_a_file_that_was_named_must_be_there(tmp_path: Path) -> None:
    with pytest.raises(ConfigUnreadable, match=r"^mine\.yaml: There is no such file\.$"):
        config.load(Path("mine.yaml"), environ={}, cwd=tmp_path)


def test_a_folder_is_not_a_file(tmp_path: Path) -> None:
    (tmp_path / "hermes.yaml").mkdir()
    with pytest.raises(ConfigUnreadable, match=r"^hermes\.yaml: This is a folder"):
        config.load(None, environ={}, cwd=tmp_path)


def test_a_link_that_leads_to_itself_is_named(tmp_path: Path) -> None:
    (tmp_path / "hermes.yaml").symlink_to("hermes.yaml")
    with pytest.raises(ConfigUnreadable, match=r"^hermes\.yaml: This is a symbolic link"):
        config.load(None, environ={}, cwd=tmp_path)


def test_a_link_to_nothing_is_not_taken_for_no_file(tmp_path: Path) -> None:
    (tmp_path / "hermes.yaml").symlink_to("gone.yaml")
    with pytest.raises(ConfigUnreadable, match="There is no such file"):
        config.load(None, environ={}, cwd=tmp_path)


def test_text_that_is_not_utf_8_is_named_with_its_line(load: Load) -> None:
    with pytest.raises(ConfigUnreadable, match=r"^hermes\.yaml:2: This is not UTF-8"):
        load("model: {}\ndata_dir: Köln\n".encode("latin-1"))


def test_a_huge_file_is_not_read_into_memory(load: Load) -> None:
    with pytest.raises(ConfigUnreadable, match="too large"):
        load("# x\n" * 500_000)


def test_deep_nesting_is_a_mistake_and_not_a_crash(load: Load) -> None:
    with pytest.raises(ConfigSyntax, match="nested too deeply"):
        load("data_dir: " + "[" * 5_000)


def test_aliases_of_aliases_do_not_fill_the_memory(load: Load) -> None:
    rows = ["a: &a [x, x, x, x, x, x, x, x, x, x]"]
    for previous, name in zip("abcdefgh", "bcdefghi", strict=True):
        rows.append(f"{name}: &{name} [{', '.join([f'*{previous}'] * 10)}]")
    with pytest.raises(ConfigInvalid, match="too large"):
        load("\n".join(rows))
