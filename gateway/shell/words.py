"""A command line as plain commands with plain words, or the reason why it can't be told. Pure.

This is no parser of bash, and is meant not to be one: whoever guesses what bash will make of a
line can be led to guess wrong. What is understood is a small part of the language in which every
character means what it seems to mean: words, quotes without anything special in them, the operators
between commands, and redirections to files. Everything else is not understood, which is an answer.
"""

import re
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Plain:
    """One command: its words as the program will get them, but for `*`, `?` and `[…]`."""

    words: tuple[str, ...]
    writes: tuple[str, ...] = ()  # files that its output is sent to
    globs: frozenset[str] = frozenset()  # words that stand for names of files


class NotUnderstood(Exception):
    """The line uses more of the language than is read here; the text says what."""


_BLANK = re.compile(r"[ \t]+")
_OPERATOR = re.compile(r"&&|\|\||[;|\n]|&(?!>)")
_REDIRECTION = re.compile(
    r"(?:[012]?(?P<out>>>|>)|(?P<in><))[ \t]*(?P<to>&[012](?=[ \t\n;|&<>]|\Z))?"
)
# Letters, digits, and the marks that mean nothing to a shell within a word; `*?[]` may stand for
# names of files. Not among them: $ ` \ { } ( ) ! # ~ ^ and everything invisible.
_PLAIN = re.compile(r"[\w%+,./:=@*?\[\]-]+")
_SINGLE = re.compile(r"'([^'\0]*)'")
_DOUBLE = re.compile(r'"([^"$`\\!\0]*)"')

_GLOB = frozenset("*?[]")

_SUBSTITUTES = {
    "$": "a variable or a substitution",
    "`": "a substitution",
    "\\": "a backslash",
    "{": "braces",
    "}": "braces",
    "(": "parentheses",
    ")": "parentheses",
    "!": "an exclamation mark",
    "#": "a number sign",
    "~": "a tilde",
    "^": "a caret",
    "<": "input that is not a file",
    "'": "a quote without its end",
    '"': "a quote with something special in it",
}
_KEYWORDS = (
    "if then else elif fi for while until do done case esac select function in time coproc [[ ]]"
)


def commands_of(line: str) -> list[Plain]:
    """The commands of a line, in their order. Raises `NotUnderstood`."""
    commands: list[Plain] = []
    words: list[str] = []
    writes: list[str] = []
    globs: set[str] = set()
    position = 0

    def end_command() -> None:
        if words:
            _check_name(words[0])
            commands.append(Plain(tuple(words), tuple(writes), frozenset(globs)))
        elif writes:
            raise NotUnderstood("It has a redirection without a command.")
        words.clear()
        writes.clear()
        globs.clear()

    while position < len(line):
        if match := _BLANK.match(line, position):
            position = match.end()
        elif match := _OPERATOR.match(line, position):
            end_command()
            position = match.end()
        elif match := _REDIRECTION.match(line, position):
            position = match.end()
            if match["to"]:
                continue  # to another stream of the same command
            target, _, position = _word(line, position)
            if target.startswith(("/dev/tcp/", "/dev/udp/")):
                raise NotUnderstood("It opens a connection.")  # bash does, there is no such file
            if match["out"]:
                writes.append(target)
        else:
            word, is_glob, position = _word(line, position)
            words.append(word)
            globs |= {word} if is_glob else set()
    end_command()
    if not commands:
        raise NotUnderstood("It holds no command.")
    return commands


def _word(line: str, start: int) -> tuple[str, bool, int]:
    """The word there, whether it stands for names of files, and where it ends."""
    parts: list[str] = []
    is_glob = False
    position = start
    while position < len(line):
        for pattern in (_PLAIN, _SINGLE, _DOUBLE):
            if match := pattern.match(line, position):
                parts.append(match[match.lastindex or 0])
                is_glob = is_glob or (pattern is _PLAIN and bool(_GLOB & set(match[0])))
                position = match.end()
                break
        else:
            break
    # A word ends at a blank or an operator; `2` before `>` was a redirection already.
    is_end = position == len(line) or line[position] in " \t\n;|&<>"
    if not is_end:
        raise NotUnderstood(_reason(line[position]))
    if line[position : position + 1] in {"<", ">"} and line[start:position].isdigit():
        raise NotUnderstood("It redirects a stream of its own.")
    if position == start:
        raise NotUnderstood(_reason(line[position] if position < len(line) else ""))
    return "".join(parts), is_glob, position


def _reason(character: str) -> str:
    what = _SUBSTITUTES.get(character, "a character that may mean anything")
    return f"It holds {what}."


def _check_name(name: str) -> None:
    if "=" in name:
        raise NotUnderstood("It sets a variable.")
    if _GLOB & set(name):
        raise NotUnderstood("The name of a command is a pattern.")
    if name in _KEYWORDS.split() or not name:
        raise NotUnderstood("It is a program of the shell's own language.")
