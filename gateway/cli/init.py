"""`hermes-gateway init`: a few questions, then a `hermes.yaml` that passes `check`, and a `.env`.

Secrets go into `.env`, which only its owner may read, and never into the YAML. Nothing that is
there is overwritten without a yes. What the file says is `config.starter`'s business.
"""

import os
from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path

import httpx

from config.schema import FILE as SCHEMA_FILE
from config.starter import Starter, starter
from config.variables import with_variables
from gateway.cli.asking import Asker
from gateway.errors import StartupError
from gateway.store.private_files import FILE_MODE

COMMAND_VARIABLE = "HERMES_COMMAND"
"""What the person typed to get here, if it was not `hermes-gateway`: build.sh sets it."""

TOKEN_VARIABLE = "TELEGRAM_BOT_TOKEN"  # noqa: S105 - a name
DISCORD_VARIABLE = "DISCORD_BOT_TOKEN"
OLLAMA = "127.0.0.1:11434"
_LOCAL_PATIENCE_S = 1.0
_SHOWN_MODELS = 3


@dataclass(frozen=True, slots=True)
class Source:
    """Where models come from."""

    title: str
    provider: str
    key_variable: str | None = None
    base_url: str | None = None
    example: str = ""
    asks_address: bool = False


DEMO = Source("none yet: the demo, which needs no key and no network", "demo")
SOURCES = (
    Source("OpenAI", "openai", "OPENAI_API_KEY", example="gpt-4.1-mini"),
    Source("Anthropic", "anthropic", "ANTHROPIC_API_KEY", example="claude-sonnet-4-5"),
    Source(
        "OpenRouter",
        "openai",
        "OPENROUTER_API_KEY",
        "https://openrouter.ai/api/v1",
        "openai/gpt-4.1-mini",
    ),
    Source("another server with the OpenAI chat API", "openai", "MODEL_API_KEY", asks_address=True),
)


@dataclass(frozen=True, slots=True)
class Written:
    """What was answered: the settings, and the secrets by the name of their variable."""

    answers: Starter
    secrets: Mapping[str, str]


def run(path: Path, asker: Asker, environ: Mapping[str, str]) -> int:
    """Ask and write; 1 if the person does not want what is there to be replaced."""
    if path.exists():
        asker.tell(f"{path.name} is there already.")
        if not asker.agree("Replace it? The old one is kept as " + path.name + ".old"):
            asker.tell("Nothing was changed.")
            return 1
    asker.say("A few questions; Enter takes what stands in [brackets].\n")
    answered = _ask_all(asker, environ)
    _write(path, answered)
    asker.tell(_closing(path, answered, environ))
    return 0


def _ask_all(asker: Asker, environ: Mapping[str, str]) -> Written:
    answers, secrets = _ask_model(asker, environ)
    token = ""
    if not environ.get(TOKEN_VARIABLE):
        asker.say("\nTelegram: a bot's token comes from @BotFather. Without one you chat here.")
        token = asker.ask("Token (Enter: no Telegram)", hidden=True, check=_one_word)
    if token:
        secrets[TOKEN_VARIABLE] = token
    if token or environ.get(TOKEN_VARIABLE):
        user = asker.ask("Your own numeric id there (Enter: I show a code)", check=_numeric)
        answers = replace(
            answers,
            token_variable=TOKEN_VARIABLE,
            owners=(int(user),) if user else (),
        )
    asker.say("")
    data_dir = asker.ask("Folder for conversations and memory", "data", check=_no_zero)
    answers, more = _ask_discord(asker, environ, answers)
    secrets |= more
    asker.say("")
    schema = str(SCHEMA_FILE) if SCHEMA_FILE.is_file() else None
    return Written(replace(answers, data_dir=data_dir, schema=schema), secrets)


def _ask_discord(
    asker: Asker, environ: Mapping[str, str], answers: Starter
) -> tuple[Starter, dict[str, str]]:
    token = ""
    if not environ.get(DISCORD_VARIABLE):
        asker.say(
            "\nDiscord: a bot's token comes from https://discord.com/developers/applications."
        )
        token = asker.ask("Token (Enter: no Discord)", hidden=True, check=_one_word)
    if not token and not environ.get(DISCORD_VARIABLE):
        return answers, {}
    user = asker.ask("Your own numeric id there (Enter: I show a code)", check=_numeric)
    owners = (int(user),) if user else ()
    answers = replace(answers, discord_variable=DISCORD_VARIABLE, discord_owners=owners)
    return answers, {DISCORD_VARIABLE: token} if token else {}


