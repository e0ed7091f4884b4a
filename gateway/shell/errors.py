"""ShellError: a command could not be started, or there is no such command; the model reads why."""

from gateway.errors import GatewayError


class ShellError(GatewayError):
    """What was asked of the shell can't be done."""
