"""Telegram: the Bot API by long polling, with the python-telegram-bot client.

`adapter.py` is the way in; it puts together `polling.py` (updates in), `inbound.py` (their
meaning), `rendering.py` (Markdown to text and entities) and `sending.py` (calls and their errors).
"""

import os

# The client gives retry_after as a timedelta only if asked before it is imported, and else warns
# about it inside the error itself (python-telegram-bot 22.2, "deprecated: time periods as int").
os.environ.setdefault("PTB_TIMEDELTA", "true")
