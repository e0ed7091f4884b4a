"""Every mistake in a table gets a line that names file, line, column and the cure."""

from collections.abc import Callable
from pathlib import Path

import pytest

import config
from config import ConfigInvalid, ConfigSyntax, ConfigUnreadable, Settings

Load = Callable[..., Settings]
Mistakes = Callable[..., list[str]]

# What is wrong, the file, and the lines it has to be answered with: their beginning … their end.
TABLE: list[tuple[str, str, list[tuple[str, str]]]] = [
    ("a tab", "model:\n\tname: x\n", [("2:1: A tab stands here", "in its place.")]),
    ("a tab behind spaces", "model:\n  name: x\n \tx: y\n", [("3:2: A tab", "in its place.")]),
    (
        "too little indentation",
        "model:\n    name: x\n  tries: 1\n",
        [("3:3: This line doesn't fit the lines above it", "further right.")],
    ),
    (
        "too much indentation",
        "data_dir: x\n  model: y\n",
        [("2:8: This line is indented too far", "same column.")],
    ),
    (
        "no space behind the colon above",
        "data_dir:x\nmodel: {}\n",
        [("2:6: This line is indented too far, or the key above it has no space", "column.")],
    ),
    ("a second colon", "data_dir: a: b\n", [("1:12: A second `: `", "in quotes.")]),
    ("a key without a colon", "model: {}\ndata_dir\n", [("2:1: A key stands here", "colon.")]),
    (
        "a duplicate key",
        "model: {}\nmodel: {}\n",
        [("2:1: This key was", "line 1. Keep one of the two.")],
    ),
    (
        "a duplicate key in a group",
        "model:\n  tries: 1\n  tries: 2\n",
        [("3:3: This key was given before, in line 2.", "")],
    ),
    (
        "a name with a blank in it",
        "mcp:\n  servers:\n    my server: {command: x}\n",
        [("3:5: `mcp.servers` takes names of letters", "of them.")],
    ),
    (
        "a list of servers",
        "mcp:\n  servers:\n    - command: x\n",
        [("3:5: `mcp.servers` must be names, indented below it", "")],
    ),
    (
        "a misspelt setting of a server",
        "mcp:\n  servers:\n    a: {comand: x}\n",
        [("3:9: There is no setting `comand` in `mcp.servers.a`", "`command`?")],
    ),
    (
        "a server of two kinds",
        "mcp:\n  servers:\n    a: {command: x, url: 'https://a.example'}\n",
        [("3:8: `mcp.servers.a` needs a `command` or a `url`", "not both.")],
    ),
    (
        "a server of no kind",
        "mcp:\n  servers:\n    a: {timeout_s: 5}\n",
        [("3:8: `mcp.servers.a` needs a `command` or a `url`", "not both.")],
    ),
    (
        "servers whose tools could not be told apart",
        "mcp:\n  servers:\n    a: {command: x}\n    a_b: {command: x}\n",
        [("3:8: `mcp.servers.a` and `mcp.servers.a_b` begin alike", "one of them.")],
    ),
    (
        "headers of a program",
        "mcp:\n  servers:\n    a: {command: x, headers: {A: b}}\n",
        [("3:30: `mcp.servers.a` has `headers`", "")],
    ),
    (
        "a header of two lines",
        'mcp:\n  servers:\n    a: {url: "http://a.example", headers: {A: "b\\nc"}}\n',
        [("3:47: `mcp.servers.a.headers.A` must be one line", "")],
    ),
    ("an open quote", "data_dir: 'x\n", [("1:11: A quotation mark", "not closed.")]),
    ("text behind a quote", "data_dir: 'a' b\n", [("1:15: This can't follow", "too little.")]),
    ("an open bracket", "telegram:\n  allowed_users: [1, 2\n", [("2:18: A bracket", "")]),
    ("a bracket too many", "telegram:\n  allowed_users: 1]\n}\n", [("3:1: A closing bracket", "")]),
    ("an at sign", "data_dir: @x\n", [("1:11: A value can't begin", "in quotes.")]),
    ("a star", "data_dir: *x\n", [("1:11: A value that begins with `*`", "in quotes.")]),
    ("an ampersand", "data_dir: & x\n", [("1:12: A value that begins with `&`", "in quotes.")]),
    ("a tag", "data_dir: !x y\n", [("1:11: Tags", "out.")]),
    ("a Python tag", "model: !!python/name:os.system {}\n", [("1:8: Tags", "out.")]),
    ("a bad escape", 'data_dir: "C:\\data"\n', [("1:15: In double quotes", "single quotes.")]),
    ("two documents", "model: {}\n---\nmodel: {}\n", [("2:1: A second document", "one.")]),
    ("a directive", "%FOO\n%YAML 2.0\n", [("2:1", "")]),
    ("a control character", "data_dir: \x07\n", [("1:11: An invisible control", "out.")]),
    ("a list at the top", "- 1\n", [("1:1: The file must consist of settings", "")]),
    ("a word at the top", "hello\n", [("1:1: The file must consist of settings", "")]),
    ("a key that is a list", "[model]: x\n", [("1:1: A key must be a single word", "")]),
    (
        "quiet hours without an end",
        "schedule:\n  quiet_hours: 22:00\n",
        [("2:16: `schedule.quiet_hours` must be two times of day", "`22:00-07:00`.")],
    ),
    ("an unknown anchor merged", "model:\n  <<: 3\n", [("2:7: `<<` takes the alias", "")]),
    ("an anchor in itself", "model: &m\n  name: *m\n", [("1:8: This anchor", "")]),
    (
        "an unknown key",
        "modle: {}\n",
        [("1:1: There is no setting `modle`", "Did you mean `model`?")],
    ),
    (
        "an unknown key in a group",
        "telegram:\n  tokn: x\n",
        [("2:3: There is no setting `tokn` in `telegram`.", "Did you mean `token`?")],
    ),
    (
        "a key with a dash",
        "telegram:\n  require-mention: no\n",
        [("2:3: ", "Did you mean `require_mention`?")],
    ),
    (
        "a key one group too high",
        "token: x\n",
        [("1:1: `token` belongs under `telegram`", "here.")],
    ),
    (
        "a key in the wrong group",
        "telegram:\n  temperature: 1\n",
        [("2:3: `temperature` belongs under `model`, not here.", "")],
    ),
    (
        "a key with several homes",
        "base_url: x\n",
        [("1:1: `base_url` belongs under `model` or under `media.transcription` or under", "")],
    ),
    (
        "a group in a group",
        "chats:\n  model: {}\n",
        [("2:3: `model` belongs at the top level", "")],
    ),
    ("a misspelt key too high", "tokan: x\n", [("1:1: ", "`telegram.token` or `discord.token`?")]),
    (
        "a key like no other",
        "zzz: 1\n",
        [("1:1: There is no setting `zzz`. Known here: data_dir,", "")],
    ),
    (
        "a number for a token",
        "telegram:\n  token: 123456\n",
        [("2:10: `telegram.token` must be text, and YAML reads this as a number.", "in quotes.")],
    ),
    (
        "a number for text",
        "agent: {identity: 4}\n",
        [("1:19: `agent.identity` must be text", "in quotes.")],
    ),
    (
        "a boolean for text",
        "agent: {identity: true}\n",
        [("1:19: `agent.identity` must be text, and YAML reads this as true or false.", "")],
    ),
    (
        "a list for text",
        "data_dir: [x]\n",
        [("1:11: `data_dir` must be the path of a folder.", "")],
    ),
    ("text for a group", "telegram: on\n", [("1:11: `telegram` must be a group of settings", "")]),
    ("off for a group", "telegram: off\n", [("1:11: `telegram` must be a group", "below it.")]),
    ("no for a choice", "logging: {level: no}\n", [("1:18: `logging.level` must be one of", "")]),
    (
        "a proxy of a kind that Discord can't be reached by",
        "discord: {proxy: 'socks5://10.0.0.1:1080'}\n",
        [("1:18: `discord.proxy` must be an address that starts with http:// or https://.", "")],
    ),
    (
        "a proxy of an unknown kind",
        "telegram: {proxy: 'ftp://10.0.0.1'}\n",
        [("1:19: `telegram.proxy` must be an address that starts with", "")],
    ),
    (
        "a topic without its group",
        "telegram: {free_topics: ['7']}\n",
        [("1:26: Item 1 of `telegram.free_topics` must be the ids of a group", "")],
    ),
    (
        "an expression that could take for ever",
        "telegram: {names: ['/(a)\\1/']}\n",
        [("1:20: Item 1 of `telegram.names` must be a regular expression", "")],
    ),
    (
        "a path that is no path",
        "telegram: {webhook: {path: hook}}\n",
        [("1:28: `telegram.webhook.path` must start with a slash", "")],
    ),
    (
        "a secret token that Telegram would refuse",
        "telegram: {webhook: {secret_token: 'two words!'}}\n",
        [("1:36: `telegram.webhook.secret_token` must be", "")],
    ),
    (
        "a space behind a token's colon",
        "telegram:\n  token: 123: ABC\n",
        [("2:13: A second `: `", "in quotes.")],
    ),
    (
        "half of a token",
        "telegram:\n  token: 123456\n",
        [("2:10: `telegram.token` must be text", "in quotes.")],
    ),
    (
        "a time with a unit",
        "chats: {turn_timeout_s: 30m}\n",
        [("1:25: `chats.turn_timeout_s` must be a number", "its unit is in the setting's name.")],
    ),
    (
        "a size with a unit",
        "runtime: {memory_budget_mb: 2 GB}\n",
        [("1:29: `runtime.memory_budget_mb` must be", "its unit is in the setting's name.")],
    ),
    (
        "a name for an id",
        "telegram:\n  allowed_users: ['@ada']\n",
        [("2:19: Item 1 of `telegram.allowed_users`", "the log has their id.")],
    ),
    (
        "a bare name for an id",
        "telegram:\n  allowed_users: [@ada]\n",
        [("2:19: A value can't begin with this character.", "in quotes.")],
    ),
    ("a missing secret", "telegram:\n  token: ${BOT_TOKEN}\n", [("2:10: ", "default}`.")]),
    (
        "a group for a list",
        "telegram: {allowed_users: {a: 1}}\n",
        [("1:27: ", "must be a list, each item a whole number.")],
    ),
    (
        "text for a number",
        "chats:\n  inbox_size: many\n",
        [("2:15: `chats.inbox_size` must be a whole number", "")],
    ),
    (
        "a fraction for a count",
        "runtime: {threads: 1.5}\n",
        [("1:20: `runtime.threads` must be a whole", "")],
    ),
    (
        "a number out of range",
        "model: {temperature: 3}\n",
        [("1:22: ", "at least 0 and at most 2.")],
    ),
    ("nothing at all in time", "model: {idle_timeout_s: 0}\n", [("1:25: ", "greater than 0.")]),
    (
        "endless time",
        "model: {idle_timeout_s: .inf}\n",
        [("1:25: `model.idle_timeout_s` must be", "")],
    ),
    ("a number too large for a float", "model: {idle_timeout_s: 1e999}\n", [("1:25: ", "")]),
    ("a number of a thousand digits", f"runtime: {{threads: {'9' * 5000}}}\n", [("1:20: ", "")]),
    (
        "an id that is a name",
        "telegram:\n  allowed_users:\n    - 42\n    - ada\n",
        [("4:7: Item 2 of `telegram.allowed_users`", "")],
    ),
    ("an id that is a fraction", "telegram: {allowed_users: [4.5]}\n", [("1:28: Item 1", "")]),
    ("one of many ids", "telegram: {allowed_users: '4, five'}\n", [("1:27: Item 2", "")]),
    (
        "an unclear flag",
        "chats: {streaming: 1}\n",
        [("1:20: `chats.streaming` must be true or false.", "")],
    ),
    ("no flag", "chats:\n  streaming:\n", [("2:13: `chats.streaming` has no value.", "out.")]),
    ("a misspelt choice", "model: {provider: opnai}\n", [("1:19: ", "Did you mean `openai`?")]),
    (
        "an unknown choice",
        "logging: {level: loud}\n",
        [("1:18: `logging.level` must be one of debug, info", "error.")],
    ),
    (
        "an address without a scheme",
        "model: {base_url: localhost}\n",
        [("1:19: `model.base_url` must be an address", "")],
    ),
    (
        "a password in an address",
        "model: {base_url: 'http://u:p@h'}\n",
        [("1:19: `model.base_url` must not hold a user name", "")],
    ),
    (
        "a secret of two words",
        "telegram: {token: 1:a b}\n",
        [("1:19: `telegram.token` must be one word", "")],
    ),
    (
        "no such home",
        "data_dir: ~nobody-of-that-name/x\n",
        [("1:11: `data_dir` begins with `~`", "")],
    ),
    ("a zero character in a path", 'data_dir: "a\\0b"\n', [("1:11: `data_dir` must not hold", "")]),
    (
        "half a pair of surrogates",
        'agent: {identity: "\\ud83d"}\n',
        [("1:19: `agent.identity` must be text.", "")],
    ),
    (
        "a folder in the name of a file",
        "logging: {file: /var/log/hermes.log}\n",
        [("1:17: `logging.file` must be the name of a file", "without a folder.")],
    ),
    (
        "a variable that is not set",
        "telegram:\n  token: ${BOT}\n",
        [("2:10: The environment variable BOT is not set.", "`${BOT:-default}`.")],
    ),
    ("a reference to nothing", "data_dir: a${}\n", [("1:11: `${` begins the name", "plain text.")]),
    ("an open reference", "data_dir: ${HOME\n", [("1:11: `${` begins the name", "plain text.")]),
    (
        "a missing variable in a list",
        "telegram:\n  allowed_users: [1, '${BOT}']\n",
        [("2:22: The environment variable BOT", "")],
    ),
    (
        "a model without a provider",
        "model: {name: gpt}\n",
        [("1:15: `model.name` needs `model.provider`", "")],
    ),
    (
        "a provider without anything",
        "model: {provider: openai}\n",
        [
            ("1:19: `model.api_key` is missing", "`model.base_url`."),
            ("1:19: `model.name` is missing", ""),
        ],
    ),
    (
        "a fallback without its key",
        "fallbacks:\n  - {provider: anthropic, name: claude}\n",
        [("2:5: `fallbacks.api_key` is missing, and api.anthropic.com", "`fallbacks.base_url`.")],
    ),
    (
        "transcription without its key",
        "media: {transcription: {model: whisper-1}}\n",
        [("1:32: `media.transcription.api_key` is missing", "`media.transcription.base_url`.")],
    ),
    (
        "a fallback without a name",
        "fallbacks:\n  - {provider: openai, base_url: 'http://127.0.0.1/v1'}\n",
        [("2:5: `fallbacks.name` is missing", "")],
    ),
    (
        "two models of a name",
        "models:\n  - {alias: a}\n  - {alias: a}\n",
        [("3:5: Two models are called `a`.", "an `alias`.")],
    ),
    (
        "several mistakes",
        "modle: {}\ntelegram:\n  token: 1\n  tokn: 1\nmodel: {tries: 0}\n",
        [("1:1: ", ""), ("3:10: ", ""), ("4:3: ", ""), ("5:16: ", "")],
    ),
]


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


