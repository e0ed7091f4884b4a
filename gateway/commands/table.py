"""All commands of a gateway, by name, and who may use which; with the two that are about others."""

from collections.abc import Collection, Iterable

from adapters.base import ChatKind
from gateway.access.roles import Role
from gateway.commands.command import Call, Command

INTRODUCTION = "Write to me, and I answer. You need not wait for it before you write again."
ALL = "all"


class CommandTable:
    """The commands, in the order in which /help lists them.

    `group_commands` are the only ones that people who are no owners may use in groups.
    """

    def __init__(
        self, commands: Iterable[Command], group_commands: Collection[str] = (ALL,)
    ) -> None:
        own = (
            Command("start", "say hello", self._start, is_listed=False),
            Command("help", "show this list", self._help, is_private=True),
        )
        self._by_name = {command.name: command for command in (*commands, *own)}
        self.allow_in_groups(group_commands)

    def allow_in_groups(self, names: Collection[str]) -> None:
        """Say anew which commands people who are no owners may use in groups."""
        self._group_commands = frozenset(names)

    def find(self, name: str) -> Command | None:
        """The command of that name."""
        return self._by_name.get(name)

    def refusal(self, command: Command, role: Role, kind: ChatKind) -> str | None:
        """Why somebody may not use a command in such a chat; None if they may."""
        if role < command.role:
            return f"/{command.name} is for the {command.role}s of this bot."
        is_narrowed = kind is ChatKind.GROUP and role < Role.OWNER
        if is_narrowed and not self._group_commands & {ALL, command.name}:
            return f"/{command.name} is not for groups. Write to me directly."
        return None

    def purposes(
        self, role: Role = Role.MEMBER, kind: ChatKind = ChatKind.DIRECT
    ) -> list[tuple[str, str]]:
        """Names and purposes of what is listed for somebody: what a platform's menu shows."""
        return [
            (command.name, command.purpose)
            for command in self._by_name.values()
            if command.is_listed and self.refusal(command, role, kind) is None
        ]

    def listed(self) -> list[Command]:
        """All that everybody's menu shows, and what only owners may use."""
        return [command for command in self._by_name.values() if command.is_listed]

    def help_text(self, role: Role = Role.MEMBER, kind: ChatKind = ChatKind.DIRECT) -> str:
        """The answer to /help."""
        rows = [f"- /{name} - {purpose}" for name, purpose in self.purposes(role, kind)]
        return "\n".join([INTRODUCTION, "", *rows])

    async def _start(self, call: Call) -> str:
        return f"Hello! {await self._help(call)}"

    async def _help(self, call: Call) -> str:
        return self.help_text(call.role, call.message.address.kind)


def unknown_text(name: str) -> str:
    """The answer to a command that doesn't exist."""
    return f"There is no command /{name}. /help lists them."
