"""`check` reads something, and says if the readers are not shut in as well as they could be."""

import platform

import pytest

from config.settings import Settings
from gateway.cli.reading_check import reading_works
from gateway.errors import StartupError
from gateway.reading import readers
from gateway.reading.shutting import landlock_version


@pytest.mark.parametrize("machine", ["x86_64", "riscv64"])
async def test_it_says_how_readers_are_shut_in(
    monkeypatch: pytest.MonkeyPatch, machine: str
) -> None:
    monkeypatch.setattr(platform, "machine", lambda: machine)
    said = await reading_works(Settings())
    assert said.startswith("pages and documents are read apart")
    assert ("filter" in said) is (machine == "riscv64")
    assert ("Landlock" in said) is (landlock_version() == 0)


async def test_it_says_that_nothing_can_be_read(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(readers, "PROGRAM", "no_such_program")
    with pytest.raises(StartupError, match="can't be read"):
        await reading_works(Settings())
