"""What the platforms' menus of commands show at the moment, by who may use what."""

from adapters.base import ChatKind, Menus
from gateway.access.gate import Gate
from gateway.access.roles import Role
from gateway.commands.table import CommandTable


def menus_of(commands: CommandTable, gate: Gate, platform: str) -> Menus:
    """The menus of one platform."""
    return Menus(
        members=tuple(commands.purposes()),
        groups=tuple(commands.purposes(kind=ChatKind.GROUP)),
        owners=tuple(commands.purposes(Role.OWNER)),
        owner_ids=tuple(person_id for name, person_id in gate.access.owners() if name == platform),
    )
