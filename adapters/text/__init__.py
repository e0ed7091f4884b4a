"""What more than one platform needs to lay out a text; knows none of them.

`graphemes.py` says where a text may be cut, `tables.py` makes a table readable, `characters.py`
says what can be seen at all.
"""
