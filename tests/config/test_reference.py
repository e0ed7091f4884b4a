"""The example file and the table in the docs say what the settings say."""

import re
from collections.abc import Callable
from pathlib import Path

from config.kinds import all_paths, fields_of
from config.reference import EXAMPLE, PAGE, example, page
from config.section import Section
from config.settings import Settings

Load = Callable[..., Settings]

COMMENTED_OUT = re.compile(r"^( *)#(?! )", re.MULTILINE)


def test_the_example_is_up_to_date() -> None:
    assert EXAMPLE.read_text(encoding="utf-8") == example(), "run: python -m config.reference"


def test_the_table_in_the_docs_is_up_to_date() -> None:
    text = PAGE.read_text(encoding="utf-8")
    assert text == page(text), "run: python -m config.reference"


def test_the_example_as_it_is_gives_the_defaults(load: Load, tmp_path: Path) -> None:
    text = EXAMPLE.read_text(encoding="utf-8")
    assert load(text) == Settings(data_dir=tmp_path / "data")


def test_the_example_gives_the_defaults_when_everything_is_uncommented(
    load: Load, tmp_path: Path
) -> None:
    text = COMMENTED_OUT.sub(r"\1", EXAMPLE.read_text(encoding="utf-8"))
    assert load(text) == Settings(data_dir=tmp_path / "data")


def test_every_setting_is_in_the_example() -> None:
    text = COMMENTED_OUT.sub(r"\1", EXAMPLE.read_text(encoding="utf-8"))
    found: set[tuple[str, ...]] = set()
    above: tuple[str, ...] = ()
    for indent, key in re.findall(r"^( *)(\w+):", text, re.MULTILINE):
        above = (*above[: len(indent) // 2], key)
        found.add(above)
    assert found == set(all_paths(Settings))


def test_every_setting_is_explained() -> None:
    def unexplained(section: type[Section]) -> list[str]:
        return [
            name
            for name, kind in fields_of(section).items()
            if kind.section is None and not section.model_fields[name].description
        ] + [n for k in fields_of(section).values() if k.section for n in unexplained(k.section)]

    assert unexplained(Settings) == []
