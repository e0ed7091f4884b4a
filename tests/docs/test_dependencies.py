"""Each dependency has its sentence in docs/dependencies.md, and none outlives its package."""

import re
import tomllib
from fnmatch import fnmatch
from pathlib import Path

ROOT = Path(__file__).parents[2]
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
SECTIONS = dict(
    part.split("\n", 1)
    for part in (ROOT / "docs" / "dependencies.md").read_text(encoding="utf-8").split("\n## ")[1:]
)


def wanted(*requirements: str) -> set[str]:
    return {re.split(r"[^A-Za-z0-9.-]", one)[0].lower() for one in requirements}


def told(section: str) -> set[str]:
    """The packages in a section's table; one row may be about several, or a family (`types-*`)."""
    rows = re.findall(r"^\| ([^|]+) \|", SECTIONS[section], re.MULTILINE)
    names = (name for row in rows[1:] for name in re.sub(r"\(.*?\)", "", row).split(","))
    return {name.strip().lower() for name in names}


def test_what_is_needed_to_run_is_told_and_nothing_else() -> None:
    extras = PROJECT["optional-dependencies"]
    to_run = (*PROJECT["dependencies"], *extras["telegram"], *extras["discord"], *extras["tools"])
    assert told("At run time") == wanted(*to_run)


def test_what_the_tests_need_is_told_and_nothing_else() -> None:
    test = wanted(*PROJECT["optional-dependencies"]["test"])
    rows = {row for row in told("For the tests") if not row.startswith("@")}  # not from PyPI
    assert [name for name in test if not any(fnmatch(name, row) for row in rows)] == []
    assert [row for row in rows if not any(fnmatch(name, row) for name in test)] == []
