"""A Nuitka plugin: take from the standard library what the agent imports, and nothing else.

Left alone, Nuitka's standalone mode adds all of the standard library and every text encoding, in
case somebody imports it by a computed name, and follows each `import doctest` of a module's own
self-test. The list of what is really imported comes from running the agent (`probe`). This file
runs inside the compiler (Python 3.11, nuitka), never in the project's own environment.
"""

from pathlib import Path

from nuitka.freezer import ImportDetection  # type: ignore[import-not-found]  # compiler's own
from nuitka.plugins.PluginBase import NuitkaPluginBase  # type: ignore[import-not-found]
from nuitka.utils.ModuleNames import ModuleName  # type: ignore[import-not-found]

BEFORE_START = (
    "abc",
    "codecs",
    "encodings",
    "encodings.aliases",
    "encodings.utf_8",
    "importlib",
    "importlib._bootstrap",
    "io",
    "warnings",
)
"""What is imported before Nuitka's own loader is up: these come frozen."""

BY_NUITKA = ("inspect",)
"""What Nuitka's start-up code imports from C, where no import statement shows it."""


class StdlibModules(NuitkaPluginBase):  # type: ignore[misc]  # the base is untyped
    """Sets Nuitka's two lists before it computes them, and refuses every other module."""

    plugin_name = "stdlib-modules"

    def __init__(self) -> None:
        names = Path(__file__).with_name("stdlib_modules.txt").read_text().split()
        self._imported = frozenset(names)
        ImportDetection._early_modules_names = tuple(map(ModuleName, BEFORE_START))
        ImportDetection._stdlib_modules_names = tuple(map(ModuleName, BY_NUITKA))

    def onModuleEncounter(  # noqa: N802 - Nuitka's name
        self, module_name: object, **_how: object
    ) -> tuple[bool, str] | None:
        """(False, reason) leaves a module out; None lets Nuitka decide."""
        name = str(module_name)
        if name in self._imported or name.partition(".")[0] in {"agent_core", "__main__"}:
            return None
        return False, "the agent does not import it"
