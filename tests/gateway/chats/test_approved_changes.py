"""What somebody has approved is what is done, whatever has happened since they were asked."""

from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from config.telegram import TelegramSettings
from gateway.reading.documents import Documents
from gateway.reading.readers import Readers
from gateway.tools.files import FileTools
from gateway.tools.tool import tools_of
from gateway.tools.toolbox import Toolbox
from gateway.workspace.workspace import Workspaces
from tests.gateway.chats.small_gateway import SmallGateway, Start

OWNER = TelegramSettings(owners=(1,))
ASK = {"risks": {"write": "ask"}}
BEFORE = "price: 10\nsum: 10\n"
PATCH = {"path": "a.txt", "old_string": "price: 10", "new_string": "price: 12"}
SEVERAL = {
    "patch": "*** Begin Patch\n*** Update File: a.txt\n-price: 10\n+price: 12\n"
    "*** Add File: b.txt\n+new\n*** End Patch"
}
WRITE = {"path": "a.txt", "content": "price: 12\nsum: 10\n"}
CALLS = [("patch", PATCH), ("patch", SEVERAL), ("write_file", WRITE)]
SKILL = "---\nname: tea\ndescription: For tea.\n---\nTwo minutes.\n"
SKILL_CALLS = [
    ({"action": "create", "name": "milk", "content": SKILL}, "+Two minutes."),
    ({"action": "edit", "name": "tea", "content": SKILL.replace("Two", "Three")}, "+Three minutes"),
    ({"action": "patch", "name": "tea", "old_string": "Two", "new_string": "Three"}, "+Three"),
    ({"action": "write_file", "name": "tea", "file_path": "a.md", "content": "x\n"}, "+x"),
    ({"action": "remove_file", "name": "tea", "file_path": "old.md"}, "-old"),
    ({"action": "delete", "name": "tea"}, "-old"),
]


@dataclass
class Files:
    """Those of the chat."""

    root: Path

    def put(self, name: str, text: str | None) -> None:
        """None: it is not to be there."""
        path = self.root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        if text is None:
            path.unlink()
        else:
            path.write_text(text)

    def all(self) -> dict[str, str]:
        """All of them, by their names."""
        paths = [path for path in self.root.rglob("*") if path.is_file()]
        return {str(path.relative_to(self.root)): path.read_text() for path in paths}


@pytest.fixture
def files(tmp_path: Path) -> Files:
    """One file, and a skill of two."""
    files = Files(Workspaces(tmp_path / "workspaces").of("telegram:dm:1").root)
    files.put("a.txt", BEFORE)
    files.put("skills/tea/SKILL.md", SKILL)
    files.put("skills/tea/old.md", "old\n")
    return files


def box() -> Toolbox:
    return Toolbox(tools_of(FileTools(Documents(Readers(1))), "files"))


async def asked(gateway: SmallGateway, name: str, arguments: dict[str, Any]) -> str:
    """The question that a call leads to."""
    gateway.model.enqueue(tool_calls=[(name, arguments)])
    gateway.model.enqueue(text="done")
    await gateway.platform.say("please")
    screen = await gateway.platform.until(lambda s: f"May I use {name}" in s.last)
    return screen.last


async def answered(gateway: SmallGateway, button: str) -> str:
    """What the model reads of the call once somebody has pressed that."""
    await gateway.platform.press(button)
    await gateway.platform.until(lambda s: s.last == "done" and not s.buttons)
    return str(gateway.request()["messages"][-1]["content"])


@pytest.mark.parametrize(("name", "arguments"), CALLS)
async def test_a_change_that_was_approved_is_made(
    start: Start, files: Files, name: str, arguments: dict[str, Any]
) -> None:
    async with start(toolbox=box(), telegram=OWNER, tools=ASK) as gateway:
        question = await asked(gateway, name, arguments)
        assert "-price: 10\n+price: 12\n sum: 10" in question
        assert "+price: 12" in await answered(gateway, "Once")
    assert files.all()["a.txt"] == "price: 12\nsum: 10\n"


