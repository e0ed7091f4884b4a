"""The whole program with what is outside of it: a website, a search, an MCP server."""

import asyncio
import json
import signal
import sys
from collections.abc import AsyncIterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from tests.end_to_end.process import finished, running
from tests.fakes import rude_mcp_server
from tests.fakes.model_server import KEY, ModelServer
from tests.fakes.search_services import KEY as SEARCH_KEY
from tests.fakes.search_services import SearchServices, serving_searches
from tests.fakes.telegram import FakeTelegram, Person
from tests.fakes.website import Website, serving


@dataclass(frozen=True, slots=True)
class Outside:
    """What there is beside the gateway."""

    site: Website
    searches: SearchServices


@pytest.fixture
async def outside() -> AsyncIterator[Outside]:
    async with serving(Website()) as site, serving_searches() as searches:
        yield Outside(site, searches)


@pytest.fixture
def folder(
    tmp_path: Path, telegram: FakeTelegram, model: ModelServer, ada: Person, outside: Outside
) -> Path:
    """A configuration, with its folder."""
    program = {"command": sys.executable, "args": [str(Path(rude_mcp_server.__file__))]}
    settings = {
        "model": {
            "provider": "openai",
            "name": "fake-model",
            "base_url": model.base_url,
            "api_key": KEY,
        },
        "telegram": {
            "token": telegram.token,
            "base_url": telegram.base_url,
            "allowed_users": [ada.id],
            "edit_interval_s": 0.05,
            "chat_messages_per_s": 1000,
        },
        "web": {
            "tavily_key": SEARCH_KEY,
            "tavily_url": outside.searches.url("tavily"),
            "allowed_hosts": [f"127.0.0.1:{outside.site.port}"],
        },
        "mcp": {
            "servers": {
                "rude": {**program, "risk": "read", "allow": ["ok", "env", "die"]},
                "gone": {"command": "/no/such/program"},
            }
        },
    }
    (tmp_path / "hermes.yaml").write_text(json.dumps(settings))
    return tmp_path


async def test_an_agent_searches_reads_and_uses_a_server(
    folder: Path, telegram: FakeTelegram, model: ModelServer, ada: Person, outside: Outside
) -> None:
    url = outside.site.page(
        "/cats", "<html><title>Cats</title><body><p>They purr.</p></body></html>"
    )
    outside.searches.hits = [("Cats", url, "all about them")]
    calls: list[tuple[str, dict[str, Any]]] = [
        ("web_search", {"query": "cats"}),
        ("web_extract", {"urls": [url, "http://127.0.0.1:1/"]}),
        ("mcp_rude_ok", {"a": 1}),
        ("mcp_rude_env", {}),
        ("mcp_rude_die", {}),
    ]
    for call in calls:
        model.enqueue(tool_calls=[call])
    model.enqueue(text="All about cats.")
    async with running("run", "--dev", cwd=folder) as gateway:
        telegram.people.say(ada, "what about cats?")
        await telegram.wait_for(
            lambda: "All about cats." in [message.text for message in telegram.replies(ada)], 40
        )
        gateway.send_signal(signal.SIGTERM)
        assert await gateway.wait() == 0
    messages = model.requests[-1].body["messages"]
    search, page, result, environment, death = [
        message["content"] for message in messages if message["role"] == "tool"
    ]
    assert url in search
    assert "They purr." in page
    assert "Port 1 is not fetched from" in page
    assert 'ok {"a": 1}' in result
    assert SEARCH_KEY not in environment
    assert telegram.token not in environment
    assert "broke off" in death
    told = {each["function"]["name"] for each in model.requests[0].body["tools"]}
    assert {"web_search", "web_extract", "mcp_rude_ok", "mcp_rude_env"} <= told
    assert "mcp_rude_hang" not in told
    assert await asyncio.to_thread(_processes_of, folder) == []


def _processes_of(folder: Path) -> list[str]:
    """What still runs in the gateway's folder: its servers and readers would."""
    found = []
    for process in Path("/proc").glob("[0-9]*"):
        try:
            if (process / "cwd").readlink() == folder:
                found.append((process / "cmdline").read_text())
        except OSError:  # it has ended, or is somebody else's
            continue
    return found


async def test_check_tries_the_search_and_the_servers(folder: Path, model: ModelServer) -> None:
    model.enqueue(text="ready")
    run = await finished("check", "--dev", cwd=folder)
    lines = [" ".join(line.split()) for line in run.stdout.splitlines()]
    assert any(line.startswith("ok search tavily answered, and found nothing,") for line in lines)
    assert "ok mcp rude has 3 tools that are allowed" in lines
    assert any(line.startswith("ERROR mcp gone can't be used: FileNotFoundError") for line in lines)
    assert run.code == 1
    assert SEARCH_KEY not in run.stdout + run.stderr
