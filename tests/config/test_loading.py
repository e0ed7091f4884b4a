"""What a good file, `.env` and the environment come to."""

from collections.abc import Callable
from pathlib import Path

import pytest

import config
from config import ConfigInvalid, Settings

Load = Callable[..., Settings]


def defaults(folder: Path) -> Settings:
    return Settings(data_dir=folder / "data")


@pytest.mark.parametrize("text", [None, "", "# nothing\n", "~\n", "---\n", "\ufeff", "{}\n"])
def test_a_file_that_says_nothing_gives_the_defaults(
    text: str | None, load: Load, tmp_path: Path
) -> None:
    assert load(text) == defaults(tmp_path)


def test_a_group_whose_lines_are_all_commented_out_is_the_default(
    load: Load, tmp_path: Path
) -> None:
    assert load("telegram:\n  # token: x\nmodel:\n") == defaults(tmp_path)


def test_words_that_older_yaml_takes_for_booleans_are_words_where_text_belongs(load: Load) -> None:
    for word in ("no", "yes", "on", "off", "y", "N", "12:30", "1_000", "0x1F", "2024-01-01"):
        assert load(f"agent: {{identity: {word}}}").agent.identity == word


@pytest.mark.parametrize(
    ("written", "meant"),
    [("yes", True), ("On", True), ("TRUE", True), ("'true'", True), ("no", False), ("off", False)],
)
def test_words_for_true_and_false_work_where_a_flag_belongs(
    written: str, meant: bool, load: Load
) -> None:
    assert load(f"chats: {{streaming: {written}}}").chats.streaming is meant


@pytest.mark.parametrize(
    "written",
    ["[42, -100]", "['42', '-100']", "'42, -100'", "42, -100", "${IDS}", "['42', '${ID}']"],
)
def test_ids_may_be_written_in_every_way_that_means_one_thing(written: str, load: Load) -> None:
    settings = load(f"telegram:\n  allowed_chats: {written}", IDS="42,-100", ID="-100")
    assert settings.telegram.allowed_chats == (42, -100)


def test_one_id_is_a_list_of_one_and_nothing_an_empty_one(load: Load) -> None:
    telegram = load("telegram:\n  allowed_users: 42\n  allowed_chats:\n").telegram
    assert (telegram.allowed_users, telegram.allowed_chats) == ((42,), ())


def test_numbers_are_decimal(load: Load) -> None:
    assert load("chats: {inbox_size: 010}").chats.inbox_size == 10
    assert load("chats: {inbox_size: '1_000'}").chats.inbox_size == 1000
    assert load("chats: {clarify_timeout_s: 1e3}").chats.clarify_timeout_s == 1000.0


def test_a_token_with_a_colon_needs_no_quotes_and_is_never_shown(load: Load) -> None:
    settings = load("telegram:\n  token: 123:ABC\n")
    assert settings.telegram.token is not None
    assert settings.telegram.token.get_secret_value() == "123:ABC"
    assert "ABC" not in repr(settings) + str(settings) + config.dump(settings)


def test_a_line_break_at_the_end_of_a_secret_is_a_slip_of_copying(load: Load) -> None:
    token = load("telegram:\n  token: ${T}\n", T=" 1:A\n").telegram.token
    assert token is not None
    assert token.get_secret_value() == "1:A"


def test_anchors_aliases_and_merge_keys_work(load: Load) -> None:
    settings = load(
        "telegram:\n  allowed_users: &ids [1]\n  allowed_chats: *ids\n"
        "model: &m {tries: 2, temperature: 1}\n"
        "agent: {max_iterations: 3}\n"
    )
    assert settings.telegram.allowed_users == settings.telegram.allowed_chats == (1,)
    merged = load("model:\n  <<: [{tries: 2, top_p: 1}, {tries: 3}]\n  top_p: 0.5\n").model
    assert (merged.tries, merged.top_p) == (2, 0.5)


def test_a_variable_is_put_into_a_text_wherever_it_stands(load: Load) -> None:
    settings = load("agent: {identity: 'I am ${WHO}, ${AGE:-young}. $${WHO} costs 5 $'}", WHO="Ada")
    assert settings.agent.identity == "I am Ada, young. ${WHO} costs 5 $"


def test_what_a_variable_holds_is_never_yaml_and_never_replaced_again(load: Load) -> None:
    text = "agent: {identity: '${A}'}"
    assert load(text, A="x}\nmodel: {name: y}").agent.identity == "x}\nmodel: {name: y}"
    assert load(text, A="${B}").agent.identity == "${B}"
    assert load("", HERMES_MODEL="${B}", OPENAI_API_KEY="k").model.name == "${B}"


def test_an_empty_variable_leaves_an_optional_setting_unset(load: Load) -> None:
    assert load("telegram: {token: '${T}'}", T="").telegram.token is None
    assert load("model: {temperature: '${T:-}'}").model.temperature is None


def test_dotenv_gives_what_the_environment_lacks_and_never_changes_what_it_has(load: Load) -> None:
    dotenv = "export A='from file'\nB=from file # really\n"
    text = "agent: {identity: '${A}, ${B}'}"
    assert load(text, dotenv, B="from outside").agent.identity == "from file, from outside"
    assert load(text, dotenv, B="").agent.identity == "from file, "


