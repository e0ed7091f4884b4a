"""The first file of somebody is good, whatever they answered; secrets stay in `.env`."""

import re
import tempfile
from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from config import Settings
from config.environment import read_environment
from config.starter import Starter, starter
from config.variables import with_variables

Load = Callable[..., Settings]

LOCAL = Starter("openai", "qwen3", "http://127.0.0.1:11434/v1")
OPENAI = Starter("openai", "gpt-4.1-mini", key_variable="OPENAI_API_KEY")
TELEGRAM = Starter(token_variable="TELEGRAM_BOT_TOKEN", owners=(42,), data_dir="~/a: b #c")


def test_no_answers_are_the_demo(load: Load, tmp_path: Path) -> None:
    assert load(starter(Starter())) == Settings(data_dir=tmp_path / "data")


def test_a_local_server_needs_no_key(load: Load) -> None:
    model = load(starter(LOCAL)).model
    assert (model.provider, model.name) == ("openai", "qwen3")
    assert str(model.base_url) == "http://127.0.0.1:11434/v1"
    assert model.api_key is None


def test_a_key_is_read_from_dotenv(load: Load) -> None:
    dotenv = with_variables("", {"OPENAI_API_KEY": "sk-1"})
    key = load(starter(OPENAI), dotenv).model.api_key
    assert key is not None
    assert key.get_secret_value() == "sk-1"


def test_telegram_and_a_folder_with_a_difficult_name(load: Load) -> None:
    settings = load(starter(TELEGRAM), TELEGRAM_BOT_TOKEN="1:A")
    assert settings.telegram.token is not None
    assert settings.telegram.owners == (42,)
    assert settings.data_dir == Path.home() / "a: b #c"


@pytest.mark.parametrize("answers", [Starter(), LOCAL, OPENAI, TELEGRAM])
def test_what_is_suggested_works_when_the_comment_signs_are_taken_off(
    answers: Starter, load: Load
) -> None:
    text = re.sub(r"(?m)^#(?! )(.*)\n#(?=  \w)", r"\1\n", starter(answers))
    settings = load(text, OPENAI_API_KEY="k", TELEGRAM_BOT_TOKEN="1:A")
    assert settings.http.port == 9464
    assert settings.agent.identity is not None
    assert settings.chats.streaming is False
    assert settings.logging.format == "json"


def test_every_line_of_comment_fits_a_terminal() -> None:
    assert max(map(len, starter(TELEGRAM).splitlines())) <= 100


def test_an_editor_is_told_where_the_schema_is() -> None:
    text = starter(Starter(schema="/opt/hermes/hermes.schema.json"))
    assert text.startswith("# yaml-language-server: $schema=/opt/hermes/hermes.schema.json\n")


def test_what_else_is_in_dotenv_stays_as_it_was() -> None:
    old = "# mine\nA=1\n\n# the key\nexport KEY='old' # really\nB='x\ny'\nKEY=again"
    new = with_variables(old, {"KEY": "sk-2", "TOKEN": "1:A"})
    assert new == "# mine\nA=1\n\n# the key\nKEY=sk-2\nB='x\ny'\nTOKEN=1:A\n"


def test_a_file_without_a_line_break_at_its_end_gets_one() -> None:
    assert with_variables("A=1", {"B": "2"}) == "A=1\nB=2\n"


@given(st.text(st.characters(min_codepoint=33, max_codepoint=126), min_size=1))
def test_any_secret_is_read_back_as_it_was_written(secret: str) -> None:
    text = with_variables("OTHER='1'\nKEY=old\n", {"KEY": secret, "NEW": secret})
    assert variables(text) == {"OTHER": "1", "KEY": secret, "NEW": secret}


def variables(text: str) -> dict[str, str]:
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / ".env"
        file.write_text(text, encoding="utf-8")
        return dict(read_environment(file, ".env", {}, Path(folder)).values)
