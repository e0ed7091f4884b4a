"""Telegram: the Bot API by long polling or webhook, with the python-telegram-bot client.

`adapter.py` is the way in. It puts together `polling.py` and `webhook.py` (updates in), `inbound/`
(their meaning), `downloads.py` (files in), `rendering.py` (Markdown to text and entities) and
`sending.py` (calls and their errors), which asks `files.py` what a file is to Telegram. `drafts.py`
shows what grows, `menus.py` the commands; `mentions.py` sees to it that no name notifies anybody.
`bot.py` makes the client's bot, `requests.py` its connections; `patience.py` says how long to wait,
`migration.py` follows groups to new ids.

Rendering goes from `dialect.py` (what models write) by `markdown.py` and `builder.py` to a text as
`styled.py` has it, which `splitting.py` cuts.
"""

import os

# The client gives retry_after as a timedelta only if asked before it is imported, and else warns
# about it inside the error itself (python-telegram-bot 22.2, "deprecated: time periods as int").
os.environ.setdefault("PTB_TIMEDELTA", "true")
