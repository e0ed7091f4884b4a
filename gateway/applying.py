"""Lets the parts of a running gateway go by other settings.

What may differ in them is said in `config.live`; who wants it is `reload`.
"""

from datetime import tzinfo

import structlog

from config.settings import Settings
from gateway.access.gate import Gate
from gateway.chats.host import Host
from gateway.commands.table import CommandTable
from gateway.reload import Listener
from gateway.reset import policy_of
from gateway.tools.policy import unknown_names

_log = structlog.get_logger()


def applying(
    host: Host,
    gate: Gate,
    commands: CommandTable,
    zone: tzinfo,
) -> Listener:
    """What to do with new settings. Turns that run go on, by the new ones from their next step."""

    async def apply(new: Settings) -> None:
        old = host.settings
        await host.models.apply(new)
        if (old.access, old.telegram, old.discord) != (new.access, new.telegram, new.discord):
            gate.reconfigure(new)
        commands.allow_in_groups(new.access.group_commands)
        host.apply(new, policy_of(new.sessions, zone))
        for name in unknown_names(new.tools, host.toolbox.all()):
            _log.warning("tools.toolsets or tools.rules name what is not there", name=name)
        told = [(one.model, one.models, one.agent, one.tools) for one in (old, new)]
        if told[0] != told[1]:
            host.pool.drop_all()  # an agent keeps to what it was woken with

    return apply
