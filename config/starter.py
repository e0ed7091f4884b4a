"""The first `hermes.yaml` of somebody: what they answered, with comments, and nothing else. Pure.

The comments are the settings' own descriptions. Who asks is `gateway.cli.init`.
"""

import textwrap
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from config.reference import as_yaml
from config.settings import Settings

_HEAD = """\
# Settings of hermes-gateway, begun by `hermes-gateway init`. What does not stand here has its
# default; docs/configuration.md explains every setting. Keys and tokens stand in `.env` beside
# this file, and `${NAME}` reads them from there. `hermes-gateway check` says what is wrong.
"""

# What people look for first, with something to begin with.
_OFTEN_WANTED: tuple[tuple[str, str, object], ...] = (
    ("agent", "identity", "You are Luna, who helps a family of four. You are brief and kind."),
    ("chats", "streaming", False),
    ("logging", "format", "json"),
    ("http", "port", 9464),
)


@dataclass(frozen=True, slots=True)
class Starter:
    """The answers."""

    provider: str = "demo"
    model: str | None = None
    base_url: str | None = None
    key_variable: str | None = None  # the environment variable that holds the model's key
    token_variable: str | None = None  # … and Telegram's token; None: no Telegram
    owners: tuple[int, ...] = ()
    discord_variable: str | None = None  # … and Discord's token; None: no Discord
    discord_owners: tuple[int, ...] = ()
    data_dir: str = "data"
    schema: str | None = None  # where an editor finds the JSON Schema


def starter(answers: Starter) -> str:
    """The text of the file."""
    head = f"# yaml-language-server: $schema={answers.schema}\n#\n" if answers.schema else ""
    model: list[tuple[str, object]] = [("provider", answers.provider)]
    if answers.model is not None:
        model.append(("name", answers.model))
    if answers.base_url is not None:
        model.append(("base_url", answers.base_url))
    if answers.key_variable is not None:
        model.append(("api_key", f"${{{answers.key_variable}}}"))
    telegram: list[tuple[str, object]] = []
    if answers.token_variable is not None:
        telegram.append(("token", f"${{{answers.token_variable}}}"))
        telegram.append(("owners", list(answers.owners)))
    discord: list[tuple[str, object]] = []
    if answers.discord_variable is not None:
        discord.append(("token", f"${{{answers.discord_variable}}}"))
        discord.append(("owners", list(answers.discord_owners)))
    parts = [
        f"{head}{_HEAD}",
        "".join(_setting("data_dir", answers.data_dir, ())),
        _group("model", model),
        *([_group("telegram", telegram)] if telegram else []),
        *([_group("discord", discord)] if discord else []),
        _often_wanted(),
    ]
    return "\n".join(parts)


def _group(name: str, values: Sequence[tuple[str, object]]) -> str:
    section = Settings.model_fields[name].annotation
    doc = getattr(section, "__doc__", None) or ""
    lines = [_comment(doc, ""), f"{name}:\n"]
    for key, value in values:
        lines += _setting(key, value, (name,))
    return "".join(lines)


def _setting(name: str, value: object, above: tuple[str, ...]) -> Iterator[str]:
    indent = "  " * len(above)
    yield _comment(_description((*above, name)), indent)
    yield f"{indent}{name}: {as_yaml(value)}\n"


def _often_wanted() -> str:
    lines = [_comment("Often wanted: take the `#` off both lines.", "")]
    for group, name, value in _OFTEN_WANTED:
        lines.append(f"\n{_comment(_description((group, name)), '')}")
        lines.append(f"#{group}:\n#  {name}: {as_yaml(value)}\n")
    return "".join(lines)


def _description(path: tuple[str, ...]) -> str:
    """What a setting is for."""
    section: object = Settings
    for part in path[:-1]:
        section = type(Settings.model_fields[part].get_default())
    fields = getattr(section, "model_fields")  # noqa: B009 - of some class of settings
    return fields[path[-1]].description or ""


def _comment(text: str, indent: str) -> str:
    prefix = f"{indent}# "
    return textwrap.fill(text, 96, initial_indent=prefix, subsequent_indent=prefix) + "\n"
