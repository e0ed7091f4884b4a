"""Commands about who may talk: for owners /pair, /allow and /block; for everybody /whoami."""

from adapters.base import Address, ChatKind
from gateway.access.administration import Administration, parse_person
from gateway.access.gate import WELCOME, Gate
from gateway.access.roles import Role
from gateway.access.snapshot import GROUP, Person
from gateway.chats.directory import Chats
from gateway.commands.command import Call, Command
from gateway.sessions import session_key

HERE = "here"
ALLOW_USAGE = "`/allow ID`, `/allow platform:ID`, or in a group `/allow here` for all who are in it"
PAIR_USAGE = "`/pair list`, `/pair approve CODE` or `/pair deny CODE`"


def access_commands(gate: Gate, administration: Administration, chats: Chats) -> list[Command]:
    """/whoami, /pair, /allow and /block."""

    async def whoami(call: Call) -> str:
        standing = await gate.standing(call.message)
        address, sender = call.message.address, call.message.sender
        return (
            f"You are {address.platform}:{sender.id}, and {_with_article(standing.role)} here, "
            f"because of {standing.reason}. This chat is `{session_key(address)}`."
        )

    async def settle(call: Call, code: str, *, is_approved: bool) -> str:
        request, text = await administration.settle(code, is_approved=is_approved, by=_by(call))
        if request is not None and is_approved:
            chat = Address(request.platform, request.chat_id, ChatKind.DIRECT)
            if chats.serves(chat.platform):
                chats.notify(chat, WELCOME)
        return text

    async def pair(call: Call) -> str:
        action, *rest = call.arguments.split(None, 1) or ["list"]
        code = "".join(rest)
        if action == "list" and not code:
            return await administration.requests()
        if action in {"approve", "deny"} and code:
            return await settle(call, code, is_approved=action == "approve")
        return f"It is {PAIR_USAGE}."

    async def allow(call: Call) -> str:
        person = _meant(call)
        if person is None:
            return f"It is {ALLOW_USAGE}."
        _, text = await administration.allow(person, _by(call))
        return text

    async def block(call: Call) -> str:
        person = _meant(call)
        if person is None:
            return f"It is {ALLOW_USAGE.replace('allow', 'block')}."
        is_blocked, text = await administration.block(person, _by(call))
        if is_blocked:
            await gate.load()
            chats.shut_out(*person)  # of a group each turn is asked for anew when it begins
        return text

    return [
        Command("whoami", "show your id and what you may do", whoami, is_private=True),
        Command(
            "pair",
            f"who asks to be let in: {PAIR_USAGE}",
            pair,
            role=Role.OWNER,
            argument="code",
            is_private=True,
        ),
        Command(
            "allow",
            "let somebody talk, by id, or all of a group: `/allow here`",
            allow,
            role=Role.OWNER,
            argument="person",
            is_private=True,
        ),
        Command(
            "block",
            "shut somebody out, by id, or a group: `/block here`",
            block,
            role=Role.OWNER,
            argument="person",
            is_private=True,
        ),
    ]


def _meant(call: Call) -> Person | None:
    address = call.message.address
    if call.arguments.lower() == HERE:
        is_group = address.kind is ChatKind.GROUP
        return (address.platform, GROUP + address.chat_id) if is_group else None
    return parse_person(call.arguments, address.platform)


def _by(call: Call) -> str:
    return f"{call.message.address.platform}:{call.message.sender.id}"


def _with_article(role: Role) -> str:
    return f"an {role}" if role is Role.OWNER else f"a {role}"
