"""Every mistake in a table gets a line that names file, line, column and the cure."""

from collections.abc import Callable

import pytest

import config
from config import Settings
from tests.config.mistakes import TABLE

Load = Callable[..., Settings]
Mistakes = Callable[..., list[str]]


@pytest.mark.parametrize(("text", "answers"), [row[1:] for row in TABLE], ids=[r[0] for r in TABLE])
def test_a_mistake_is_answered_with_its_place_and_its_cure(
    text: str, answers: list[tuple[str, str]], mistakes: Mistakes
) -> None:
    lines = mistakes(text)
    assert len(lines) == len(answers), lines
    for line, (beginning, end) in zip(lines, answers, strict=True):
        assert line.startswith(f"hermes.yaml:{beginning}")
        assert line.endswith(end)
        assert line.endswith((".", "?"))


def test_a_line_in_dotenv_that_says_nothing_is_named(mistakes: Mistakes) -> None:
    assert mistakes(None, "# mine\n\nA=1\nB C D\n") == [
        ".env:4:1: Write this line as `NAME=value`."
    ]


def test_a_bad_value_from_dotenv_is_answered_with_its_line(mistakes: Mistakes) -> None:
    lines = mistakes(None, "\n# mine\nTELEGRAM_ALLOWED_USERS=1,ada\n")
    (line,) = lines
    assert line.startswith(".env:3: Item 2 of `telegram.allowed_users` must be a whole number.")


def test_a_bad_value_from_the_environment_is_answered_with_the_variable(mistakes: Mistakes) -> None:
    lines = mistakes(HERMES_MODEL="m", OPENAI_API_KEY="a\nb", OPENAI_BASE_URL="here")
    assert [line.split(" must ")[0] for line in lines] == [
        "environment variable OPENAI_API_KEY: `model.api_key`",
        "environment variable OPENAI_BASE_URL: `model.base_url`",
    ]


@pytest.mark.parametrize(
    "text",
    [
        "telegram:\n  token: *SECRET9",
        "telegram:\n  token: 'SECRET9",
        "telegram:\n  token: SECRET9: x",
        "telegram:\n  token: !SECRET9 x",
        "telegram:\n  token: SECRET9 SECRET9",
        "telegram:\n  token: [SECRET9]",
        "telegram: SECRET9",
        "telegram: {SECRET9}",
        "telegram: {SECRET9",
        "SECRET9",
        "SECRET9: {}",
        "model: {provider: SECRET9, base_url: 'http://u:SECRET9@x'}",
        "model: {base_url: SECRET9, tries: SECRET9}",
        "model: {temperature: SECRET9}\nlogging: {level: SECRET9}\nchats: {streaming: SECRET9}",
        "telegram:\n  allowed_users: [SECRET9]",
        "telegram:\n  token: ${SECRET9 }",
        "telegram:\n  token: ${X:-SECRET9",
        "telegram:\n  token: ${KEY}\n  allowed_users: ['${KEY}']\nmodel: {tries: '${KEY}'}",
        'data_dir: "SECRET9\\q"',
        "SECRET9: &x 1\nmodel: *SECRET9",
    ],
)
def test_an_error_never_repeats_what_could_be_a_secret(text: str, load: Load) -> None:
    with pytest.raises(config.ConfigError) as caught:
        load(text, KEY="SECRET9 SECRET9")
    error: BaseException | None = caught.value
    while error is not None:  # what hangs on as a context would be printed with a traceback
        assert "SECRET9" not in f"{error!s} {error!r}"
        error = error.__cause__ or error.__context__
