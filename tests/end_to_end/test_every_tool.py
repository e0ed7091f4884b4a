"""Every tool of every family, in one conversation on Telegram, each against what is really there.

Agents are the real Wasm, programs run in the real sandbox and in bubblewrap, pages and searches
come from a server on this machine, MCP servers are processes of their own. A tool without a row
here fails the test. What needs bubblewrap or Node is left out only where that is missing.
"""

import shutil
import sys
from collections.abc import AsyncIterator, Callable
from contextlib import AsyncExitStack
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from gateway.shell import bubblewrap
from gateway.tools.families import described_tools
from gateway.workspace.workspace import Workspaces
from tests.end_to_end.serving import MakeSettings, Serve
from tests.fakes.model_server import ModelServer
from tests.fakes.search_services import SearchServices, serving_searches
from tests.fakes.telegram import FakeTelegram, Person
from tests.fakes.telegram.world import Chat
from tests.fakes.website import Website, serving

EVERYTHING = (
    Path(__file__).parents[1]
    / "fakes/everything/node_modules/@modelcontextprotocol/server-everything/dist/index.js"
)
NODE = shutil.which("node") if EVERYTHING.exists() else None
WHY_NO_NODE = "Node is missing, or its server: `./build.sh test` installs that where there is npm"
WHY_NO_SHELL = bubblewrap.why_not()

INSIDE_THE_AGENT = {"memory", "todo", "clarify"}
SKILL = "---\nname: tea\ndescription: When tea is wanted.\n---\nTwo minutes.\n"
TODO = {"id": "1", "content": "boil water", "status": "pending"}
PATCH = (
    "*** Begin Patch\n*** Add File: notes/b.md\n+fresh\n*** Delete File: draft.txt\n*** End Patch"
)
PROGRAM = (
    "from hermes import tool\n"
    "open('sum.txt', 'w').write(str(sum(range(10))))\n"
    "print(tool('read_file', path='notes/a.md').upper())"
)


@dataclass
class World:
    """What tools can work on."""

    telegram: FakeTelegram
    ada: Person
    group: Chat
    site: Website
    searches: SearchServices
    root: Path  # of the chat's workspace

    def text(self, path: str) -> str:
        """A file of the chat."""
        return (self.root / path).read_text()

    def has(self, path: str) -> bool:
        """Whether the chat has such a file."""
        return (self.root / path).exists()

    def sent(self) -> list[str]:
        """The names of the files that the bot has sent."""
        contents = [message.content for message in self.telegram.replies(self.ada)]
        return [content["document"]["file_name"] for content in contents if "document" in content]

    def posted(self) -> list[str]:
        """What the bot has said in the group."""
        return [message.text for message in self.telegram.replies(self.group)]


@dataclass(frozen=True)
class Row:
    """A call, what its result says, and what is so afterwards. `press`: a button, if one comes."""

    tool: str
    arguments: Callable[[World], dict[str, Any]] | dict[str, Any]
    said: str
    is_so: Callable[[World], bool] = lambda _: True
    press: str | None = None
    then: str | None = None  # what another agent, set to work by this call, says


