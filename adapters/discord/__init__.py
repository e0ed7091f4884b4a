"""Discord: the gateway and the HTTP API, with the discord.py client.

`adapter.py` is the way in; `clients.py` and `connecting.py` make the client and keep it connected.

- Events in: `listening.py` gets them, `inbound.py` and `contents.py` say what they mean,
  `places.py` where they happened, `downloads.py` fetches files.
- Commands, buttons, forms: `interacting.py` answers them by what `interactions.py` holds;
  `commands.py`, `components.py` and `forms.py` are what people see of them, `syncing.py` tells
  Discord, `waiting.py` clears up. `desk.py` is what the gateway is asked.
- Replies out: `markdown.py` reads, `lines.py` and `splitting.py` cut, `escaping.py` writes,
  `rendering.py` makes parts; `sending.py` shows them, as fast as `pacing.py` lets it; `errors.py`
  says what went wrong.
"""
