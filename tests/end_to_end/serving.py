"""What the fixtures of this folder give to tests."""

from collections.abc import Callable
from contextlib import AbstractAsyncContextManager

from config.settings import Settings

MakeSettings = Callable[..., Settings]
"""Settings for a gateway between the fakes; changes are given section by section."""

Serve = Callable[[Settings], AbstractAsyncContextManager[list[str]]]
"""A gateway that runs for as long as the context lasts; gives what it reports at its start."""
