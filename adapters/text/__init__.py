"""What more than one platform needs to lay out a text; knows none of them.

`bounded.py` keeps the parser's time in proportion to the text, `nesting.py` says what is too deep
to be walked, `lines.py` what the parser takes for a line, `plain.py` takes the words out of what
was parsed, `cells.py` and `tables.py` make a table readable, `definitions.py` finds what is looked
up, `graphemes.py` says where a text may be cut, `characters.py` what can be seen at all.
"""
