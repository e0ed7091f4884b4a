"""Figures: what holds, and the shape in which they are written."""

import json
from pathlib import Path

import pytest

import benchmarks
from benchmarks.figure import Bound, figure, write


@pytest.mark.parametrize(
    ("value", "bound", "holds"),
    [(2.99, "<=", True), (3, "<=", True), (3.01, "<=", False), (3, ">=", True), (2, ">=", False)],
)
def test_a_figure_holds_by_what_was_measured(value: float, bound: Bound, holds: bool) -> None:
    measured = figure("speed", value, "ms", bound, 3)
    assert measured.holds is holds
    assert measured.reach == f"{bound} 3"


def test_rounding_never_makes_a_figure_hold() -> None:
    assert not figure("speed", 3.0001, "ms", "<=", 3).holds


def test_a_figure_without_a_reach_explains_and_holds() -> None:
    assert figure("part", 12345.6, "us").holds
    assert figure("part", 12345.6, "us").reach is None
    assert figure("part", 12345.6, "us").value == 12346
    assert figure("part", 0.0123456, "us").value == 0.0123


def test_figures_are_written_as_a_list_of_objects(tmp_path: Path) -> None:
    write(tmp_path / "out.json", [figure("speed", 1.5, "ms", "<=", 3)])
    assert json.loads((tmp_path / "out.json").read_text()) == [
        {"name": "speed", "value": 1.5, "unit": "ms", "reach": "<= 3", "holds": True}
    ]


def test_one_theme_can_be_measured_alone(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    code = benchmarks.main(["--only", "sizes", "--json", str(tmp_path / "out.json")])
    figures = json.loads((tmp_path / "out.json").read_text())
    assert code == (0 if all(each["holds"] for each in figures) else 1)
    assert "hermes_agent.snapshot.wasm" in {each["name"] for each in figures}
    assert "hermes_agent.snapshot.wasm" in capsys.readouterr().out
