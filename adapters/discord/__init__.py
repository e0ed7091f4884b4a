"""Discord: the gateway and the HTTP API, with the discord.py client.

`adapter.py` is the way in. Events in: `listening.py` gets them, `inbound.py` and `contents.py` say
what they mean, `places.py` where they happened. Replies out: `rendering.py` makes parts of
Markdown, `sending.py` puts them on the screen, `errors.py` says what went wrong.
"""
