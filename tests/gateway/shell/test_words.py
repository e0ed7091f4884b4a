"""What is understood of a command line is what bash makes of it: told by bash itself."""

import subprocess
import sys
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from gateway.shell.words import NotUnderstood, Plain, commands_of

BASH = Path("/bin/bash")

WORDS = """
    zz yy a 1 2 12 3 - -x = a=b * ? [ ] , / . @ : % + é time in then [[ ]] ! # { } ~ ^ $ \\ ( ) ` '
    " 'x|y' "p;q" '' "" ; | & && || |& &> > < >> 2> 2>&1 >&2 <& >| <> << <<< &1 3>
"""
BLANKS = (" ", "  ", "\t", "\n", "\r", "'x y'", '"p q"', "\u00a0")
ATOMS = st.sampled_from([*WORDS.split(), *BLANKS])
LINES = st.lists(ATOMS, min_size=1, max_size=9).map("".join)

# Nothing is found, and bash says what it looked for, each time in a process and a file of its own.
SAYING = """
command_not_found_handle() { printf '%s\\0' "$@" > "$SAID/$BASHPID"; }
set -f
"""


def commands_that_bash_looks_for(line: str, folder: Path) -> set[tuple[str, ...]]:
    """All of them, in no order: those of a pipe run beside each other."""
    said, work = folder / "said", folder / "work"
    said.mkdir()
    work.mkdir()
    subprocess.run(
        [BASH, "--norc", "--noprofile", "-c", f"{SAYING}{line}\nwait\n"],
        env={"PATH": "/nowhere", "SAID": str(said), "LC_ALL": "C.UTF-8"},
        cwd=work,
        check=False,
        capture_output=True,
        stdin=subprocess.DEVNULL,
        timeout=20,
    )
    texts = [path.read_bytes().decode() for path in said.iterdir()]
    return {tuple(text.split("\0")[:-1]) for text in texts}


@pytest.mark.skipif(sys.platform != "linux" or not BASH.exists(), reason="needs a bash of today")
@settings(max_examples=150)
@given(line=LINES)
def test_bash_runs_nothing_but_the_commands_that_are_understood(
    tmp_path_factory: pytest.TempPathFactory, line: str
) -> None:
    line = f"zz {line}"
    try:
        understood = {command.words for command in commands_of(line)}
    except NotUnderstood:
        return
    folder = tmp_path_factory.mktemp("bash")
    assert commands_that_bash_looks_for(line, folder) <= understood


def test_words_are_what_the_program_gets() -> None:
    assert commands_of("cp 'a b' \"c\"d *.txt >out 2>/dev/null") == [
        Plain(("cp", "a b", "cd", "*.txt"), ("out", "/dev/null"), frozenset({"*.txt"}))
    ]


@pytest.mark.parametrize(
    "line", ["zz &>b rm a", "3>b rm a", "zz 12>b", "zz >&2rm", "zz 2>&1'a'", "zz >| b", "zz <> b"]
)
def test_redirections_that_are_more_than_they_seem_are_not_understood(line: str) -> None:
    with pytest.raises(NotUnderstood):
        commands_of(line)