@pytest.mark.parametrize(
    ("since", "button"),
    [
        ("price: 10\nsum: 99\n", "Once"),
        ("new\nprice: 10\nsum: 10\n", "Always"),
        (None, "This session"),
    ],
)
@pytest.mark.parametrize("call", CALLS)
async def test_a_file_that_has_changed_since_is_not_touched(
    start: Start, files: Files, call: tuple[str, dict[str, Any]], since: str | None, button: str
) -> None:
    async with start(toolbox=box(), telegram=OWNER, tools=ASK) as gateway:
        await asked(gateway, *call)
        files.put("a.txt", since)
        before = files.all()
        result = await answered(gateway, button)
    assert "has changed in the meantime" in result or "is not there" in result
    assert files.all() == before


async def test_a_change_elsewhere_in_the_file_makes_no_other_change_of_it(
    start: Start, files: Files
) -> None:
    far = "".join(f"{n}\n" for n in range(20))
    files.put("a.txt", f"{BEFORE}{far}")
    async with start(toolbox=box(), telegram=OWNER, tools=ASK) as gateway:
        await asked(gateway, "patch", PATCH)
        files.put("a.txt", f"{BEFORE}{far}and more\n")
        await answered(gateway, "Once")
    assert files.all()["a.txt"] == f"price: 12\nsum: 10\n{far}and more\n"


async def test_a_yes_from_before_is_about_the_file_and_not_its_text(
    start: Start, files: Files
) -> None:
    async with start(toolbox=box(), telegram=OWNER, tools=ASK) as gateway:
        await asked(gateway, "patch", PATCH)
        await answered(gateway, "This session")
        files.put("a.txt", "something else\nprice: 10\n")
        gateway.model.enqueue(tool_calls=[("patch", PATCH)])
        gateway.model.enqueue(text="without asking")
        await gateway.platform.say("again")
        await gateway.platform.until_shown("without asking")
    assert files.all()["a.txt"] == "something else\nprice: 12\n"


async def test_a_file_that_changed_while_the_gateway_was_down_is_asked_about_anew(
    start: Start, files: Files
) -> None:
    async with start(toolbox=box(), telegram=OWNER, tools=ASK) as first:
        await asked(first, "patch", PATCH)
    files.put("a.txt", "price: 10\nsum: 99\n")
    async with start(toolbox=box(), telegram=OWNER, tools=ASK) as second:
        second.model.enqueue(text="done")
        await second.platform.until(lambda s: "sum: 99" in s.last and bool(s.buttons))
        await answered(second, "Once")
    assert files.all()["a.txt"] == "price: 12\nsum: 99\n"


async def test_whoever_is_asked_hears_what_is_replaced_even_if_it_can_not_be_shown(
    start: Start, files: Files
) -> None:
    files.put("a.png", "\x89PNG\0")
    async with start(toolbox=box(), telegram=OWNER, tools=ASK) as gateway:
        question = await asked(gateway, "write_file", {"path": "a.png", "content": "x\n"})
        assert "What is replaced: a.png is a binary file of 6 bytes, and no text." in question
        await answered(gateway, "Deny")


@pytest.mark.parametrize(("arguments", "shown"), SKILL_CALLS)
@pytest.mark.parametrize("has_changed", [False, True])
async def test_what_becomes_of_a_skill_is_shown_and_held_to(
    start: Start, files: Files, arguments: dict[str, Any], shown: str, *, has_changed: bool
) -> None:
    async with start(own_tools=True, telegram=OWNER, tools=ASK) as gateway:
        assert shown in await asked(gateway, "skill_manage", arguments)
        if has_changed:
            target = arguments.get("file_path", "SKILL.md")
            files.put(f"skills/{arguments['name']}/{target}", f"{SKILL}Not more.\n")
        before = files.all()
        result = await answered(gateway, "Once")
    assert ("has changed in the meantime" in result) == has_changed
    # A skill named tea in the folder milk is none.
    assert (files.all() == before) == (has_changed or arguments["action"] == "create")
