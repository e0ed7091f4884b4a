"""What can be wrong with a path in a workspace. The texts are read by models as well.

WorkspaceError
├── BadPath        the path leaves the workspace, or could
├── NotThere       nothing has that name
├── WrongKind      it is a folder, a link or a device where a file is wanted, or the other way round
├── AlreadyThere   something has that name, and was not to be replaced
├── NotEmpty       a folder with something in it can't be removed
└── WorkspaceFull  there is no room left
"""

from gateway.errors import GatewayError


class WorkspaceError(GatewayError):
    """What was asked of a workspace could not be done; the text says why."""


class BadPath(WorkspaceError):
    """The path is not one inside the workspace."""


class NotThere(WorkspaceError):
    """Nothing has that name."""


class WrongKind(WorkspaceError):
    """It is there, but it is something else."""


class AlreadyThere(WorkspaceError):
    """The name is taken."""


class NotEmpty(WorkspaceError):
    """A folder with something in it."""


class WorkspaceFull(WorkspaceError):
    """The quota, or the disk, has no room."""
