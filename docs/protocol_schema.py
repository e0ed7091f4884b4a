"""Writes `docs/protocol.schema.json` from the table that the agent itself checks by.

    python docs/protocol_schema.py

A test sees to it that the file is current.
"""

import json
import sys
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parent.parent
SCHEMA_FILE = Path(__file__).parent / "protocol.schema.json"


def text() -> str:
    """What the file must hold."""
    return json.dumps(schema(), indent=2, ensure_ascii=False) + "\n"


def schema() -> dict[str, Any]:
    """One JSON Schema, with a definition per message of each direction."""
    from agent_core.protocol import AGENT_TO_HOST, HOST_TO_AGENT, PROTOCOL_VERSION  # noqa: PLC0415 - after the path is set

    directions = {"host_to_agent": HOST_TO_AGENT, "agent_to_host": AGENT_TO_HOST}
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": f"The protocol between host and agent, level {PROTOCOL_VERSION}",
        "description": "Any line in either direction. What the fields mean: protocol.md.",
        "anyOf": [{"$ref": f"#/$defs/{direction}"} for direction in directions],
        "$defs": {
            direction: {
                "description": f"A line from {direction.replace('_', ' ')}.",
                "oneOf": [_with_type(name, message) for name, message in messages.items()],
            }
            for direction, messages in directions.items()
        },
    }


def _with_type(name: str, message: dict[str, Any]) -> dict[str, Any]:
    fields = {"type": {"const": name}, **message["properties"]}
    return {"title": name, **message, "properties": fields}


if __name__ == "__main__":
    sys.path.insert(0, str(ROOT))
    SCHEMA_FILE.write_text(text(), encoding="utf-8")
