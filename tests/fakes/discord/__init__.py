"""A Discord on a loopback port: its gateway over WebSocket, and its HTTP API.

It speaks the part of the protocol that a bot meets: HELLO, IDENTIFY, HEARTBEAT, READY, RESUME with
replay, INVALID_SESSION and the close codes 4004 and 4014; messages, threads, reactions, files,
commands, interactions with their three seconds; rate-limit headers and 429, for each route and for
all. It holds the bot to the real limits and counts what the real one would punish.

- `server.py`: the server, and what a test does with it
- `world.py`: people, servers, channels, messages, as the payloads that Discord sends
- `gateway.py`: sessions and their events
- `calls.py`: the HTTP API; `checks.py`: what it refuses; `interactions.py`: what people click
- `limits.py`: rate limits; `faults.py`: what a network can do to a call
"""

from tests.fakes.discord.server import FakeDiscord
from tests.fakes.discord.world import Channel, Guild, Message, Person

__all__ = ["Channel", "FakeDiscord", "Guild", "Message", "Person"]
