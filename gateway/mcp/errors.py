"""What can go wrong with an MCP server. Every text is written for the model to read.

McpFailure
├── NotRunning     the server is not there; it is being started again
└── Misbehaved     the server broke a rule or a limit
"""

from gateway.errors import GatewayError


class McpFailure(GatewayError):
    """Base of them."""


class NotRunning(McpFailure):
    """The server is not there."""


class Misbehaved(McpFailure):
    """What the server sent is against the protocol, or too much."""
