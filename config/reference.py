"""Writes what the settings say about themselves: the example, the JSON Schema, the docs' table.

`python -m config.reference` brings `config/hermes.example.yaml`, `config/hermes.schema.json` and
`docs/configuration.md` up to date; tests compare them with what this module makes.
"""

import textwrap
from collections.abc import Iterator
from pathlib import Path

import yaml

from config import schema
from config.document import Dumper
from config.dumping import plain
from config.fallbacks import FALLBACKS, OF_PROVIDER
from config.kinds import Kind, fields_of
from config.section import Section
from config.settings import Settings

ROOT = Path(__file__).parent.parent
EXAMPLE = ROOT / "config" / "hermes.example.yaml"
PAGE = ROOT / "docs" / "configuration.md"
BEGIN = "<!-- begin: made by `python -m config.reference` -->"
END = "<!-- end -->"

_HEAD = f"""\
# yaml-language-server: $schema={schema.FILE.name}
#
# The settings of hermes-gateway. Copy this file to hermes.yaml and take the `#` off a line to
# change it: each shows its default. What is left out keeps its default. `${{NAME}}` stands for an
# environment variable, `${{NAME:-text}}` for one with a default; `.env` beside this file is read
# too. docs/configuration.md says more. The first line tells editors where the JSON Schema is: mend
# its path in a copy.
"""

# What a newcomer would write where the default is nothing; both are nothing without the variable.
_SHOWN: dict[tuple[str, ...], str] = {
    ("model", "api_key"): "${OPENAI_API_KEY:-}",
    ("telegram", "token"): "${TELEGRAM_BOT_TOKEN:-}",
    ("discord", "token"): "${DISCORD_BOT_TOKEN:-}",
}


def _default(section: type[Section], name: str) -> object:
    return plain(section.model_fields[name].get_default(call_default_factory=True))


def as_yaml(value: object) -> str:
    """One line of YAML."""
    is_flow = isinstance(value, list)
    text: str = yaml.dump(
        {"x": value}, Dumper=Dumper, default_flow_style=is_flow, allow_unicode=True, width=10_000
    )
    line = text.strip()
    return (line[1:-1] if is_flow else line).removeprefix("x: ")


def _comment(text: str, indent: str) -> str:
    return textwrap.fill(text, 96, initial_indent=f"{indent}# ", subsequent_indent=f"{indent}# ")


def example() -> str:
    """The text of `hermes.example.yaml`."""
    return _HEAD + "".join(_example_lines(Settings, ()))


def _example_lines(section: type[Section], above: tuple[str, ...]) -> Iterator[str]:
    indent = "  " * len(above)
    for name, kind in fields_of(section).items():
        path = (*above, name)
        if kind.section is not None and not kind.is_optional:
            yield f"\n{_comment(kind.section.__doc__ or '', indent)}\n{indent}{name}:\n"
            yield from _example_lines(kind.section, path)
            continue
        shown = _SHOWN.get(path) or as_yaml(_default(section, name))
        note = _note(kind, path)
        description = section.model_fields[name].description or ""
        yield f"\n{_comment(f'{description} {note}'.strip(), indent)}\n"
        yield f"{indent}#{name}: {shown}\n"


def _note(kind: Kind, path: tuple[str, ...]) -> str:
    """What the description doesn't say: the range, and the variable that stands for it."""
    words = f"{kind}."
    notes = [words[0].upper() + words[1:]] if kind.bounds or kind.choices else []
    if path in FALLBACKS:
        notes.append(f"If this is left out, {_variables(path, '')} is asked.")
    return " ".join(notes)


def _variables(path: tuple[str, ...], quote: str) -> str:
    """The variables that stand for a setting."""
    names = [FALLBACKS[path], *(own[path] for own in OF_PROVIDER.values() if path in own)]
    return " or ".join(f"{quote}{name}{quote}" for name in names)


def table() -> str:
    """The reference in Markdown: one table for each group."""
    return "\n".join(_tables(Settings, ()))


def _tables(section: type[Section], above: tuple[str, ...]) -> Iterator[str]:
    if above:
        yield f"\n### `{'.'.join(above)}`\n\n{section.__doc__}\n"
    yield "| setting | takes | default | what it is for |\n|---|---|---|---|"
    below: list[tuple[type[Section], tuple[str, ...]]] = []
    for name, kind in fields_of(section).items():
        path = (*above, name)
        if kind.section is not None and not kind.is_optional:
            below.append((kind.section, path))
            continue
        if kind.of is not None and kind.of.section is not None:
            below.append((kind.of.section, (*path, "NAME")))
        default = as_yaml(_default(section, name))
        shown = "unset" if default == "null" else f"`{default}`"
        description = section.model_fields[name].description or ""
        if path in FALLBACKS:
            description += f" If it is left out: {_variables(path, '`')}."
        cells = [f"`{name}`", str(kind), shown, description]
        yield f"| {' | '.join(cell.replace('|', chr(92) + '|') for cell in cells)} |"
    for inner, path in below:
        yield from _tables(inner, path)


def page(text: str) -> str:
    """The page with its generated part renewed."""
    head, rest = text.split(BEGIN)
    _, tail = rest.split(END)
    return f"{head}{BEGIN}\n\n{table()}\n\n{END}{tail}"


def main() -> None:
    """Bring all files up to date."""
    schema.FILE.write_text(schema.schema_text(), encoding="utf-8")
    EXAMPLE.write_text(example(), encoding="utf-8")
    PAGE.write_text(page(PAGE.read_text(encoding="utf-8")), encoding="utf-8")


if __name__ == "__main__":
    main()
