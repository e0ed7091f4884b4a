"""What the command line says when something is not as it should be."""

from pathlib import Path

import pytest

from tests.end_to_end.process import finished
from tests.fakes.telegram import FakeTelegram, Person


async def test_check_of_the_defaults_is_sound(tmp_path: Path) -> None:
    run = await finished("check", cwd=tmp_path)
    assert run.code == 0
    assert [line.split()[0] for line in run.stdout.splitlines()] == ["ok"] * 5
    assert "whoever uses this terminal may talk" in run.stdout


async def test_check_says_who_may_talk_on_telegram(
    tmp_path: Path, telegram: FakeTelegram, ada: Person
) -> None:
    (tmp_path / "hermes.yaml").write_text(
        f"telegram:\n  token: {telegram.token}\n  base_url: {telegram.base_url}\n"
        f"  allowed_users: [{ada.id}]\n"
    )
    run = await finished("check", cwd=tmp_path)
    assert run.code == 0
    assert "@hermes_test_bot; 1 user may talk" in run.stdout
    assert telegram.token not in run.stdout + run.stderr


async def test_check_shows_all_faults_at_once(tmp_path: Path, telegram: FakeTelegram) -> None:
    (tmp_path / "data").write_text("not a folder")
    (tmp_path / "hermes.yaml").write_text(
        f"telegram:\n  token: '123:wrong'\n  base_url: {telegram.base_url}\n"
    )
    run = await finished("check", cwd=tmp_path)
    assert run.code == 1
    faults = [line for line in run.stdout.splitlines() if line.startswith("ERROR")]
    assert len(faults) == 2
    assert "123:wrong" not in run.stdout + run.stderr


@pytest.mark.parametrize("command", ["run", "check"])
async def test_a_mistake_in_the_file_is_a_sentence_with_its_place(
    tmp_path: Path, command: str
) -> None:
    (tmp_path / "hermes.yaml").write_text("modell:\n  name: x\n")
    run = await finished(command, cwd=tmp_path)
    assert run.code == 1
    assert "hermes.yaml:1" in run.stderr
    assert "Traceback" not in run.stderr


async def test_a_damaged_database_is_a_sentence(tmp_path: Path) -> None:
    (tmp_path / "data").mkdir(mode=0o700)
    (tmp_path / "data" / "hermes.db").write_bytes(b"this is not a database at all" * 100)
    run = await finished("run", "--dev", cwd=tmp_path)
    assert run.code == 1
    assert run.stderr.startswith("hermes-gateway: ")
    assert "Traceback" not in run.stderr


async def test_a_traceback_is_shown_on_demand(tmp_path: Path) -> None:
    (tmp_path / "hermes.yaml").write_text("modell: x\n")
    run = await finished("run", "--debug", cwd=tmp_path)
    assert run.code == 1
    assert "Traceback" in run.stderr


async def test_an_unknown_command_is_a_usage_error(tmp_path: Path) -> None:
    run = await finished("frobnicate", cwd=tmp_path)
    assert run.code == 2


async def test_help_names_the_commands(tmp_path: Path) -> None:
    run = await finished("--help", cwd=tmp_path)
    assert all(name in run.stdout for name in ("run", "check", "agent", "bench"))


async def test_bench_passes_its_options_on(tmp_path: Path) -> None:
    run = await finished("bench", "--help", cwd=tmp_path)
    assert run.code == 0
    assert "--json" in run.stdout
