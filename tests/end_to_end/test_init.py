"""`hermes-gateway init`, as a newcomer at a pipe: what is asked, written, and left alone."""

import stat
from pathlib import Path

import pytest

from tests.end_to_end.process import Finished, finished
from tests.end_to_end.terminal import terminal
from tests.fakes.model_server import ModelServer
from tests.fakes.telegram import FakeTelegram

NOWHERE = "127.0.0.1:9"  # the discard port: nobody listens
DEMO, OPENAI, OTHER = "6", "2", "5"
TOKEN = "123456:AAE-secret-token"


async def init(
    folder: Path, *answers: str, arguments: tuple[str, ...] = (), **env: str
) -> Finished:
    lines = "".join(f"{answer}\n" for answer in answers)
    env = {"OLLAMA_HOST": NOWHERE, **env}
    return await finished("init", *arguments, cwd=folder, stdin=lines, **env)


def names_in(folder: Path) -> list[str]:
    return sorted(path.name for path in folder.iterdir())


async def test_without_answers_it_is_the_demo_and_passes_check(tmp_path: Path) -> None:
    run = await init(tmp_path, arguments=("--yes",))
    assert run.code == 0
    assert run.stdout.splitlines()[-1] == "Next: hermes-gateway check, then hermes-gateway run."
    assert not (tmp_path / ".env").exists()
    check = await finished("check", "--dev", cwd=tmp_path)
    assert check.code == 0
    assert "demo (demo) answered" in check.stdout


async def test_an_empty_pipe_answers_with_the_defaults(tmp_path: Path) -> None:
    asked, assumed = tmp_path / "asked", tmp_path / "assumed"
    asked.mkdir()
    assumed.mkdir()
    assert (await init(asked)).code == 0
    assert (await init(assumed, arguments=("--defaults",))).code == 0
    texts = {(folder / "hermes.yaml").read_text() for folder in (asked, assumed)}
    assert len(texts) == 1


async def test_a_local_server_that_answers_is_the_default(
    tmp_path: Path, model: ModelServer
) -> None:
    model.models = ["llama3.2", "qwen3"]
    address = model.base_url.removeprefix("http://").removesuffix("/v1")
    run = await init(tmp_path, OLLAMA_HOST=address)
    assert run.code == 0
    assert "Ollama on this machine, which has llama3.2, qwen3" in run.stdout
    text = (tmp_path / "hermes.yaml").read_text()
    assert f"base_url: {model.base_url}" in text
    assert "name: llama3.2" in text


async def test_secrets_go_into_dotenv_and_nowhere_else(tmp_path: Path) -> None:
    run = await init(tmp_path, OPENAI, "", "sk-secret-key", TOKEN, "42", "mine")
    assert run.code == 0
    dotenv = tmp_path / ".env"
    assert stat.S_IMODE(dotenv.stat().st_mode) == 0o600
    assert dotenv.read_text() == f"OPENAI_API_KEY=sk-secret-key\nTELEGRAM_BOT_TOKEN={TOKEN}\n"
    text = (tmp_path / "hermes.yaml").read_text()
    for secret in ("sk-secret-key", "AAE-secret-token"):
        assert secret not in text + run.stdout + run.stderr
    printed = await finished("config", "--print", cwd=tmp_path)
    assert "name: gpt-4.1-mini" in printed.stdout
    assert "- 42" in printed.stdout
    assert f"data_dir: {tmp_path / 'mine'}" in printed.stdout
    assert names_in(tmp_path) == [".env", "hermes.yaml"]


async def test_what_the_environment_has_is_not_asked_for(
    tmp_path: Path, telegram: FakeTelegram
) -> None:
    run = await init(
        tmp_path,
        *(OPENAI, "", "42"),
        OPENAI_API_KEY="sk-secret-key",
        TELEGRAM_BOT_TOKEN=telegram.token,
    )
    assert run.code == 0
    assert not (tmp_path / ".env").exists()
    assert "${TELEGRAM_BOT_TOKEN}" in (tmp_path / "hermes.yaml").read_text()
    assert "owners: [42]" in (tmp_path / "hermes.yaml").read_text()