ROWS = (
    Row(
        "write_file",
        {"path": "notes/a.md", "content": "one\ntwo\n"},
        "Wrote notes/a.md: 2 lines",
        lambda world: world.text("notes/a.md") == "one\ntwo\n",
    ),
    Row("write_file", {"path": "draft.txt", "content": "x\n"}, "Wrote draft.txt"),
    Row("read_file", {"path": "notes/a.md"}, "1|one\n2|two"),
    Row(
        "patch",
        {"path": "notes/a.md", "old_string": "two", "new_string": "2"},
        "-two\n+2",
        lambda world: world.text("notes/a.md") == "one\n2\n",
    ),
    Row(
        "patch",
        {"patch": PATCH},
        "Deleted draft.txt",
        lambda world: world.text("notes/b.md") == "fresh\n" and not world.has("draft.txt"),
    ),
    Row("search_files", {"pattern": "^2$"}, "notes/a.md:2|2"),
    Row("send_file", {"path": "notes/a.md"}, "a.md", lambda world: world.sent() == ["a.md"]),
    Row(
        "execute_code", {"code": PROGRAM}, "1|ONE\n2|2", lambda world: world.text("sum.txt") == "45"
    ),
    Row("session_search", {"query": "now patch"}, "now patch"),
    Row(
        "skill_manage",
        {"action": "create", "name": "tea", "content": SKILL},
        "tea is kept",
        lambda world: world.text("skills/tea/SKILL.md") == SKILL,
    ),
    Row("skill_view", {"name": "tea"}, "Two minutes."),
    Row("skills_list", {}, "tea (own): When tea is wanted."),
    Row("cronjob", {"action": "create", "when": "in 2 hours", "prompt": "tea"}, "Created job 1"),
    Row("cronjob", {"action": "list"}, "tea"),
    Row("list_chats", {}, "(a group; Ada)"),
    Row(
        "send_message",
        lambda world: {"target": f"telegram:group:{world.group.id}", "text": "Tea is ready."},
        "Posted in",
        lambda world: world.posted()[-1].startswith("Tea is ready.\n\n(Ada asked me"),
        press="Once",
    ),
    Row(
        "delegate_task",
        {"tasks": [{"goal": "Name a tea."}], "toolsets": ["files"]},
        "Task 1: Name a tea.",
        then="Assam.",
    ),
    Row(
        "web_search",
        {"query": "green tea"},
        "All about tea",
        lambda world: world.searches.queries == ["green tea"],
    ),
    Row(
        "web_extract",
        lambda world: {"urls": [world.site.url("/tea")]},
        "Leaves of Camellia sinensis",
        lambda world: world.site.paths == ["/tea"],
    ),
    Row("memory", {"action": "add", "target": "user", "content": "Ada likes tea."}, "Entry added."),
    Row("memory", {"action": "read", "target": "user"}, "Ada likes tea."),
    Row("todo", {"todos": [TODO]}, "boil water"),
    Row(
        "clarify",
        {"question": "Which tea?", "choices": ["Assam", "Sencha"]},
        "Sencha",
        press="Sencha",
    ),
    Row("mcp_friendly_add", {"a": 2, "b": 40}, "42", press="Always"),
    Row("mcp_friendly_add", {"a": 2, "b": 41}, "43"),
)
SHELL_ROWS = (
    Row(
        "terminal",
        {"command": "printf '1\\n2\\n' | sort -r > sorted.txt && cat sorted.txt"},
        "2\n1",
        lambda world: world.text("sorted.txt") == "2\n1\n",
        press="Once",
    ),
    Row("terminal", {"command": "cat", "background": True}, "with the id 1"),
    Row("process", {"action": "write", "id": "1", "data": "hello\n"}, "Written.", press="Once"),
    Row("process", {"action": "kill", "id": "1"}, "ended"),
)
NODE_ROWS = (
    Row("mcp_everything_echo", {"message": "hello"}, "Echo: hello"),
    Row("mcp_everything_get-sum", {"a": 2, "b": 3}, "2 and 3 is 5"),
)


@pytest.fixture
async def world(telegram: FakeTelegram, ada: Person, tmp_path: Path) -> AsyncIterator[World]:
    """The servers run."""
    async with AsyncExitStack() as stack:
        site = await stack.enter_async_context(serving(Website()))
        searches = await stack.enter_async_context(serving_searches())
        text = "<p>" + "Leaves of Camellia sinensis, and hot water. " * 20 + "</p>"
        site.page("/tea", f"<html><body><article><h1>Tea</h1>{text}</article></body></html>")
        searches.hits = [("All about tea", "https://tea.example/", "Leaves in hot water.")]
        group = telegram.people.group("Tea club")
        root = Workspaces(tmp_path / "data" / "workspaces").of(f"telegram:dm:{ada.id}").root
        yield World(telegram, ada, group, site, searches, root)


