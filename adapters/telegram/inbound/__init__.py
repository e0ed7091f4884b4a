"""What updates mean: from a Bot API `Update` to the gateway's events.

`reader.py` is the way in. `updates.py` is the table of kinds, `messages.py` puts a message together
from `places.py` (where and who), `entities.py` (mentions and commands), `markup.py` (code and
links), `audience.py` (whether it is meant for us), `attachments.py` (files), `wordless.py`
(stickers, places, polls, …), `rich.py` (rich messages) and `origins.py` (forwards and quotations).
Who may talk is the gateway's business.
"""
