"""What a platform may ask while somebody is still typing: are they let in, what may they mean.

It says nothing to people who may not talk, and keeps nothing of what was asked.
"""

from collections.abc import Awaitable, Callable, Mapping, Sequence

from adapters.base import Address, Sender
from gateway.access.gate import Gate
from gateway.chats.host import Host
from gateway.commands.sessions import MAX_LISTED, short_id
from gateway.sessions import session_key
from gateway.titles import title_of

Suggestions = Sequence[tuple[str, str]]
"""What is shown, and what it stands for; the most likely first."""


class FrontDesk:
    """The gateway's answers to platforms that ask while somebody is still typing."""

    def __init__(self, gate: Gate, host: Host) -> None:
        self._gate = gate
        self._host = host
        self._arguments: Mapping[str, Callable[[str], Awaitable[Suggestions]]] = {
            "model": self._models,
            "resume": self._sessions,
        }

    async def may_talk(self, address: Address, sender: Sender) -> bool:
        """Whether somebody may talk there."""
        return (await self._gate.standing_at(address, sender)).may_talk

    async def suggestions(self, address: Address, sender: Sender, command: str) -> Suggestions:
        """What a command's argument may be in that chat; nothing for strangers."""
        suggest = self._arguments.get(command)
        if suggest is None or not await self.may_talk(address, sender):
            return ()
        return await suggest(session_key(address))

    async def _models(self, _: str) -> Suggestions:
        return [(label, label) for label in self._host.models.labels()]

    async def _sessions(self, key: str) -> Suggestions:
        recent = await self._host.sessions.recent(key, MAX_LISTED)
        return [(title_of(one), short_id(one)) for one in recent if one.ended_at is not None]
