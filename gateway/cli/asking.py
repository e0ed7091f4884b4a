"""Asking a person at a terminal, or whoever wrote the lines that are piped in.

Where nothing more comes, every answer is the default: a pipe need not answer every question.
"""

import getpass
import sys
from collections.abc import Callable, Sequence

from gateway.errors import StartupError

Check = Callable[[str], str | None]
"""What is wrong with an answer, as a sentence; None if nothing is."""


class Asker:
    """Puts questions on stdout and reads answers from stdin; with `takes_defaults` it asks none."""

    def __init__(self, *, takes_defaults: bool) -> None:
        self._takes_defaults = takes_defaults
        self._is_terminal = sys.stdin.isatty()

    def say(self, text: str) -> None:
        """Explain a question; nothing, where none is asked."""
        if not self._takes_defaults:
            self.tell(text)

    def tell(self, text: str) -> None:
        """Tell the person something in any case."""
        sys.stdout.write(f"{text}\n")
        sys.stdout.flush()

    def ask(
        self, question: str, default: str = "", *, check: Check | None = None, hidden: bool = False
    ) -> str:
        """The answer, stripped; the default for none. A wrong one is asked for again.

        Raises `StartupError` if the wrong answer was piped in.
        """
        while True:
            shown = f"{question} [{default}]: " if default else f"{question}: "
            answer = self._answer(shown, hidden=hidden) or default
            wrong = check(answer) if check is not None and answer else None
            if wrong is None:
                return answer
            if not self._is_terminal:
                raise StartupError(f"{question}: {wrong}")
            self.say(wrong)

    def choose(self, question: str, choices: Sequence[str], default: int) -> int:
        """The index of one of the choices."""
        for number, choice in enumerate(choices, start=1):
            self.say(f"  {number}) {choice}")

        def check(answer: str) -> str | None:
            is_one = answer.isdecimal() and 1 <= int(answer) <= len(choices)
            return None if is_one else f"Type a number from 1 to {len(choices)}."

        return int(self.ask(question, str(default + 1), check=check)) - 1

    def agree(self, question: str) -> bool:
        """Yes or no; no, if nothing is said."""
        return self.ask(f"{question} (y/n)", "n").lower() in {"y", "yes"}

    def _answer(self, prompt: str, *, hidden: bool) -> str:
        if self._takes_defaults:
            return ""
        if hidden and self._is_terminal:
            return getpass.getpass(prompt).strip()
        sys.stdout.write(prompt)
        sys.stdout.flush()
        line = sys.stdin.readline()
        if not self._is_terminal:
            sys.stdout.write("\n")  # what was piped in is not shown: the next line begins here
        if not line and self._is_terminal:
            raise KeyboardInterrupt  # Ctrl-D: the person wants out
        return line.strip()