async def test_what_is_there_is_kept_unless_a_person_says_yes(tmp_path: Path) -> None:
    file = tmp_path / "hermes.yaml"
    file.write_text("data_dir: precious\n")
    for run in (await init(tmp_path), await init(tmp_path, arguments=("--yes",))):
        assert run.code == 1
        assert "Nothing was changed." in run.stdout
        assert file.read_text() == "data_dir: precious\n"
    assert (await init(tmp_path, "y")).code == 0
    assert (tmp_path / "hermes.yaml.old").read_text() == "data_dir: precious\n"
    assert "data_dir: data" in file.read_text()


async def test_other_variables_in_dotenv_are_kept(tmp_path: Path) -> None:
    (tmp_path / ".env").write_text("# mine\nA=1\nTELEGRAM_BOT_TOKEN=old\n")
    assert (await init(tmp_path, DEMO, TOKEN)).code == 0
    assert (tmp_path / ".env").read_text() == f"# mine\nA=1\nTELEGRAM_BOT_TOKEN={TOKEN}\n"


async def test_a_missing_key_is_said_and_where_it_belongs(tmp_path: Path) -> None:
    run = await init(tmp_path, OPENAI)
    assert run.code == 0
    assert f"Still missing: a line `OPENAI_API_KEY=…` in {tmp_path / '.env'}." in run.stdout
    check = await finished("check", "--dev", cwd=tmp_path)
    assert check.code == 1
    assert "The environment variable OPENAI_API_KEY is not set." in check.stderr


@pytest.mark.parametrize(
    ("answers", "sentence"),
    [
        (["7"], "Type a number from 1 to 6."),
        ([OTHER, "localhost"], "http:// or https://"),
        ([OTHER, "http://u:p@h/v1"], "hold no password"),
        ([OPENAI, "", "two words"], "copy it once more"),
        ([DEMO, TOKEN, "@ada"], "must be a number, not a name"),
    ],
)
async def test_a_wrong_answer_in_a_pipe_is_a_sentence_and_writes_nothing(
    tmp_path: Path, answers: list[str], sentence: str
) -> None:
    run = await init(tmp_path, *answers)
    assert run.code == 1
    assert sentence in run.stderr
    assert "Traceback" not in run.stderr
    assert names_in(tmp_path) == []


async def test_a_folder_that_cannot_be_written_is_a_sentence(tmp_path: Path) -> None:
    run = await init(tmp_path, arguments=("--yes", "--config", "nowhere/hermes.yaml"))
    assert run.code == 1
    assert "can't be written: No such file or directory" in run.stderr
    assert "Traceback" not in run.stderr


async def test_a_person_is_asked_again_and_a_secret_is_not_shown(tmp_path: Path) -> None:
    async with terminal("init", cwd=tmp_path, OLLAMA_HOST=NOWHERE) as (screen, process):
        await screen.until("Number [6]: ")
        screen.type("nine\n")
        await screen.until("Type a number from 1 to 6.")
        await screen.until("Number [6]: ")
        screen.type("\n")
        await screen.until("Token (Enter: no Telegram): ")
        screen.type(f"{TOKEN}\n")
        await screen.until("numeric id")
        assert TOKEN not in screen.everything
        screen.type("\n")
        await screen.until("memory [data]: ")
        screen.type("\n")
        await screen.until("Token (Enter: no Discord): ")
        screen.type("\n")
        await screen.until("shows a code")
        assert await process.wait() == 0
        assert TOKEN not in screen.everything
    assert (tmp_path / ".env").read_text() == f"TELEGRAM_BOT_TOKEN={TOKEN}\n"


async def test_whoever_leaves_in_the_middle_leaves_nothing_behind(tmp_path: Path) -> None:
    async with terminal("init", cwd=tmp_path, OLLAMA_HOST=NOWHERE) as (screen, process):
        await screen.until("Number [6]: ")
        screen.type("\x04")  # Ctrl-D
        assert await process.wait() == 130
    assert names_in(tmp_path) == []


async def test_discord_is_asked_for_and_its_token_goes_where_secrets_go(tmp_path: Path) -> None:
    run = await init(tmp_path, "", "", "", TOKEN, "1234567890123456789")
    assert run.code == 0
    text = (tmp_path / "hermes.yaml").read_text()
    assert "discord:" in text
    assert "token: ${DISCORD_BOT_TOKEN}" in text
    assert "owners: [1234567890123456789]" in text
    assert TOKEN not in text
    assert f"DISCORD_BOT_TOKEN={TOKEN}" in (tmp_path / ".env").read_text()
    check = await finished("config", "--print", cwd=tmp_path)
    assert check.code == 0
