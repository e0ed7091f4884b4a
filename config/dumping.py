"""Settings → the YAML that `config.loading` reads back as the same settings."""

from pathlib import Path
from typing import Any

import yaml
from pydantic import SecretStr
from pydantic.networks import HttpUrl

from config.document import Dumper
from config.interpolation import escape
from config.section import Section
from config.settings import Settings

HIDDEN = "(hidden)"


def dump(settings: Settings, *, reveal_secrets: bool = False) -> str:
    """The settings as YAML, every one of them. Secrets read `(hidden)` unless they are revealed."""
    text: str = yaml.dump(
        plain(settings, reveal_secrets=reveal_secrets),
        Dumper=Dumper,
        sort_keys=False,
        allow_unicode=True,
    )
    return text


def plain(value: object, *, reveal_secrets: bool = False) -> Any:  # noqa: ANN401 - what YAML holds
    """A setting, or a group of them, as dictionaries, lists and scalars."""
    if isinstance(value, Section):
        return {name: plain(inner, reveal_secrets=reveal_secrets) for name, inner in value}
    if isinstance(value, dict):
        return {name: plain(item, reveal_secrets=reveal_secrets) for name, item in value.items()}
    if isinstance(value, tuple):
        return [plain(item, reveal_secrets=reveal_secrets) for item in value]
    if isinstance(value, SecretStr):
        return escape(value.get_secret_value()) if reveal_secrets else HIDDEN
    if isinstance(value, str | HttpUrl | Path):
        return escape(str(value))
    return value
