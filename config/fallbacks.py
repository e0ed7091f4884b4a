"""Which environment variable stands for which setting, and what has to be there in the end.

Pure decisions over what was said: a setting that the YAML file gives always wins. A setting that
is null counts as not said, since null is what it is when nobody says anything.
"""

from collections.abc import Iterator, Mapping
from typing import Any

from config.settings import Settings

Path = tuple[str | int, ...]

MODEL_VARIABLE = "HERMES_MODEL"

FALLBACKS: dict[Path, str] = {
    ("data_dir",): "HERMES_DATA_DIR",
    ("model", "name"): MODEL_VARIABLE,
    ("model", "base_url"): "OPENAI_BASE_URL",
    ("model", "api_key"): "OPENAI_API_KEY",
    ("telegram", "token"): "TELEGRAM_BOT_TOKEN",
    ("telegram", "allowed_users"): "TELEGRAM_ALLOWED_USERS",
    ("telegram", "allowed_chats"): "TELEGRAM_ALLOWED_CHATS",
}

OFFICIAL_HOST = "api.openai.com"  # many other servers with this API need no key

_NO_NAME = (
    "`model.name` is missing: say which model of this provider answers, in the file or in "
    "HERMES_MODEL."
)
_NO_PROVIDER = (
    "`model.name` needs `model.provider` beside it: `openai` for a server with the OpenAI chat API."
)
_NO_KEY = (
    f"`model.api_key` is missing, and {OFFICIAL_HOST} answers nobody without one. Set "
    "OPENAI_API_KEY in the environment or in `.env`; for another server set `model.base_url`."
)


def said(data: Mapping[str, Any], path: Path) -> object:
    """What the file says to a setting; None if nothing."""
    value: object = data
    for part in path:
        value = value.get(part) if isinstance(value, Mapping) else None
    return value


def provider(data: Mapping[str, Any], environ: Mapping[str, str]) -> object:
    """The provider that file and environment choose; None leaves the default.

    `HERMES_MODEL` names a model of an API, so it chooses `openai`; but not over a file that names
    a provider or a model itself.
    """
    chosen = said(data, ("model", "provider"))
    if chosen is None and said(data, ("model", "name")) is None and environ.get(MODEL_VARIABLE):
        return "openai"
    return chosen


def wanted(data: Mapping[str, Any], environ: Mapping[str, str]) -> dict[Path, str]:
    """The settings to be taken from the environment: path → name of the variable."""
    is_openai = provider(data, environ) == "openai"
    return {
        path: variable
        for path, variable in FALLBACKS.items()
        if environ.get(variable) and said(data, path) is None and (is_openai or path[0] != "model")
    }


def missing(settings: Settings, data: Mapping[str, Any]) -> Iterator[tuple[Path, str]]:
    """What valid settings still lack, each with the setting where that shows."""
    model = settings.model
    is_named = said(data, ("model", "name")) is not None
    if model.provider == "openai" and not is_named:
        yield ("model", "provider"), _NO_NAME
    if is_named and said(data, ("model", "provider")) is None:
        yield ("model", "name"), _NO_PROVIDER
    if model.provider == "openai" and not model.api_key and model.base_url.host == OFFICIAL_HOST:
        yield ("model", "provider"), _NO_KEY