def _ask_model(asker: Asker, environ: Mapping[str, str]) -> tuple[Starter, dict[str, str]]:
    address = f"http://{environ.get('OLLAMA_HOST') or OLLAMA}/v1"
    local_models = _models_at(address)
    local = Source(_local_title(address, local_models), "openai", None, address, "qwen3")
    sources = (local, *SOURCES, DEMO)
    asker.say("Which model shall answer?")
    # A default that works at once: what runs on this machine, else what needs nothing.
    default = sources.index(local if local_models else DEMO)
    source = sources[asker.choose("Number", [source.title for source in sources], default)]
    if source is DEMO:
        return Starter(), {}
    base_url = source.base_url
    if source.asks_address:
        base_url = asker.ask("Its address, up to /v1", address, check=_web_address)
    suggested = local_models[0] if source is local and local_models else source.example
    name = asker.ask("The model's name", suggested or "default")
    key_variable, secrets = source.key_variable, {}
    if key_variable is not None and not environ.get(key_variable):
        question = "API key (Enter: later, or none is needed)"
        if key := asker.ask(question, hidden=True, check=_one_word):
            secrets[key_variable] = key
        elif source.asks_address:
            key_variable = None
    return Starter(source.provider, name, base_url, key_variable), secrets


def _models_at(address: str) -> list[str]:
    """The models that a local server has; none if there is no server."""
    try:
        answer = httpx.get(f"{address}/models", timeout=_LOCAL_PATIENCE_S, trust_env=False)
        return [str(model["id"]) for model in answer.raise_for_status().json()["data"]]
    except (httpx.HTTPError, httpx.InvalidURL, ValueError, KeyError, TypeError):
        return []


def _local_title(address: str, models: list[str]) -> str:
    if not models:
        return f"Ollama on this machine (does not answer at {address})"
    more = ", …" if len(models) > _SHOWN_MODELS else ""
    return f"Ollama on this machine, which has {', '.join(models[:_SHOWN_MODELS])}{more}"


def _write(path: Path, answered: Written) -> None:
    dotenv = path.with_name(".env")
    try:
        if answered.secrets:
            old = dotenv.read_text(encoding="utf-8") if dotenv.is_file() else ""
            _replace(dotenv, with_variables(old, answered.secrets), FILE_MODE)
        if path.exists():
            path.replace(path.with_name(f"{path.name}.old"))
        _replace(path, starter(answered.answers), 0o644)
    except OSError as error:
        raise StartupError(f"{error.filename} can't be written: {error.strerror}.") from error
    except UnicodeDecodeError as error:
        raise StartupError(f"{dotenv} is not UTF-8 text. Save it as UTF-8.") from error


def _replace(path: Path, text: str, mode: int) -> None:
    """Put a file in place, whole or not at all; no moment passes in which others may read it."""
    draft = path.with_name(f"{path.name}.new")
    draft.unlink(missing_ok=True)
    flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC
    with os.fdopen(os.open(draft, flags, mode), "w", encoding="utf-8") as file:
        file.write(text)
    draft.replace(path)


def _closing(path: Path, answered: Written, environ: Mapping[str, str]) -> str:
    answers = answered.answers
    model = answers.model or "the demo, which needs no key"
    lines = [f"Wrote {path}: the model is {model}."]
    if answered.secrets:
        lines.append(f"Wrote {path.with_name('.env')}, which only you may read.")
    wanted = answers.key_variable
    if wanted and wanted not in answered.secrets and not environ.get(wanted):
        lines.append(f"Still missing: a line `{wanted}=…` in {path.with_name('.env')}.")
    unowned = (answers.token_variable and not answers.owners) or (
        answers.discord_variable and not answers.discord_owners
    )
    if unowned:
        lines.append(
            "The bot belongs to nobody yet: when the gateway runs, it shows a code; send that to"
            " the bot."
        )
    command = environ.get(COMMAND_VARIABLE, "hermes-gateway")
    return "\n".join([*lines, f"Next: {command} check, then {command} run."])


def _one_word(answer: str) -> str | None:
    is_word = answer.isascii() and answer.isprintable() and " " not in answer
    return None if is_word else "That must be one word of plain characters: copy it once more."


def _numeric(answer: str) -> str | None:
    is_id = answer.isascii() and answer.isdecimal() and int(answer) > 0
    return None if is_id else "That must be a number, not a name."


def _web_address(answer: str) -> str | None:
    is_web = answer.startswith(("http://", "https://")) and "@" not in answer
    return None if is_web else "That must begin with http:// or https:// and hold no password."


def _no_zero(answer: str) -> str | None:
    return "That must not hold a zero character." if "\0" in answer else None
