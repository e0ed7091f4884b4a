"""Compiled code on disk: loaded only if nobody else can have written it."""

import os
from collections.abc import Callable
from pathlib import Path

import pytest

from gateway.runtime.code_cache import CodeCache, UntrustedPath, default_folder, distrust

NOBODY = 65_534

needs_root = pytest.mark.skipif(os.geteuid() != 0, reason="only root may give files away")


def kept_code(folder: Path, key: str = "key") -> bytes | None:
    with CodeCache(folder).open(key) as path:
        return None if path is None else path.read_bytes()


@pytest.fixture
def kept(cache_folder: Path) -> Path:
    """The one file of a cache that holds `code` under `key`."""
    CodeCache(cache_folder).write("key", b"code")
    (path,) = cache_folder.iterdir()
    return path


def test_what_was_kept_is_found_by_its_key_only(cache_folder: Path, kept: Path) -> None:
    assert kept_code(cache_folder) == b"code"
    assert kept_code(cache_folder, "other") is None


def test_an_empty_place_holds_nothing(cache_folder: Path) -> None:
    assert kept_code(cache_folder) is None


@pytest.mark.parametrize("mode", [0o602, 0o666, 0o777])
def test_a_file_that_others_can_write_is_not_loaded(
    cache_folder: Path, kept: Path, mode: int
) -> None:
    kept.chmod(mode)
    assert kept_code(cache_folder) is None


def test_a_file_behind_a_symbolic_link_is_not_loaded(cache_folder: Path, kept: Path) -> None:
    elsewhere = cache_folder.parent / "elsewhere"
    kept.rename(elsewhere)
    kept.symlink_to(elsewhere)
    assert kept_code(cache_folder) is None


def test_a_folder_in_the_place_of_the_file_is_not_loaded(cache_folder: Path, kept: Path) -> None:
    kept.unlink()
    kept.mkdir()
    assert kept_code(cache_folder) is None


@needs_root
def test_a_file_of_another_user_is_not_loaded(cache_folder: Path, kept: Path) -> None:
    os.chown(kept, NOBODY, NOBODY)
    assert kept_code(cache_folder) is None


@needs_root
def test_a_folder_of_another_user_is_not_trusted(cache_folder: Path, kept: Path) -> None:
    os.chown(cache_folder, NOBODY, NOBODY)
    with pytest.raises(UntrustedPath, match="another user"):
        kept_code(cache_folder)
    with pytest.raises(UntrustedPath, match="another user"):
        CodeCache(cache_folder).write("key", b"more code")


@pytest.mark.parametrize("spoil", [lambda path: path.chmod(0o777), lambda path: path.chmod(0o702)])
def test_a_folder_that_others_can_write_is_not_trusted(
    cache_folder: Path, kept: Path, spoil: Callable[[Path], None]
) -> None:
    spoil(cache_folder)
    with pytest.raises(UntrustedPath, match="other users"):
        kept_code(cache_folder)


def test_a_folder_above_that_others_can_write_is_not_trusted(tmp_path: Path) -> None:
    above = tmp_path / "above"
    CodeCache(above / "cache").write("key", b"code")
    above.chmod(0o777)
    with pytest.raises(UntrustedPath, match="above can be written"):
        kept_code(above / "cache")
    above.chmod(0o1777)  # sticky, as /tmp
    assert kept_code(above / "cache") == b"code"


@needs_root
def test_a_group_with_others_in_it_is_not_trusted(tmp_path: Path) -> None:
    above = tmp_path / "above"
    CodeCache(above / "cache").write("key", b"code")
    os.chown(above, 0, NOBODY)
    above.chmod(0o775)
    with pytest.raises(UntrustedPath, match="other users"):
        kept_code(above / "cache")


def test_a_symbolic_link_in_the_place_of_the_folder_is_not_trusted(
    cache_folder: Path, kept: Path
) -> None:
    elsewhere = cache_folder.parent / "elsewhere"
    cache_folder.rename(elsewhere)
    cache_folder.symlink_to(elsewhere)
    with pytest.raises(UntrustedPath, match="not a plain folder"):
        kept_code(cache_folder)


def test_the_descriptor_that_was_checked_is_what_is_loaded(cache_folder: Path, kept: Path) -> None:
    with CodeCache(cache_folder).open("key") as path:
        assert path is not None
        if not path.is_relative_to("/proc/self/fd"):
            pytest.skip("only Linux has names for open files")
        kept.write_bytes(kept.read_bytes())
        other = cache_folder / "other"
        other.write_bytes(b"evil")
        other.replace(kept)
        assert path.read_bytes() == b"code"


def test_old_code_does_not_pile_up(cache_folder: Path) -> None:
    cache = CodeCache(cache_folder)
    for number in range(20):
        cache.write(f"key{number}", b"code")
    cache.write("key19", b"newer code")
    names = [path.name.partition(".")[0] for path in cache_folder.iterdir()]
    assert names.count("key19") == 1
    assert len(names) == 5
    assert kept_code(cache_folder, "key19") == b"newer code"


def test_writing_leaves_no_temporary_file_behind(cache_folder: Path, kept: Path) -> None:
    kept.unlink()
    kept.mkdir()  # the rename will fail
    with pytest.raises(OSError, match="directory"):
        CodeCache(cache_folder).write("key", b"code")
    assert list(cache_folder.iterdir()) == [kept]


def test_what_is_trusted_is_decided_by_owner_kind_and_mode(tmp_path: Path) -> None:
    tmp_path.chmod(0o700)
    assert distrust(tmp_path.lstat(), is_folder=True) is None
    assert distrust(tmp_path.lstat(), is_folder=False) == "is not a plain file"


@pytest.mark.parametrize(
    ("xdg", "expected"),
    [("/var/x", Path("/var/x/hermes-pywasm")), ("relative", None), ("", None)],
)
def test_the_place_follows_the_xdg_specification(
    monkeypatch: pytest.MonkeyPatch, xdg: str, expected: Path | None
) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", xdg)
    assert default_folder() == (expected or Path.home() / ".cache" / "hermes-pywasm")