def test_a_file_that_was_named_must_be_there(tmp_path: Path) -> None:
    with pytest.raises(ConfigUnreadable, match=r"^mine\.yaml: There is no such file\.$"):
        config.load(Path("mine.yaml"), environ={}, cwd=tmp_path)


def test_a_folder_is_not_a_file(tmp_path: Path) -> None:
    (tmp_path / "hermes.yaml").mkdir()
    with pytest.raises(ConfigUnreadable, match=r"^hermes\.yaml: This is a folder"):
        config.load(None, environ={}, cwd=tmp_path)


def test_a_link_that_leads_to_itself_is_named(tmp_path: Path) -> None:
    (tmp_path / "hermes.yaml").symlink_to("hermes.yaml")
    with pytest.raises(ConfigUnreadable, match=r"^hermes\.yaml: This is a symbolic link"):
        config.load(None, environ={}, cwd=tmp_path)


def test_a_link_to_nothing_is_not_taken_for_no_file(tmp_path: Path) -> None:
    (tmp_path / "hermes.yaml").symlink_to("gone.yaml")
    with pytest.raises(ConfigUnreadable, match="There is no such file"):
        config.load(None, environ={}, cwd=tmp_path)


def test_text_that_is_not_utf_8_is_named_with_its_line(load: Load) -> None:
    with pytest.raises(ConfigUnreadable, match=r"^hermes\.yaml:2: This is not UTF-8"):
        load("model: {}\ndata_dir: Köln\n".encode("latin-1"))


def test_a_huge_file_is_not_read_into_memory(load: Load) -> None:
    with pytest.raises(ConfigUnreadable, match="too large"):
        load("# x\n" * 500_000)


def test_deep_nesting_is_a_mistake_and_not_a_crash(load: Load) -> None:
    with pytest.raises(ConfigSyntax, match="nested too deeply"):
        load("data_dir: " + "[" * 5_000)


def test_aliases_of_aliases_do_not_fill_the_memory(load: Load) -> None:
    rows = ["a: &a [x, x, x, x, x, x, x, x, x, x]"]
    for previous, name in zip("abcdefgh", "bcdefghi", strict=True):
        rows.append(f"{name}: &{name} [{', '.join([f'*{previous}'] * 10)}]")
    with pytest.raises(ConfigInvalid, match="too large"):
        load("\n".join(rows))


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
