"""Finding the configuration and making `Settings` of it, or one error that lists every mistake.

The order: the file, the environment, `.env` beside the file, the defaults. What a key may be is
said by `config.settings`; how YAML becomes values by `config.document` and `config.coercion`;
which variable stands for what by `config.fallbacks`.
"""

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from pydantic import ValidationError
from pydantic_core import ErrorDetails

from config.coercion import BadValue, Coercion, named
from config.document import Mark, parse
from config.environment import Environment, Origin, read_environment
from config.errors import ConfigInvalid, Problem
from config.fallbacks import MODEL_VARIABLE, missing, provider, wanted
from config.fallbacks import Path as SettingPath
from config.files import read_text
from config.kinds import Kind, fields_of
from config.section import SENTENCE
from config.settings import Settings

FILE_NAME = "hermes.yaml"

Places = dict[SettingPath, Mark | Origin]


def find(path: Path | None, cwd: Path) -> Path | None:
    """The file that `load` reads: the one named, else `hermes.yaml` in `cwd` if it is there."""
    if path is not None:
        return cwd / path
    here = cwd / FILE_NAME
    return here if here.exists() or here.is_symlink() else None


def load(path: Path | None, *, environ: Mapping[str, str], cwd: Path) -> Settings:
    """The settings. `cwd` is absolute, and `data_dir` comes out so.

    Blocks for a moment: it reads two small files. Raises `ConfigError`.
    """
    file = find(path, cwd)
    folder = file.parent if file is not None else cwd
    dotenv = folder / ".env"
    variables = read_environment(dotenv, _displayed(dotenv, cwd), environ, cwd)
    name = FILE_NAME if file is None else _displayed(file, cwd)
    text = "" if file is None else read_text(file, name)
    return build(text, file=name, folder=folder, variables=variables)


def build(text: str, *, file: str, folder: Path, variables: Environment) -> Settings:
    """The settings that a file's text and the variables give; `folder` is where the file lies.

    `file` names it in problems. Raises `ConfigSyntax` and `ConfigInvalid`.
    """
    document = parse(text, file)
    reading = Coercion(file, variables.values)
    data = reading.section(document.root, Settings)
    places: Places = dict(reading.marks)
    problems = [*document.problems, *reading.problems]
    problems += _add_variables(data, places, variables)
    settings: Settings | None = None
    try:
        settings = Settings.model_validate(data)
    except ValidationError as error:
        details = error.errors(include_url=False, include_input=False, include_context=False)
        problems += [_explain(detail, places, file) for detail in details]
    if settings is not None and not problems:
        problems += [_problem(at, text, places, file) for at, text in missing(settings, data)]
        origin = places.get(("data_dir",))
        base = origin.folder if isinstance(origin, Origin) else folder
        try:
            data_dir = base / settings.data_dir.expanduser()
            settings = settings.model_copy(update={"data_dir": data_dir})
        except RuntimeError:
            sentence = "`data_dir` begins with `~`, and there is no such home folder."
            problems.append(_problem(("data_dir",), sentence, places, file))
    if problems or settings is None:
        # Raised out here, where no pydantic error hangs on as the context: it holds the values.
        raise ConfigInvalid(problems)
    return settings


def _add_variables(
    data: dict[str, Any], places: Places, variables: Environment
) -> Iterator[Problem]:
    """Put what the environment says into `data`, where the file says nothing."""
    environ = variables.values
    chosen = provider(data, environ)
    for path, variable in wanted(data, environ).items():
        origin = variables.origins[variable]
        reading = Coercion(origin.file, {})
        try:
            value = reading.variable(environ[variable], _kind(path), path)
        except BadValue as wrong:
            yield Problem(origin.file, origin.line, None, f"{named(path)} {wrong}")
            continue
        yield from (Problem(origin.file, origin.line, None, p.text) for p in reading.problems)
        _put(data, path, value)
        places[path] = origin
    if chosen is not None and ("model", "provider") not in places:
        _put(data, ("model", "provider"), chosen)
        places[("model", "provider")] = variables.origins[MODEL_VARIABLE]


def _put(data: dict[str, Any], path: SettingPath, value: object) -> None:
    group = data
    for part in path[:-1]:
        group = group.setdefault(str(part), {})
    group[str(path[-1])] = value


def _kind(path: SettingPath) -> Kind:
    kind = Kind("section", section=Settings)
    for part in path:
        if kind.section is not None:
            kind = fields_of(kind.section)[str(part)]
        elif (part_kind := kind.item or kind.of) is not None:
            kind = part_kind
    return kind


def _explain(detail: ErrorDetails, places: Places, file: str) -> Problem:
    """A value of the right sort that is out of its range."""
    path = detail["loc"]
    is_written = detail["type"] == SENTENCE
    sentence = detail["msg"] if is_written else f"must be {_kind(path)}."
    return _problem(path, f"{named(path)} {sentence}", places, file)


def _problem(path: SettingPath, text: str, places: Places, file: str) -> Problem:
    """A problem at the setting, or at the nearest group around it that was written down."""
    place = next((places[path[:n]] for n in range(len(path), 0, -1) if path[:n] in places), None)
    if isinstance(place, Origin):
        return Problem(place.file, place.line, None, text)
    if place is None:
        return Problem(file, None, None, text)
    return Problem(file, place.line, place.column, text)


def _displayed(path: Path, cwd: Path) -> str:
    return str(path.relative_to(cwd)) if path.is_relative_to(cwd) else str(path)
