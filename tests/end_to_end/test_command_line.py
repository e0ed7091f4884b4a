"""What the command line says when something is not as it should be."""

import json
from pathlib import Path

import pytest

from tests.end_to_end.process import finished
from tests.fakes import transcription_server
from tests.fakes.model_server import KEY, ModelServer
from tests.fakes.telegram import FakeTelegram, Person


async def test_check_of_the_defaults_is_sound(tmp_path: Path) -> None:
    run = await finished("check", cwd=tmp_path)
    assert run.code == 0
    assert [line.split()[0] for line in run.stdout.splitlines()] == ["ok"] * 9
    assert "whoever uses this terminal may talk" in run.stdout
    assert "toolsets that are off: shell" in run.stdout
    assert "a program runs in" in run.stdout
    assert "pages and documents are read apart" in run.stdout


async def test_check_finds_a_rule_about_a_tool_that_nobody_knows(tmp_path: Path) -> None:
    (tmp_path / "hermes.yaml").write_text("tools:\n  rules:\n    - deny: [termnal]\n")
    run = await finished("check", "--offline", cwd=tmp_path)
    assert run.code == 1
    assert "no tool, toolset or risk is called 'termnal'" in run.stdout
    run = await finished("run", cwd=tmp_path)
    assert run.code == 1
    assert "no tool, toolset or risk is called 'termnal'" in run.stderr


async def test_check_says_who_may_talk_on_telegram(
    tmp_path: Path, telegram: FakeTelegram, ada: Person
) -> None:
    (tmp_path / "hermes.yaml").write_text(
        f"telegram:\n  token: {telegram.token}\n  base_url: {telegram.base_url}\n"
        f"  allowed_users: [{ada.id}]\n"
    )
    run = await finished("check", cwd=tmp_path)
    assert run.code == 0
    assert "@hermes_test_bot" in run.stdout
    assert "telegram: 1 member may talk; strangers are ignored" in run.stdout
    assert f"telegram:{ada.id}: member (telegram.allowed_users)" in run.stdout
    assert "telegram has no owner yet" in run.stdout
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


def model_settings(model: ModelServer, name: str = "fake-model", key: str = KEY) -> str:
    return f"  provider: openai\n  name: {name}\n  base_url: {model.base_url}\n  api_key: {key}\n"


async def test_check_asks_each_model_for_one_word(tmp_path: Path, model: ModelServer) -> None:
    (tmp_path / "hermes.yaml").write_text(
        f"model:\n{model_settings(model)}fallbacks:\n-\n{model_settings(model, 'other')}"
    )
    model.enqueue(text="ready")
    model.enqueue(status=500, body={"error": {"message": "out of order"}})
    run = await finished("check", "--dev", cwd=tmp_path)
    assert run.code == 1
    first, second = (line for line in run.stdout.splitlines() if line[6:].startswith("model"))
    assert first.startswith("ok    model          fake-model (openai) answered in")
    assert second.startswith("ERROR model          other: ")
    assert len(model.requests) == 2


async def test_check_says_that_a_key_is_wrong_and_not_which_it_is(
    tmp_path: Path, model: ModelServer
) -> None:
    (tmp_path / "hermes.yaml").write_text(f"model:\n{model_settings(model, key='sk-wrong-key')}")
    run = await finished("check", "--dev", cwd=tmp_path)
    assert run.code == 1
    (fault,) = (line for line in run.stdout.splitlines() if line.startswith("ERROR"))
    assert "key" in fault
    assert "sk-wrong-key" not in run.stdout + run.stderr


@pytest.mark.parametrize(("key", "code"), [(transcription_server.KEY, 0), ("sk-wrong", 1)])
async def test_check_tries_the_server_that_listens(tmp_path: Path, key: str, code: int) -> None:
    ears = transcription_server.TranscriptionServer(answers=[""])
    await ears.start()
    (tmp_path / "hermes.yaml").write_text(
        "media:\n  transcription:\n    model: whisper-1\n"
        f"    base_url: {ears.base_url}\n    api_key: {key}\n"
    )
    run = await finished("check", "--dev", cwd=tmp_path)
    await ears.stop()
    assert run.code == code
    assert ("whisper-1 listens" in run.stdout) is (code == 0)
    assert len(ears.received) == (code == 0)
    assert key not in run.stdout + run.stderr


async def test_check_notes_that_others_may_read_the_secrets(tmp_path: Path) -> None:
    dotenv = tmp_path / ".env"
    dotenv.write_text("A=1\n")
    dotenv.chmod(0o644)
    run = await finished("check", "--dev", cwd=tmp_path)
    assert run.code == 0
    assert f"note  secrets        others on this machine may read {dotenv}" in run.stdout
    dotenv.chmod(0o600)
    assert "others on this machine" not in (await finished("check", "--dev", cwd=tmp_path)).stdout


async def test_check_can_leave_the_network_alone(
    tmp_path: Path, model: ModelServer, telegram: FakeTelegram
) -> None:
    (tmp_path / "hermes.yaml").write_text(
        f"telegram:\n  token: {telegram.token}\n  base_url: {telegram.base_url}\n"
        f"model:\n{model_settings(model)}"
    )
    run = await finished("check", "--dev", "--offline", cwd=tmp_path)
    assert run.code == 0
    assert "telegram has no owner yet: `run` shows a code for that" in run.stdout
    assert model.requests == []
    assert telegram.calls_of("getMe") == []


async def test_check_tries_the_http_port(tmp_path: Path, model: ModelServer) -> None:
    port = model.base_url.removesuffix("/v1").rpartition(":")[2]
    (tmp_path / "hermes.yaml").write_text(f"http: {{port: {port}}}\n")
    run = await finished("check", "--dev", cwd=tmp_path)
    assert run.code == 1
    assert f"127.0.0.1:{port} can't be opened" in run.stdout


async def test_the_settings_are_printed_with_their_secrets_hidden(tmp_path: Path) -> None:
    (tmp_path / "hermes.yaml").write_text("telegram: {token: '${T}', allowed_users: [42]}\n")
    (tmp_path / ".env").write_text("T=123:secret-token\n")
    run = await finished("config", "--print", cwd=tmp_path)
    assert run.code == 0
    assert "token: (hidden)" in run.stdout
    assert "- 42" in run.stdout
    assert "secret-token" not in run.stdout + run.stderr


async def test_the_schema_is_printed_for_editors(tmp_path: Path) -> None:
    run = await finished("config", "--schema", cwd=tmp_path)
    assert json.loads(run.stdout)["properties"]["telegram"]["properties"]["token"]


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
    assert all(
        name in run.stdout for name in ("run", "check", "agent", "bench", "export", "backup")
    )


async def test_bench_passes_its_options_on(tmp_path: Path) -> None:
    run = await finished("bench", "--help", cwd=tmp_path)
    assert run.code == 0
    assert "--json" in run.stdout
