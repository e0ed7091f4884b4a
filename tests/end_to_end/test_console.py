"""The terminal, as a newcomer and as a script would use it: the demo model, nothing set up."""

import signal
from pathlib import Path

from tests.end_to_end.process import finished
from tests.end_to_end.terminal import terminal


async def test_piped_lines_are_answered_one_after_the_other(tmp_path: Path) -> None:
    lines = "remember that my cat is called Luna\nwhat is my cat called?\n"
    first = await finished("run", cwd=tmp_path, stdin=lines)
    assert first.code == 0
    assert "Your cat is called Luna.\n" in first.stdout
    assert "Hermes" in first.stderr
    again = await finished("run", cwd=tmp_path, stdin="what is my cat called?")
    assert again.stdout.startswith("Your cat is called Luna.")


async def test_a_piped_conversation_can_answer_questions_and_give_commands(
    tmp_path: Path,
) -> None:
    lines = "ask me a question\n2\n/new\n/help\nquit\nnever read\n"
    run = await finished("run", "--dev", cwd=tmp_path, stdin=lines)
    assert run.code == 0
    assert "  2) Summer" in run.stdout
    assert "You said **Summer**" in run.stdout
    assert "A new conversation." in run.stdout
    assert "/stop - " in run.stdout


async def test_nothing_to_read_is_nothing_to_do(tmp_path: Path) -> None:
    run = await finished("run", "--dev", cwd=tmp_path)
    assert (run.code, run.stdout) == (0, "")


async def test_a_person_chats_is_asked_interrupts_and_leaves(tmp_path: Path) -> None:
    async with terminal("run", "--dev", cwd=tmp_path) as (screen, process):
        await screen.until("you ›")
        screen.type("ask me a question\r")
        await screen.until("Summer")
        await screen.until("you ›")
        screen.type("2\r")
        await screen.until("You said")
        await screen.until("you ›")
        screen.type("long answer\r")
        await screen.until("Mercury")
        process.send_signal(signal.SIGINT)  # what Ctrl-C at a terminal sends
        await screen.until("(stopped)")
        await screen.until("you ›")
        screen.type("\x04")
        assert await process.wait() == 0


async def test_ctrl_c_at_the_prompt_ends_the_gateway(tmp_path: Path) -> None:
    async with terminal("run", "--dev", cwd=tmp_path) as (screen, process):
        await screen.until("you ›")
        process.send_signal(signal.SIGINT)
        assert await process.wait() == 0
