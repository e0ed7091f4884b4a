"""The kill test, at the length that a suite can bear; see `kill_test` for what it does."""

from pathlib import Path

import pytest

from tests.end_to_end.kill_test import KillTest


@pytest.mark.timeout(400)
async def test_kills_at_random_moments_neither_lose_nor_double_anything(tmp_path: Path) -> None:
    outcome = await KillTest(tmp_path, turns=160, kills=30, seed=3, dev=True).run()
    assert outcome.faults == []
    assert outcome.kills == 30
    assert outcome.resumed > 0, "no kill fell into a model call"
    habits = {
        "files",
        "albums",
        "changed",
        "emoji",
        "undone",
        "asked_again",
    }  # and, as chance has it, more
    assert habits <= outcome.happened.keys(), "not all that people do was seen to work"
