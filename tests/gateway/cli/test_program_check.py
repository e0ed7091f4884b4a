"""`check` runs a program, and says what is missing where that can't be."""

import re

import pytest

from config.code import CodeSettings
from config.settings import Settings
from gateway.cli.program_check import programs_run
from gateway.errors import StartupError


async def test_a_program_is_run() -> None:
    assert re.fullmatch(r"a program runs in \d+ ms", await programs_run(Settings()))


async def test_why_no_program_runs_is_a_sentence() -> None:
    code = CodeSettings().model_copy(update={"memory_mb": 1})  # less than any program needs
    with pytest.raises(StartupError, match="No room to run a program"):
        await programs_run(Settings(code=code))
