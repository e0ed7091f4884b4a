"""Which environment variable stands for which setting, and what has to be there in the end.

Pure decisions over what was said: a setting that the YAML file gives always wins. A setting that
is null counts as not said, since null is what it is when nobody says anything.
"""

from collections.abc import Iterator, Mapping
from typing import Any

from config.mcp import lacking
from config.models import ModelSettings
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
    ("discord", "token"): "DISCORD_BOT_TOKEN",
    ("discord", "allowed_users"): "DISCORD_ALLOWED_USERS",
    ("discord", "allowed_chats"): "DISCORD_ALLOWED_CHATS",
}

# What stands for a setting of another provider's instead.
OF_PROVIDER: dict[str, dict[Path, str]] = {
    "openai": {},
    "anthropic": {
        ("model", "base_url"): "ANTHROPIC_BASE_URL",
        ("model", "api_key"): "ANTHROPIC_API_KEY",
    },
}

OFFICIAL_HOSTS = {  # many other servers with these APIs need no key
    "openai": "api.openai.com",
    "anthropic": "api.anthropic.com",
}

_NO_NAME = (
    "`model.name` is missing: say which model of this provider answers, in the file or in "
    "HERMES_MODEL."
)
_NO_PROVIDER = (
    "`model.name` needs `model.provider` beside it: `openai` for a server with the OpenAI chat "
    "API, `anthropic` for the Messages API."
)
_NO_KEY = (
    "`{named}.api_key` is missing, and {host} answers nobody without one. {cure}; for another "
    "server set `{named}.base_url`."
)
_KEY_CURES = {
    "openai": "Set OPENAI_API_KEY in the environment or in `.env`",
    "anthropic": "Set ANTHROPIC_API_KEY in the environment or in `.env`",
}
_KEY = "Write it as `${NAME}`, with the key in the environment or in `.env`"
_TWO_OF_A_NAME = "Two models are called `{label}`. Give one of them an `alias`."


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
    chosen = provider(data, environ)
    own = OF_PROVIDER.get(chosen) if isinstance(chosen, str) else None
    return {
        path: variable
        for path, variable in {**FALLBACKS, **(own or {})}.items()
        if environ.get(variable)
        and said(data, path) is None
        and (own is not None or path[0] != "model")
    }


def missing(settings: Settings, data: Mapping[str, Any]) -> Iterator[tuple[Path, str]]:
    """What valid settings still lack, each with the setting where that shows."""
    model = settings.model
    is_named = said(data, ("model", "name")) is not None
    if model.provider != "demo" and not is_named:
        yield ("model", "provider"), _NO_NAME
    if is_named and said(data, ("model", "provider")) is None:
        yield ("model", "name"), _NO_PROVIDER
    if host := _wants_key(model):
        cure = _KEY_CURES[model.provider]
        yield ("model", "provider"), _NO_KEY.format(named="model", host=host, cure=cure)
    hearing = settings.media.transcription
    host = OFFICIAL_HOSTS["openai"]
    if hearing.model and not hearing.api_key and hearing.base_url.host == host:
        named = "media.transcription"
        yield ("media", "transcription", "model"), _NO_KEY.format(named=named, host=host, cure=_KEY)
    yield from _missing_in_lists(settings)
    yield from lacking(settings.mcp)


def _missing_in_lists(settings: Settings) -> Iterator[tuple[Path, str]]:
    """What the models beside the first one lack."""
    others: list[tuple[Path, ModelSettings]] = [
        *((("fallbacks", index), model) for index, model in enumerate(settings.fallbacks)),
        *((("models", index), model) for index, model in enumerate(settings.models)),
    ]
    labels = {settings.model.label}
    for path, model in others:
        if model.label in labels and model.model_fields_set & {"name", "alias"}:
            yield path, _TWO_OF_A_NAME.format(label=model.label)
        labels.add(model.label)
    if settings.compress_model is not None:
        others.append((("compress_model",), settings.compress_model))
    for path, model in others:
        if model.provider != "demo" and "name" not in model.model_fields_set:
            yield path, f"`{path[0]}.name` is missing: say which model of this provider it is."
        if host := _wants_key(model):
            yield path, _NO_KEY.format(named=path[0], host=host, cure=_KEY)


def _wants_key(model: ModelSettings) -> str | None:
    """The server that answers nobody without a key, if the model lacks one and lives there."""
    host = OFFICIAL_HOSTS.get(model.provider)
    return host if host is not None and not model.api_key and model.address.host == host else None
