"""SandboxError: the program could not even be started; what it does itself is in its outcome."""

from gateway.errors import GatewayError


class SandboxError(GatewayError):
    """No place to run the program; the text says why."""