async def _pressed(world: World, label: str, *, seen: int) -> None:
    """Press that button when it comes, behind the messages that were there."""

    def with_it() -> list[Any]:
        return [one for one in world.telegram.replies(world.ada)[seen:] if label in one.labels]

    (asked,) = await world.telegram.wait_for(with_it, 30)
    world.telegram.people.press(asked, label)


async def _carried_out(world: World, model: ModelServer, number: int, row: Row) -> str:
    """The result that the model reads of a row's call, in a turn of its own."""
    given = row.arguments if isinstance(row.arguments, dict) else row.arguments(world)
    model.enqueue(tool_calls=[(row.tool, given)])
    if row.then is not None:
        model.enqueue(text=row.then)
    model.enqueue(text=f"That was {number}.")
    seen = len(world.telegram.replies(world.ada))
    world.telegram.people.say(world.ada, f"now {row.tool}")
    if row.press is not None:
        await _pressed(world, row.press, seen=seen)
    await world.telegram.wait_for(
        lambda: f"That was {number}." in [one.text for one in world.telegram.replies(world.ada)], 30
    )
    return str(model.requests[-1].body["messages"][-1]["content"])


SERVERS: dict[str, dict[str, Any]] = {
    "friendly": {
        "command": sys.executable,
        "args": ("-m", "tests.fakes.mcp_server"),
        "allow": ("add",),
        "env": {"PYTHONPATH": str(Path(__file__).parents[2])},
    },
    "everything": {
        "command": NODE,
        "args": (str(EVERYTHING), "stdio"),
        "allow": ("echo", "get-sum"),
        "risk": "read",
    },
}


def _servers_for(rows: tuple[Row, ...]) -> dict[str, dict[str, Any]]:
    """The MCP servers that bring what is called."""
    return {
        name: server
        for name, server in SERVERS.items()
        if any(row.tool.startswith(f"mcp_{name}_") for row in rows)
    }


@pytest.mark.parametrize(
    "rows",
    [
        pytest.param(ROWS, id="of this package, and an MCP server in Python"),
        pytest.param(
            SHELL_ROWS,
            id="in bubblewrap",
            marks=pytest.mark.skipif(WHY_NO_SHELL is not None, reason=str(WHY_NO_SHELL)),
        ),
        pytest.param(
            NODE_ROWS,
            id="of an MCP server in TypeScript",
            marks=pytest.mark.skipif(NODE is None, reason=WHY_NO_NODE),
        ),
    ],
)
async def test_every_tool_has_its_effect(
    rows: tuple[Row, ...],
    world: World,
    model: ModelServer,
    make_settings: MakeSettings,
    serve: Serve,
) -> None:
    telegram, ada = world.telegram, world.ada
    settings = make_settings(
        telegram={"owners": (ada.id,)},
        tools={"rules": ({"roles": ("owner",), "platforms": ("telegram",), "allow": ("shell",)},)},
        web={
            "searxng_url": world.searches.url("searxng"),
            "allowed_hosts": (f"127.0.0.1:{world.site.port}",),
        },
        mcp={"servers": _servers_for(rows)},
    )
    async with serve(settings):
        model.enqueue(text="A fine name.")
        telegram.people.say(ada, "@hermes_test_bot my cat is Luna", chat=world.group)
        await telegram.wait_for(lambda: world.posted() == ["A fine name."], 30)
        for number, row in enumerate(rows):
            result = await _carried_out(world, model, number, row)
            assert row.said in result, row
            assert row.is_so(world), row
    offered = {tool["function"]["name"] for tool in model.requests[-1].body["tools"]}
    assert offered >= {tool.name for tool in described_tools()} | INSIDE_THE_AGENT
    assert {row.tool for row in (*ROWS, *SHELL_ROWS, *NODE_ROWS)} >= offered, "one has no row"
