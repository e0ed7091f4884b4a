"""The one command of the README leads from a checkout to a chat.

Here the environment is there already; that it is made from nothing, CI shows at each run.
"""

import asyncio
import shutil
import sys
from asyncio.subprocess import PIPE
from pathlib import Path

import pytest

from tests.end_to_end.process import ROOT, environment

CLONED = ("adapters", "agent_core", "config", "gateway", "wasm_build", "build.sh", "pyproject.toml")
BUILT = "dist"


@pytest.fixture
def checkout(tmp_path: Path) -> Path:
    """The project by another path: what git brings, what a build has made, what was installed."""
    root = tmp_path / "hermes"
    installed = root / ".venv"
    installed.mkdir(parents=True)
    for name in (*CLONED, BUILT):
        (root / name).symlink_to(ROOT / name)
    for one in Path(sys.prefix).iterdir():
        if not one.name.startswith("installed-"):
            (installed / one.name).symlink_to(one)
    shutil.copy(ROOT / "pyproject.toml", installed / "installed-run.toml")
    return root


async def test_one_command_leads_from_a_checkout_to_a_chat(checkout: Path) -> None:
    run = await asyncio.create_subprocess_exec(
        checkout / "build.sh",
        "run",
        cwd=checkout.parent,
        env=environment(),
        stdin=PIPE,
        stdout=PIPE,
        stderr=PIPE,
    )
    out, err = await run.communicate(b"remember that my cat is called Luna\nmy cat's name?\n")
    assert run.returncode == 0, err.decode()
    assert "up to date" in err.decode()
    assert "Your cat is called Luna." in out.decode()
