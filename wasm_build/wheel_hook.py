"""Puts what is compiled into the wheel, so that who installs it needs no compiler.

Hatchling loads this file by its path (`pyproject.toml`) when it builds a wheel. An editable
install finds the agent in the checkout's `dist/wasm` instead.
"""

import sys
from pathlib import Path
from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface

IN_WHEEL = "gateway/runtime/artefacts"


class AgentHook(BuildHookInterface[Any]):
    """Adds the modules and their manifests; refuses to make a wheel without them."""

    PLUGIN_NAME = "agent"

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        """`version` is the kind of wheel, "standard" or "editable"."""
        if version == "editable":
            return
        root = Path(self.root)
        if str(root) not in sys.path:
            sys.path.insert(0, str(root))  # hatchling runs in an environment of its own
        from wasm_build import manifest  # noqa: PLC0415 - only now on sys.path

        output = root / "dist" / "wasm"
        if not (manifest.has_agent(root) and manifest.has_sandbox(root)):
            raise RuntimeError(
                f"{output} does not hold what is compiled from these sources: "
                "run `./build.sh build` first."
            )
        for name in (
            manifest.COMMAND,
            manifest.SNAPSHOT,
            manifest.MANIFEST,
            manifest.SANDBOX,
            manifest.SANDBOX_MANIFEST,
        ):
            build_data["force_include"][str(output / name)] = f"{IN_WHEEL}/{name}"
