"""All commands of a gateway, by name; with the two that are about the others."""

from collections.abc import Iterable

from gateway.commands.command import Call, Command

INTRODUCTION = "Write to me, and I answer. While I am busy, further messages wait their turn."


class CommandTable:
    """The commands, in the order in which /help lists them."""

    def __init__(self, commands: Iterable[Command]) -> None:
        own = (
            Command("start", "say hello", self._start, is_listed=False),
            Command("help", "show this list", self._help),
        )
        self._by_name = {command.name: command for command in (*commands, *own)}

    def find(self, name: str) -> Command | None:
        """The command of that name."""
        return self._by_name.get(name)

    def purposes(self) -> list[tuple[str, str]]:
        """Names and purposes of what is listed: what a platform's menu shows."""
        return [(c.name, c.purpose) for c in self._by_name.values() if c.is_listed]

    def help_text(self) -> str:
        """The answer to /help."""
        rows = [f"- /{name} - {purpose}" for name, purpose in self.purposes()]
        return "\n".join([INTRODUCTION, "", *rows])

    async def _start(self, _: Call) -> str:
        return f"Hello! {self.help_text()}"

    async def _help(self, _: Call) -> str:
        return self.help_text()


def unknown_text(name: str) -> str:
    """The answer to a command that doesn't exist."""
    return f"There is no command /{name}. /help lists them."
