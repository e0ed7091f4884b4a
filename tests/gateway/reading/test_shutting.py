"""What a reader can still do once what it reads has taken it over. Linux's own answers."""

import asyncio
import json
import os
import platform
import sys
from pathlib import Path

import pytest

from gateway.reading.readers import bare_environment
from gateway.reading.shutting import landlock_version

TAKEN_OVER = """
import ctypes, os, socket, subprocess, sys
from gateway.reading import worker
from gateway.reading.source import Text

def tried(what):
    try:
        return what() or "done"
    except OSError as error:
        return type(error).__name__

def read(source):
    place, parent = source.content.decode().split()
    found = {
        "read": lambda: open(place + "/secret").read(),
        "list": lambda: str(os.listdir(place)),
        "settings": lambda: open(os.path.join(os.getcwd(), "pyproject.toml")).read(),
        "environment": lambda: str(open(f"/proc/{parent}/environ", "rb").read()),
        "memory": lambda: str(open(f"/proc/{parent}/mem", "rb")),
        "write": lambda: open(place + "/new", "w").close(),
        "change": lambda: open(place + "/secret", "w").close(),
        "remove": lambda: os.unlink(place + "/secret"),
        "internet": lambda: socket.socket().close(),
        "datagrams": lambda: socket.socket(socket.AF_INET, socket.SOCK_DGRAM).close(),
        "neighbours": lambda: socket.socket(socket.AF_UNIX).close(),
        "signal": lambda: os.kill(int(parent), 0),
        "program": lambda: os.execv(sys.executable, [sys.executable, "-c", ""]),
        "child": lambda: subprocess.run([sys.executable, "-c", ""]) and None,
        "trace": lambda: ctypes.CDLL(None).ptrace(16, int(parent), 0, 0) and "PermissionError",
    }
    return Text("", "\\n".join(f"{name} {tried(what)}" for name, what in found.items()))

worker.read = read
worker.main()
"""
BY_LANDLOCK = ("read", "list", "settings", "environment", "memory", "write", "change", "remove")


async def outcomes(folder: Path) -> dict[str, str]:
    """What comes of each attempt."""
    process = await asyncio.create_subprocess_exec(
        *(sys.executable, "-c", TAKEN_OVER),
        stdin=asyncio.subprocess.PIPE,
        stdout=asyncio.subprocess.PIPE,
        env=bare_environment(),
    )
    content = f"{folder} {os.getpid()}".encode()
    head = {"media_type": "text/plain", "charset": None, "url": "", "size": len(content)}
    answer, _ = await process.communicate(json.dumps(head).encode() + b"\n" + content)
    lines = json.loads(answer)["text"].splitlines()
    return dict(line.split(" ", 1) for line in lines)


@pytest.mark.skipif(sys.platform != "linux", reason="there is no such thing outside Linux")
async def test_a_reader_that_was_taken_over_reaches_nothing(tmp_path: Path) -> None:
    secret = tmp_path / "secret"
    await asyncio.to_thread(secret.write_text, "a key")
    found = await outcomes(tmp_path)
    if landlock_version() == 0:
        found = {name: how for name, how in found.items() if name not in BY_LANDLOCK}
    if platform.machine() not in {"x86_64", "aarch64"}:
        found = {name: how for name, how in found.items() if name in BY_LANDLOCK}
    assert found
    assert dict.fromkeys(found, "PermissionError") == found
    assert await asyncio.to_thread(secret.read_text) == "a key"
