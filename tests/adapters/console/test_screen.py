"""What stands on a terminal, and what in a pipe."""

import io

import pytest
from rich.console import Console

from adapters.console.screen import PlainScreen, TerminalScreen

TEXT = "# Title\n\nFirst paragraph.\n\n- one\n- two\n\nLast *paragraph*."


def lively() -> tuple[TerminalScreen, io.StringIO]:
    file = io.StringIO()
    console = Console(file=file, force_terminal=True, width=60, height=10, color_system=None)
    return TerminalScreen(console), file


def on_screen(output: str) -> list[str]:
    """The lines that a terminal would show: cursor movements of redrawing are carried out."""
    lines: list[str] = [""]
    row = column = 0
    position = 0
    while position < len(output):
        char = output[position]
        if output.startswith("\x1b[", position):
            end = position + 2
            while not output[end].isalpha():
                end += 1
            count = output[position + 2 : end]
            if output[end] == "A":
                row -= int(count or 1)
            elif output[end] == "K":
                lines[row] = lines[row][:column] if count in ("", "0") else ""
            position = end + 1
            continue
        if char == "\n":
            row, column = row + 1, 0
            while len(lines) <= row:
                lines.append("")
        elif char == "\r":
            column = 0
        else:
            line = lines[row].ljust(column)
            lines[row] = line[:column] + char + line[column + 1 :]
            column += 1
        position += 1
    return [line.rstrip() for line in lines]


def test_the_interpreter_of_redraws_is_right() -> None:
    assert on_screen("ab\ncd\x1b[1A\r\x1b[2Kx") == ["x", "cd"]


@pytest.mark.parametrize("step", [1, 7, 1_000])
def test_a_text_that_grew_stands_there_once(step: int) -> None:
    screen, file = lively()
    screen.wait()
    for end in range(1, len(TEXT) + step, step):
        screen.grow(TEXT[:end])
    screen.finish(TEXT, [])
    shown = "\n".join(on_screen(file.getvalue()))
    for piece in ("Title", "First paragraph.", "one", "two", "Last paragraph."):
        assert shown.count(piece) == 1, shown


def test_a_text_that_begins_anew_says_so() -> None:
    screen, file = lively()
    screen.grow("Wrong.\n\nMore that is wr")
    screen.grow("Right.")
    screen.finish("Right.", [])
    shown = on_screen(file.getvalue())
    assert "(once more)" in shown
    assert "Right." in shown
    assert "More that is wr" not in "\n".join(shown)


def test_a_block_taller_than_the_screen_is_shown_whole_in_the_end() -> None:
    screen, file = lively()
    rows = [f"- row {n:03}" for n in range(40)]
    for end in range(1, 41):
        screen.grow("\n".join(rows[:end]))
    screen.finish("\n".join(rows), [])
    shown = "\n".join(on_screen(file.getvalue()))
    assert all(shown.count(f"row {n:03}") == 1 for n in range(40)), shown


def test_choices_are_numbered() -> None:
    screen, file = lively()
    screen.finish("Which?", ["Berlin", "Paris"])
    assert on_screen(file.getvalue())[:3] == ["Which?", "  1  Berlin", "  2  Paris"]


def test_a_pipe_gets_final_texts_as_they_are() -> None:
    file = io.StringIO()
    screen = PlainScreen(Console(file=file))
    screen.wait()
    screen.grow("**bold [red]te")
    screen.finish("**bold [red]text**", [])
    screen.finish("Which?", ["Berlin"])
    screen.rest()
    assert file.getvalue() == "**bold [red]text**\nWhich?\n  1) Berlin\n"


HOSTILE = "a\x1b[2Jb\x1b]52;c;cm0=\x07c\x9b1md\x08\re\x7f"
SHOWN = "a␛[2Jb␛]52;c;cm0=␇c\ufffd1md␈␍e\ufffd"


@pytest.mark.parametrize("is_lively", [True, False])
def test_nothing_that_is_shown_commands_the_terminal(*, is_lively: bool) -> None:
    file = io.StringIO()
    console = Console(file=file, force_terminal=is_lively, width=80, color_system=None)
    screen = TerminalScreen(console) if is_lively else PlainScreen(console)
    screen.grow(f"{HOSTILE}\n\nsecond")
    screen.finish(f"{HOSTILE}\n\nsecond\r\nthird\tfourth", [f"x{HOSTILE}"])
    screen.add(f"y{HOSTILE}")
    printed = file.getvalue()
    assert "\x1b]" not in printed
    assert "\x1b[2J" not in printed
    assert not set(printed) & set("\x07\x08\x7f\x9b")
    for expected in (SHOWN, f"x{SHOWN}", f"y{SHOWN}"):
        assert expected in printed
    assert "(once more)" not in printed
