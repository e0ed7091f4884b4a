"""The command by which owners let the settings be read again."""

from gateway.access.roles import Role
from gateway.commands.command import Call, Command
from gateway.reload import Reload


def reload_commands(reload: Reload) -> list[Command]:
    """/reload."""

    async def run(_: Call) -> str:
        return await reload()

    return [Command("reload", "read the settings again", run, role=Role.OWNER, is_private=True)]
