"""What can go wrong in a build, as the person who started it is told."""


class BuildError(Exception):
    """The build can't go on; the text says why, and what to do where that is known."""
