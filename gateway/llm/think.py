"""Keeps a model's thinking out of the text that a person watches being written.

Some models write their reasoning into the answer, as `<think>…</think>`. This filter takes it out
while the text arrives, wherever the pieces are cut. It works for the person's eyes only: the
assembled completion keeps the text as it came, and the agent draws its own line there.

A tag opens thinking only at the beginning of a line outside of a code fence; elsewhere it is
something that the answer talks about.
"""

import re

NAMES = ("think", "thinking", "thought", "reasoning", "reasoning_scratchpad")
TAGS = tuple(tag for name in NAMES for tag in (f"<{name}>", f"</{name}>"))
LONGEST_TAG = max(map(len, TAGS))

FENCE_CHARS = 200  # of a piece of a line are enough to see whether the line is a fence
FENCE = re.compile(r" {0,3}(`{3,}|~{3,})(.*)", re.DOTALL)  # CommonMark 0.31, 4.5


class ThinkFilter:
    """Feed it text as it comes; it returns what may be shown."""

    def __init__(self) -> None:
        self._pending = ""  # not decided yet
        self._line: str | None = None  # what the current line shows; None: at its beginning
        self._fence = ""  # the run of ` or ~ that opened the code block we are in
        self._closing = ""  # the tag that ends the thinking we are in
        self._hidden: list[str] | None = None  # thinking to be shown after all if nothing ends it
        self._is_blank = True  # nothing was shown yet
        self._skips_space = False  # right behind a closing tag

    def feed(self, text: str) -> str:
        """The next piece; returns the text that it makes visible, often empty."""
        self._pending += text
        shown: list[str] = []
        while self._pending and (self._hide() if self._closing else self._show(shown)):
            pass
        return "".join(shown)

    def flush(self) -> str:
        """The text ends here: returns what was still held back. The filter is of no more use.

        Thinking that nothing ends was thinking if the answer began with it. Further down it was
        more likely a mention of the tag, and a person would miss the rest of the answer.
        """
        held = "".join(self._hidden or ()) + self._pending
        ends_in_thought = bool(self._closing) and self._hidden is None
        return "" if ends_in_thought else held

    def _hide(self) -> bool:
        """Drop thinking up to its end. True if there is more to look at."""
        end = re.search(re.escape(self._closing), self._pending, re.IGNORECASE)
        if end is None:
            # The last characters may be the beginning of the closing tag.
            keep = max(0, len(self._pending) - len(self._closing) + 1)
            if self._hidden is not None:
                self._hidden.append(self._pending[:keep])
            self._pending = self._pending[keep:]
            return False
        self._pending = self._pending[end.end() :]
        self._closing, self._hidden = "", None
        self._skips_space, self._line = True, None
        return True

    def _show(self, shown: list[str]) -> bool:
        """Pass on one line, or what there is of it. True if there is more to look at."""
        if self._skips_space:
            self._pending = self._pending.lstrip()
            if not self._pending:
                return False
            self._skips_space = False
        if self._line is None:
            if not self._fence and (is_undecided := self._open()) is not None:
                return not is_undecided
            self._line = ""
        line, newline, self._pending = self._pending.partition("\n")
        shown.append(line + newline)
        self._is_blank = False
        self._line += line[:FENCE_CHARS]
        if newline:
            self._fence = fence_after(self._fence, self._line)
            self._line = None
        return bool(self._pending)

    def _open(self) -> bool | None:
        """Look for a tag where a line begins: None if there is none, True if it takes more text
        to know, False if one was taken."""
        is_first = self._is_blank
        rest = self._pending.lstrip() if is_first else self._pending.lstrip(" \t")
        start = rest[:LONGEST_TAG].lower()
        tag = next((tag for tag in TAGS if start.startswith(tag)), None)
        if tag is None:
            return True if any(tag.startswith(start) for tag in TAGS) else None
        if tag.startswith("</"):
            # Its opening tag was part of the prompt (DeepSeek-R1's template).
            self._skips_space = True
        else:
            self._closing = "</" + tag[1:]
            self._hidden = None if is_first else [self._pending[: -len(rest)] + rest[: len(tag)]]
        self._pending = rest[len(tag) :]
        return False


def fence_after(fence: str, line: str) -> str:
    """Which fence is open after a line, given the one that was open before it; empty for none."""
    match = FENCE.match(line)
    if match is None:
        return fence
    run, info = match[1], match[2]
    if fence:
        is_closing = run.startswith(fence) and not info.strip()
        return "" if is_closing else fence
    # A backtick in the info string makes it a code span, not a fence.
    return "" if run[0] == "`" and "`" in info else run