def test_dotenv_is_read_beside_the_file_that_was_named(tmp_path: Path) -> None:
    (tmp_path / "etc").mkdir()
    (tmp_path / "etc" / "h.yaml").write_text("agent: {identity: '${WHO}'}", encoding="utf-8")
    (tmp_path / "etc" / ".env").write_text("WHO=Ada\n", encoding="utf-8")
    (tmp_path / ".env").write_text("WHO=Bob\n", encoding="utf-8")
    settings = config.load(Path("etc/h.yaml"), environ={}, cwd=tmp_path)
    assert settings.agent.identity == "Ada"


def test_a_folder_called_dotenv_is_somebodys_virtual_environment(
    load: Load, tmp_path: Path
) -> None:
    (tmp_path / ".env").mkdir()
    assert load() == defaults(tmp_path)


def test_the_demo_answers_unless_something_says_otherwise(load: Load) -> None:
    model = load(OPENAI_API_KEY="k", OPENAI_BASE_URL="http://127.0.0.1/v1").model
    assert (model.provider, model.name, model.api_key) == ("demo", "demo", None)
    assert model.base_url is None


def test_a_model_in_the_environment_chooses_the_provider(load: Load) -> None:
    model = load(
        HERMES_MODEL="llama", OPENAI_API_KEY="k", OPENAI_BASE_URL="http://127.0.0.1:1/v1"
    ).model
    assert (model.provider, model.name) == ("openai", "llama")
    assert str(model.base_url) == "http://127.0.0.1:1/v1"
    assert model.api_key is not None
    assert model.api_key.get_secret_value() == "k"


def test_the_file_wins_over_the_environment(load: Load) -> None:
    assert load("model: {provider: demo}", HERMES_MODEL="llama").model == Settings().model
    text = "model: {provider: openai, name: a, base_url: 'http://h/v1', api_key: mine}"
    model = load(text, HERMES_MODEL="b", OPENAI_API_KEY="k", OPENAI_BASE_URL="http://i/").model
    assert (model.name, str(model.base_url)) == ("a", "http://h/v1")
    assert model.api_key is not None
    assert model.api_key.get_secret_value() == "mine"


def test_a_provider_in_the_file_takes_its_model_from_the_environment(load: Load) -> None:
    model = load("model: {provider: openai}", HERMES_MODEL="gpt", OPENAI_API_KEY="k").model
    assert model.name == "gpt"


def test_anthropics_variables_stand_for_its_settings_and_openais_do_not(load: Load) -> None:
    text = "model: {provider: anthropic}"
    model = load(
        text, HERMES_MODEL="claude", ANTHROPIC_API_KEY="a", OPENAI_API_KEY="o", OPENAI_BASE_URL="x"
    ).model
    assert (model.name, str(model.address)) == ("claude", "https://api.anthropic.com/")
    assert model.api_key is not None
    assert model.api_key.get_secret_value() == "a"


def test_fallbacks_are_models_like_the_first_one(load: Load) -> None:
    text = (
        "fallbacks:\n"
        "  - {provider: openai, name: a, base_url: 'http://h/v1'}\n"
        "  - {provider: anthropic, name: b, alias: spare, api_key: '${KEY}', price: {input: 3}}\n"
    )
    first, second = load(text, KEY="k").fallbacks
    assert (first.label, second.label, second.price.input) == ("a", "spare", 3)


def test_a_server_of_ones_own_needs_no_key(load: Load) -> None:
    text = "model: {provider: openai, name: a, base_url: 'http://127.0.0.1:11434/v1'}"
    assert load(text).model.api_key is None


def test_telegram_can_be_set_up_from_the_environment_alone(load: Load) -> None:
    telegram = load(
        TELEGRAM_BOT_TOKEN="1:A", TELEGRAM_ALLOWED_USERS="42, 43,", TELEGRAM_ALLOWED_CHATS="-100"
    ).telegram
    assert telegram.token is not None
    assert (telegram.allowed_users, telegram.allowed_chats) == ((42, 43), (-100,))


def test_an_empty_list_in_the_file_lets_nobody_in_whatever_the_environment_says(load: Load) -> None:
    telegram = load("telegram: {allowed_users: []}", TELEGRAM_ALLOWED_USERS="42").telegram
    assert telegram.allowed_users == ()


def test_the_data_folder_is_relative_to_where_it_was_written(tmp_path: Path) -> None:
    etc = tmp_path / "etc"
    etc.mkdir()
    path = Path("etc/hermes.yaml")

    def data_dir(text: str, dotenv: str = "", **environ: str) -> Path:
        (etc / "hermes.yaml").write_text(text, encoding="utf-8")
        (etc / ".env").write_text(dotenv, encoding="utf-8")
        return config.load(path, environ=environ, cwd=tmp_path).data_dir

    assert data_dir("") == etc / "data"
    assert data_dir("data_dir: d", HERMES_DATA_DIR="e") == etc / "d"
    assert data_dir("", HERMES_DATA_DIR="e") == tmp_path / "e"
    assert data_dir("", "HERMES_DATA_DIR=e") == etc / "e"
    assert data_dir("data_dir: /var/lib/hermes") == Path("/var/lib/hermes")
    assert data_dir("data_dir: ~/hermes") == Path.home() / "hermes"
    assert config.load(None, environ={}, cwd=tmp_path).data_dir == tmp_path / "data"


def test_all_problems_carry_their_place_as_data(load: Load) -> None:
    with pytest.raises(ConfigInvalid) as caught:
        load("\nmodle: {}\n")
    (problem,) = caught.value.problems
    assert (problem.file, problem.line, problem.column) == ("hermes.yaml", 2, 1)
