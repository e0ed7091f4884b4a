"""The settings of MCP servers: programs and addresses that bring tools of their own."""

from collections.abc import Iterator
from typing import Literal

from pydantic import Field, PositiveFloat

from config.section import Address, Hidden, Section, Word


class McpServerSettings(Section):
    """One server: a `command` that is run here, or a `url` that is asked (streamable HTTP)."""

    command: Word | None = Field(
        default=None, description="The program, such as `npx`. It runs with the gateway's rights."
    )
    args: tuple[Word, ...] = Field(default=(), description="What the program is started with.")
    env: dict[str, Hidden] = Field(
        default={},
        description="Variables of its environment. Beside these it gets only a path, a home and "
        "a language: nothing else of the gateway's.",
    )
    url: Address | None = Field(default=None, description="The address of a server elsewhere.")
    headers: dict[str, Hidden] = Field(
        default={},
        description="Headers that are sent to that address: `Authorization: Bearer ${TOKEN}`.",
    )
    allow: tuple[Word, ...] = Field(
        default=("*",), description="Patterns of the names of its tools that agents get."
    )
    risk: Literal["read", "write", "network", "execute", "message"] | None = Field(
        default=None,
        description="The worst that its tools can do, which is for you to say; `tools.risks` says "
        "what follows from it. Unset: somebody is asked before each use, and can say always.",
    )
    timeout_s: PositiveFloat = Field(default=60, description="The most time that a call takes.")
    enabled: bool = Field(default=True, description="Whether it is used.")


class McpSettings(Section):
    """Servers that bring tools by the Model Context Protocol."""

    servers: dict[str, McpServerSettings] = Field(
        default={}, description="Each under a name of your choice; its tools are called by it."
    )


def lacking(settings: McpSettings) -> Iterator[tuple[tuple[str, ...], str]]:
    """What servers lack, or have too much of, each with the setting where that shows."""
    for name, server in settings.servers.items():
        place = ("mcp", "servers", name)
        named = f"`{'.'.join(place)}`"
        if (server.command is None) == (server.url is None):
            yield place, f"{named} needs a `command` or a `url`, and not both."
        elif server.url is None and server.headers:
            yield (*place, "headers"), f"{named} has `headers`, which go with a `url` only."
        elif server.command is None and (server.args or server.env):
            yield place, f"{named} has `args` or `env`, which go with a `command` only."
        # `mcp_a_b_c` would be a tool of either, and a rule for one would hold for the other.
        for other in settings.servers:
            if other.startswith(f"{name}_"):
                yield place, f"{named} and `mcp.servers.{other}` begin alike. Rename one of them."
