"""Tools, the whole way: from a chat on Telegram, through the real gateway, to what they work on."""

import json
import signal
from pathlib import Path
from typing import Any

import pytest

from gateway.workspace.workspace import Workspaces
from tests.end_to_end.process import running
from tests.end_to_end.serving import MakeSettings, Serve
from tests.end_to_end.settings_files import model_section
from tests.fakes.model_server import ModelServer
from tests.fakes.telegram import FakeTelegram, Person

SKILL = "---\nname: tea\ndescription: When tea is wanted.\n---\nTwo minutes.\n"

# A conversation that uses one tool after the other, and what each of them answers.
CALLS: tuple[tuple[str, dict[str, Any], str], ...] = (
    ("write_file", {"path": "notes/a.md", "content": "one\ntwo\n"}, "Wrote notes/a.md: 2 lines"),
    ("read_file", {"path": "notes/a.md"}, "1|one\n2|two"),
    ("patch", {"path": "notes/a.md", "old_string": "two", "new_string": "2"}, "-two\n+2"),
    ("search_files", {"pattern": "^2$"}, "notes/a.md:2|2"),
    ("read_file", {"path": "../../hermes.db"}, "may not hold"),
    ("execute_code", {"code": "print(open('notes/a.md').read().upper())"}, "ONE\n2"),
    ("session_search", {"query": "use notes"}, "the person: use the tools, with notes"),
    ("skill_manage", {"action": "create", "name": "tea", "content": SKILL}, "tea is kept"),
    ("skill_view", {"name": "tea"}, "Two minutes."),
    ("skills_list", {}, "tea (own): When tea is wanted."),
    ("cronjob", {"action": "create", "when": "in 2 hours", "prompt": "x"}, "Created job 1"),
    ("cronjob", {"action": "list"}, "x"),
    ("list_chats", {}, "There are no other chats."),
    ("no_such_tool", {}, "There is no tool"),
)


def last_text(telegram: FakeTelegram, person: Person) -> str:
    replies = telegram.replies(person)
    return replies[-1].text if replies else ""


@pytest.mark.usefixtures("gateway")
async def test_one_tool_after_the_other_does_what_it_says(
    telegram: FakeTelegram, model: ModelServer, ada: Person, tmp_path: Path
) -> None:
    for name, arguments, _ in CALLS:
        model.enqueue(tool_calls=[(name, arguments)])
    model.enqueue(text="That was all.")
    telegram.people.say(ada, "use the tools, with notes")
    await telegram.wait_for(lambda: last_text(telegram, ada) == "That was all.", 30)
    messages = model.requests[-1].body["messages"]
    results = [message["content"] for message in messages if message["role"] == "tool"]
    assert len(results) == len(CALLS)
    for (name, _, said), result in zip(CALLS, results, strict=True):
        assert said in result, name
    root = Workspaces(tmp_path / "data" / "workspaces").of(f"telegram:dm:{ada.id}").root
    assert (root / "notes" / "a.md").read_text() == "one\n2\n"
    assert (root / "skills" / "tea" / "SKILL.md").read_text() == SKILL


async def test_what_has_to_be_approved_is_shown_exactly_and_done_after_a_yes(
    telegram: FakeTelegram,
    model: ModelServer,
    ada: Person,
    make_settings: MakeSettings,
    serve: Serve,
) -> None:
    model.enqueue(tool_calls=[("write_file", {"path": "a.md", "content": "new *text*\n"})])
    model.enqueue(text="It is written.")
    settings = make_settings(telegram={"owners": (ada.id,)}, tools={"risks": {"write": "ask"}})
    async with serve(settings):
        telegram.people.say(ada, "write it down")
        asked = await telegram.wait_for(
            lambda: [m for m in telegram.replies(ada) if "Always" in m.labels], 30
        )
        assert asked[0].labels == ["Once", "This session", "Always", "Deny"]
        assert "--- a/a.md\n+++ b/a.md\n@@ -0,0 +1 @@\n+new *text*" in asked[0].text
        telegram.people.press(asked[0], "Once")
        await telegram.wait_for(lambda: last_text(telegram, ada) == "It is written.", 30)
        await telegram.wait_for(lambda: asked[0].labels == [])
        assert asked[0].text.endswith("→ Once")


async def test_an_approval_outlives_a_kill_and_is_carried_out_once(
    telegram: FakeTelegram, model: ModelServer, ada: Person, tmp_path: Path
) -> None:
    counted = tmp_path / "counted.txt"
    counted.touch()
    (tmp_path / "hermes.yaml").write_text(
        f"""
telegram:
  token: {telegram.token}
  base_url: {telegram.base_url}
  owners: [{ada.id}]
{model_section(model)}tools:
  modules: [tests.end_to_end.counting_tool]
  rules: [{{ask: [count]}}]
"""
    )
    env = {"COUNTING_FILE": str(counted)}
    model.enqueue(tool_calls=[("count", {"key": "one"})])
    async with running("run", cwd=tmp_path, **env) as first:
        telegram.people.say(ada, "count")
        asked = await telegram.wait_for(
            lambda: [m for m in telegram.replies(ada) if "Once" in m.labels], 30
        )
        assert json.dumps({"key": "one"}, indent=1) in asked[0].text
        first.send_signal(signal.SIGKILL)
        await first.wait()
    assert counted.read_text() == ""
    model.enqueue(text="Counted.")
    async with running("run", cwd=tmp_path, **env):
        telegram.people.press(asked[0], "Once")
        await telegram.wait_for(lambda: last_text(telegram, ada) == "Counted.", 30)
    assert counted.read_text() == "begun one\nthrough one\n"
    assert "counted one" in str(model.requests[-1].body["messages"][-1])
