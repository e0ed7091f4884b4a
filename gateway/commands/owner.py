"""Commands that are the owners' alone: /health, and a word to everybody with /broadcast."""

import asyncio
from collections.abc import Awaitable, Callable, Mapping

from adapters.base import Address, ChatKind, Sender
from gateway.access.gate import Gate
from gateway.access.roles import Role
from gateway.access.snapshot import standing_of
from gateway.chats.directory import Chats
from gateway.chats.host import Host
from gateway.commands.command import Call, Command
from gateway.delivery.reply import say
from gateway.sessions import address_of
from gateway.store.people import PeopleStore

Reasons = Callable[[], Awaitable[Mapping[str, str]]]
"""What is wrong with the gateway, by its part."""

BROADCAST_USAGE = "`/broadcast TEXT`, in every chat that may talk to me"
_MIB = 1_048_576


def owner_commands(
    chats: Chats, host: Host, people: PeopleStore, gate: Gate, reasons: Reasons
) -> list[Command]:
    """/health and /broadcast."""

    async def health(_call: Call) -> str:
        wrong = await reasons()
        stats = host.pool.stats()
        rows = [f"- {name}: {text}" for name, text in wrong.items()]
        rows += [
            f"- {chats.busy()} chats are being answered, {chats.waiting()} messages wait",
            f"- {stats.warm} agents are warm ({stats.memory_bytes // _MIB} MB)",
            f"- {stats.hibernated} were put to sleep since the start, {stats.failed} failed",
        ]
        head = "Something is wrong:" if wrong else "All is well."
        return "\n".join([head, *rows])

    async def is_open(key: str, address: Address) -> bool:
        """Whether everybody there may talk: a direct chat's person, or all of a group."""
        if address.kind is ChatKind.GROUP:
            return standing_of(gate.access, address, Sender("", "")).may_talk
        ids = [person.partition(":")[2] for person in await host.sessions.members_of(key)]
        here = [standing_of(gate.access, address, Sender(one, "")) for one in ids]
        return bool(here) and all(standing.may_talk for standing in here)

    async def broadcast(call: Call) -> str:
        if not call.arguments:
            return f"It is {BROADCAST_USAGE}."
        await gate.load()
        open_here = [
            address
            for key in [info.chat for info in await people.chats()]
            if (address := address_of(key)) is not None
            and chats.serves(address.platform)
            and await is_open(key, address)
        ]
        outcomes = await asyncio.gather(
            *(
                say(host.adapters[there.platform], there, host.delivery, call.arguments)
                for there in open_here
            )
        )
        shown = sum(outcome.may_be_seen for outcome in outcomes)
        return f"Said in {shown} of {len(outcomes)} chats."

    return [
        Command("health", "how the gateway is", health, role=Role.OWNER, is_private=True),
        Command(
            "broadcast",
            f"say something: {BROADCAST_USAGE}",
            broadcast,
            role=Role.OWNER,
            argument="text",
            is_private=True,
        ),
    ]
