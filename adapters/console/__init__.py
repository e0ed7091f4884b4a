"""The chat in the terminal.

`adapter.py` is the way in; it puts together `lines.py` (what is typed, or piped in) and
`screen.py` (what is shown, streaming on a terminal and as plain lines elsewhere).
"""
