"""Takes a model's thinking out of the text that it wrote, where the two came as one.

A tag opens thinking only where a line begins, outside of a code fence; anywhere else it is what
the answer talks about. A block that nothing ends is thinking if the answer began with it.
"""

import re

_NAMES = "think|thinking|thought|reasoning|reasoning_scratchpad"
_opener = re.compile(rf"[ \t]*<({_NAMES})>", re.IGNORECASE)
_tag = re.compile(rf"<(?:{_NAMES})>", re.IGNORECASE)
_orphan_closer = re.compile(rf"\A(.*?)(?<!`)</(?:{_NAMES})>", re.DOTALL | re.IGNORECASE)
_fence = re.compile(r" {0,3}(`{3,}(?=[^`\n]*$)|~{3,})(.*)", re.MULTILINE)  # CommonMark 0.31, 4.5


def split_thinking(text: str) -> tuple[str, str]:
    """The text without thinking, and the thinking."""
    shown, thoughts = _without_blocks(text)
    if not thoughts and (match := _orphan_closer.match(text)) and not _tag.search(match[1]):
        # The chat templates of some models open the block in the prompt.
        shown, thoughts = text[match.end() :], [match[1]]
    if not thoughts:
        return text, ""
    return shown.strip(), "\n\n".join(t.strip() for t in thoughts if t.strip())


def _without_blocks(text: str) -> tuple[str, list[str]]:
    shown: list[str] = []
    thoughts: list[str] = []
    unclosed: set[str] = set()  # names whose closing tag does not come any more
    fence = ""
    position = len(text) - len(text.lstrip())
    while position < len(text):
        opener = None if fence else _opener.match(text, position)
        if opener and opener[1].lower() not in unclosed:
            closer = re.compile(f"</{opener[1]}>", re.IGNORECASE).search(text, opener.end())
            if closer or not shown:
                thoughts.append(text[opener.end() : closer.start() if closer else len(text)])
                position = _skip_space(text, closer.end()) if closer else len(text)
                continue
            unclosed.add(opener[1].lower())
        end = text.find("\n", position) + 1 or len(text)
        fence = _fence_after(fence, text, position)
        shown.append(text[position:end])
        position = end
    return "".join(shown), thoughts


def _fence_after(fence: str, text: str, position: int) -> str:
    """Which fence is open after the line at `position`; empty for none."""
    match = _fence.match(text, position)
    if match is None:
        return fence
    run, info = match[1], match[2]
    if not fence:
        return run
    return "" if run.startswith(fence) and not info.strip() else fence


def _skip_space(text: str, position: int) -> int:
    while position < len(text) and text[position].isspace():
        position += 1
    return position
