"""The protocol's tables, its JSON Schema, and the transcripts say the same."""

import json
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from jsonschema import Draft202012Validator

from agent_core import Agent
from agent_core.__main__ import feed
from agent_core.protocol import AGENT_TO_HOST, CONFIG, HOST_TO_AGENT
from agent_core.wire import BadLine, parse_line
from tests.protocol.transcripts import Transcript, load_all

Message = dict[str, Any]

ROOT = Path(__file__).parents[2]
SCHEMA = json.loads((ROOT / "docs" / "protocol.schema.json").read_text(encoding="utf-8"))
ALL = load_all()

# An agent reports a defect of its own by it: no conversation is to show that.
NEVER_SHOWN = {("error", "fatal")}


def validator(direction: str) -> Draft202012Validator:
    return Draft202012Validator({"$ref": f"#/$defs/{direction}", "$defs": SCHEMA["$defs"]})


def said_by_hosts(transcript: Transcript) -> Iterator[Message]:
    """What a host sends that is a message at all."""
    for exchange in transcript.exchanges:
        try:
            yield parse_line(exchange.line)
        except BadLine:
            continue


def said_by_the_agent(transcript: Transcript) -> list[Message]:
    lines = feed(Agent(), transcript.data).split(b"\n")
    return [json.loads(line) for line in lines if line]


def test_the_schema_file_is_current() -> None:
    code = "import docs.protocol_schema as s, sys; sys.stdout.write(s.text())"
    made = subprocess.run(
        [sys.executable, "-X", "utf8", "-c", code],
        cwd=ROOT, capture_output=True, check=True, text=True, encoding="utf-8",
    ).stdout  # fmt: skip
    written = (ROOT / "docs" / "protocol.schema.json").read_text(encoding="utf-8")
    assert written == made, "run `python docs/protocol_schema.py`"


def test_the_schema_file_is_a_schema() -> None:
    Draft202012Validator.check_schema(SCHEMA)


@pytest.mark.parametrize("transcript", ALL, ids=lambda t: t.name)
def test_every_answer_of_the_agent_obeys_the_schema(transcript: Transcript) -> None:
    check = validator("agent_to_host")
    for message in said_by_the_agent(transcript):
        check.validate(message)


@pytest.mark.parametrize("transcript", ALL, ids=lambda t: t.name)
def test_the_agent_takes_what_the_schema_allows_and_nothing_else(transcript: Transcript) -> None:
    check = validator("host_to_agent")
    agent = Agent()
    for message in said_by_hosts(transcript):
        codes = {answer.get("code") for answer in agent.receive(message)}
        assert bool(codes & {"bad_message", "unknown_type"}) != check.is_valid(message), message


def test_every_message_and_every_field_occurs() -> None:
    shown = {
        (message["type"], field)
        for transcript in ALL
        for message in [*said_by_hosts(transcript), *said_by_the_agent(transcript)]
        for field in message
    }
    documented = {
        (kind, field)
        for table in (HOST_TO_AGENT, AGENT_TO_HOST)
        for kind, schema in table.items()
        for field in ("type", *schema["properties"])
    }
    assert documented - shown == NEVER_SHOWN


def test_every_setting_and_every_field_of_a_result_occurs() -> None:
    messages = [message for transcript in ALL for message in said_by_hosts(transcript)]
    configs = [m["config"] for m in messages if m["type"] == "init" and m.get("config")]
    assert set(CONFIG["properties"]) <= {name for config in configs for name in config}
    answers = [answer for transcript in ALL for answer in said_by_the_agent(transcript)]
    results = [answer["result"] for answer in answers if answer["type"] == "done"]
    documented = AGENT_TO_HOST["done"]["properties"]["result"]["properties"]
    assert set(documented) == {name for result in results for name in result}


@pytest.mark.parametrize(
    ("kind", "field"),
    [("api_request", "purpose"), ("history", "op")],
)
def test_every_value_of_an_enumeration_occurs(kind: str, field: str) -> None:
    answers = [answer for transcript in ALL for answer in said_by_the_agent(transcript)]
    shown = {answer.get(field) for answer in answers if answer["type"] == kind}
    assert set(AGENT_TO_HOST[kind]["properties"][field]["enum"]) <= shown


def test_every_reason_for_an_end_occurs() -> None:
    answers = [answer for transcript in ALL for answer in said_by_the_agent(transcript)]
    shown = {a["result"].get("reason") for a in answers if a["type"] == "done"}
    reasons = AGENT_TO_HOST["done"]["properties"]["result"]["properties"]["reason"]["enum"]
    assert set(reasons) <= shown


@pytest.mark.parametrize("number", range(1, 12))
def test_every_defect_of_the_published_agent_is_shown_mended(number: int) -> None:
    shown = [transcript for transcript in ALL if f"defect {number}" in transcript.shows]
    assert any(transcript.name.startswith(f"defect_{number:02}") for transcript in shown)


def test_there_are_transcripts_enough_and_each_has_a_title_of_its_own() -> None:
    assert len(ALL) >= 45
    assert len({transcript.title for transcript in ALL}) == len(ALL)


def test_the_page_names_every_message_field_and_setting() -> None:
    page = (ROOT / "docs" / "protocol.md").read_text(encoding="utf-8")
    fields = {
        name
        for table in (HOST_TO_AGENT, AGENT_TO_HOST)
        for kind, schema in table.items()
        for name in (kind, *schema["properties"])
    }
    assert sorted(name for name in fields | set(CONFIG["properties"]) if name not in page) == []


def test_the_page_names_every_code_of_the_agents_errors() -> None:
    page = (ROOT / "docs" / "protocol.md").read_text(encoding="utf-8")
    answers = [answer for transcript in ALL for answer in said_by_the_agent(transcript)]
    codes = {answer["code"] for answer in answers if answer["type"] == "error"}
    assert sorted(code for code in codes if f"`{code}`" not in page) == []
    assert len(codes) >= 8
