"""The gateway: connections, sessions that outlive them, and the events that each has been sent.

A session keeps its events, so that a client which lost its connection can resume: what came after
the sequence number that it has seen is sent once more. `replay_all` sends everything again, as
Discord now and then does.
"""

import asyncio
import contextlib
import secrets
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from aiohttp import WSMsgType, web

from tests.fakes.discord.world import Json

DISPATCH, HEARTBEAT, IDENTIFY, RESUME, RECONNECT, INVALID, HELLO, ACK = 0, 1, 2, 6, 7, 9, 10, 11
MESSAGE_CONTENT = 1 << 15


@dataclass
class Session:
    """What one identified client has been sent."""

    id: str = field(default_factory=lambda: secrets.token_hex(8))
    intents: int = 0
    shard: tuple[int, int] = (0, 1)
    events: list[Json] = field(default_factory=list)
    socket: web.WebSocketResponse | None = None


@dataclass
class Gateway:
    """All sessions of one bot."""

    token: str
    ready: Callable[[Session], list[tuple[str, Json]]]
    changed: Callable[[], None]
    heartbeat_s: float = 41.25
    allowed_intents: int = (1 << 32) - 1
    replay_all: bool = False
    refuses_resume: bool = False
    identifies: int = 0
    resumes: int = 0
    sessions: dict[str, Session] = field(default_factory=dict)
    latencies_s: list[float] = field(default_factory=list)  # of heartbeats beyond their time
    beats: int = 0

    async def serve(self, request: web.Request) -> web.WebSocketResponse:
        """One connection."""
        socket = web.WebSocketResponse()
        await socket.prepare(request)
        await socket.send_json(
            {"op": HELLO, "d": {"heartbeat_interval": int(self.heartbeat_s * 1000)}}
        )
        due = time.monotonic() + self.heartbeat_s
        async for frame in socket:
            if frame.type is not WSMsgType.TEXT:
                continue
            message: Json = frame.json()
            if message["op"] == HEARTBEAT:
                self.latencies_s.append(max(0.0, time.monotonic() - due))
                due = time.monotonic() + self.heartbeat_s
                self.beats += 1
                await socket.send_json({"op": ACK})
            elif message["op"] == IDENTIFY:
                await self._identify(socket, message["d"])
            elif message["op"] == RESUME:
                await self._resume(socket, message["d"])
            self.changed()
        for session in self.sessions.values():
            if session.socket is socket:
                session.socket = None
        self.changed()
        return socket

    async def emit(self, event: str, data: Json) -> None:
        """Send an event to the session of its shard; without a connection it gets it later."""
        for session in self.sessions.values():
            if is_of(session.shard, int(data.get("guild_id", 0))):
                await self._send(session, event, data)

    async def drop(self, code: int = 4000) -> None:
        """Close all connections; the sessions live on."""
        for session in list(self.sessions.values()):
            if session.socket is not None:
                await session.socket.close(code=code)

    async def invalidate(self) -> None:
        """Say that the sessions are over: the clients have to identify anew."""
        gone, self.sessions = list(self.sessions.values()), {}
        for session in gone:
            if session.socket is not None:
                await session.socket.send_json({"op": INVALID, "d": False})

    async def ask_to_reconnect(self) -> None:
        """Say what Discord says when a server of its own goes down for a while."""
        for session in list(self.sessions.values()):
            if session.socket is not None:
                await session.socket.send_json({"op": RECONNECT, "d": None})

    @property
    def connected(self) -> list[Session]:
        """Sessions that are heard."""
        return [one for one in self.sessions.values() if one.socket is not None]

    async def _identify(self, socket: web.WebSocketResponse, data: Json) -> None:
        self.identifies += 1
        if data["token"] != self.token:
            await socket.close(code=4004, message=b"Authentication failed.")
            return
        if int(data["intents"]) & ~self.allowed_intents:
            await socket.close(code=4014, message=b"Disallowed intent(s).")
            return
        shard, count = data.get("shard", (0, 1))
        session = Session(intents=int(data["intents"]), shard=(shard, count), socket=socket)
        self.sessions[session.id] = session
        for event, payload in self.ready(session):
            await self._send(session, event, payload)

    async def _resume(self, socket: web.WebSocketResponse, data: Json) -> None:
        self.resumes += 1
        session = self.sessions.get(str(data["session_id"]))
        if session is None or self.refuses_resume:
            await socket.send_json({"op": INVALID, "d": False})
            return
        session.socket = socket
        seen = 0 if self.replay_all else int(data["seq"] or 0)
        for event in [one for one in session.events if one["s"] > seen and one["t"] != "READY"]:
            await socket.send_json(event)
        await self._send(session, "RESUMED", {})

    async def _send(self, session: Session, event: str, data: Json) -> None:
        shown: Any = _censored(data) if _is_hidden(session, event, data) else data
        frame = {"op": DISPATCH, "t": event, "s": len(session.events) + 1, "d": shown}
        session.events.append(frame)
        if session.socket is not None:
            with contextlib.suppress(ConnectionError):  # it goes when the client resumes
                await session.socket.send_json(frame)
        await asyncio.sleep(0)


def is_of(shard: tuple[int, int], guild_id: int) -> bool:
    """Whether a server's events go to this shard; direct chats go to the first ("Sharding")."""
    return (guild_id >> 22) % shard[1] == shard[0]


def _is_hidden(session: Session, event: str, data: Json) -> bool:
    """Without the intent, what is not for the bot comes without its content."""
    is_message = event in {"MESSAGE_CREATE", "MESSAGE_UPDATE"}
    has_intent = bool(session.intents & MESSAGE_CONTENT)
    return is_message and not has_intent and "guild_id" in data and not data["mentions"]


def _censored(data: Json) -> Json:
    return {**data, "content": "", "embeds": [], "attachments": [], "components": []}
