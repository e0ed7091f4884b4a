"""The JSON Schema for editors: current, and of one mind with our own checking.

Where a schema can say it: what depends on several settings, on the environment or on the disk is
only for `hermes-gateway check` to find.
"""

import json
from collections.abc import Callable
from typing import Any

import pytest
from hypothesis import given
from jsonschema import Draft7Validator

import config
from config import ConfigError, Settings
from config.document import Mapping, Node, Sequence, parse
from config.reference import EXAMPLE
from config.schema import FILE, schema, schema_text
from config.section import Section
from tests.config.test_properties import all_settings, few
from tests.config.test_reference import COMMENTED_OUT

Load = Callable[..., Settings]

VALIDATOR = Draft7Validator(schema())

GOOD = [
    "",
    "model:\n",
    "model: {provider: openai, name: a, base_url: 'http://127.0.0.1:11434/v1'}",
    "model: {provider: openai, name: a, api_key: '${KEY}'}",
    "model: {provider: '${WORD:-demo}'}",
    "model: {temperature: 0, top_p: 1, max_tokens: null}",
    "model: {temperature: '0.5', tries: '3'}",
    "model: {connect_timeout_s: .5, idle_timeout_s: 1e2}",
    "agent: {identity: no}",
    "agent: {identity: '${WORD}', disabled_toolsets: [todo]}",
    "agent: {disabled_toolsets: todo}",
    "chats: {streaming: no}",
    "chats: {streaming: 'On'}",
    "chats: {inbox_size: 1_000}",
    "telegram: {token: 123:ABC, allowed_users: [42, '43', -100]}",
    "telegram: {token: '', allowed_users: 42}",
    "telegram: {allowed_users: '42, 43', allowed_chats: }",
    "telegram: {allowed_users: '${IDS}'}",
    "logging: {level: debug, format: json, file: hermes.log}",
    "data_dir: ~/hermes\nhttp: {port: 9464}",
    "http: {port: 0, host: '::1'}",
    "mcp:\n",
    "mcp: {servers: }",
    "mcp: {servers: {a: {command: npx, args: [-y, x], env: {KEY: '${KEY}'}}}}",
    "mcp: {servers: {a_b-1: {url: 'https://a.example/mcp', headers: {Authorization: 'B a b'}}}}",
    "console: {enabled: true}\nruntime: {mode: native, threads: 4}",
]

BAD = [
    "- 1",
    "hello",
    "modle: {}",
    "token: x",
    "telegram: {tokn: x}",
    "telegram: {require-mention: no}",
    "telegram: on",
    "mcp: {servers: [x]}",
    "mcp: {servers: {a b: {command: x}}}",
    "mcp: {servers: {a: {commnad: x}}}",
    "mcp: {servers: {a: x}}",
    "mcp: {servers: {a: {command: x, env: {K: }}}}",
    "telegram: [x]",
    "model: {provider: opnai}",
    "model: {provider: [openai]}",
    "model: {temperature: 3}",
    "model: {temperature: hot}",
    "model: {top_p: 0}",
    "model: {tries: 0}",
    "model: {tries: 11}",
    "model: {idle_timeout_s: 0}",
    "model: {base_url: localhost}",
    "model: {base_url: 'http://u:p@h'}",
    "model: {name: ''}",
    "model: {name: 4}",
    "agent: {identity: true}",
    "agent: {identity: 4}",
    "chats: {streaming: 1}",
    "chats: {streaming: }",
    "chats: {streaming: maybe}",
    "chats: {inbox_size: many}",
    "chats: {inbox_size: 1.5}",
    "runtime: {threads: 0}",
    "telegram: {token: 123456}",
    "telegram: {token: 1:a b}",
    "telegram: {allowed_users: {a: 1}}",
    "telegram: {allowed_users: [ada]}",
    "telegram: {allowed_users: [4.5]}",
    "telegram: {allowed_users: '4, five'}",
    "logging: {level: loud}",
    "http: {port: 70000}",
    "http: {port: -1}",
    "data_dir: [x]",
]

_SCALARS: dict[str, Callable[[str], Any]] = {
    "text": str,
    "flag": lambda text: text.lower() == "true",
    "whole": int,
    "number": float,
    "null": lambda _: None,
}


def as_json(node: Node) -> Any:
    """What an editor's YAML 1.2 reader makes of a file."""
    if isinstance(node, Mapping):
        return {key: as_json(entry.node) for key, entry in node.entries.items()}
    if isinstance(node, Sequence):
        return [as_json(item) for item in node.items]
    return _SCALARS[node.sort](node.text)


def complaints(text: str) -> list[str]:
    document = parse(text, "hermes.yaml")
    value: Any = as_json(document.root)
    if document.problems:  # the file is no mapping; `root` is only what stands in for one
        value = text
    return [f"{error.json_path}: {error.message}" for error in VALIDATOR.iter_errors(value)]


def is_taken(load: Load, text: str) -> bool:
    try:
        load(text, KEY="k-123456", WORD="demo", IDS="42")
    except ConfigError:
        return False
    return True


def test_the_file_is_up_to_date() -> None:
    assert FILE.read_text(encoding="utf-8") == schema_text(), "run: python -m config.reference"


def test_the_schema_is_one() -> None:
    Draft7Validator.check_schema(json.loads(schema_text()))


@pytest.mark.parametrize("text", GOOD)
def test_a_good_file_is_good_for_both(text: str, load: Load) -> None:
    assert complaints(text) == []
    assert is_taken(load, text)


@pytest.mark.parametrize("text", BAD)
def test_a_bad_file_is_bad_for_both(text: str, load: Load) -> None:
    assert not is_taken(load, text)
    assert complaints(text) != []


def test_the_example_is_good_as_it_is_and_uncommented() -> None:
    text = EXAMPLE.read_text(encoding="utf-8")
    assert text.startswith(f"# yaml-language-server: $schema={FILE.name}\n")
    assert FILE.parent == EXAMPLE.parent
    assert complaints(text) == []
    assert complaints(COMMENTED_OUT.sub(r"\1", text)) == []


def test_every_setting_is_explained_where_it_is_typed() -> None:
    def unexplained(part: dict[str, Any], path: str = "") -> list[str]:
        return [
            name
            for key, inner in part.get("properties", {}).items()
            for name in [
                *([] if inner.get("description") else [f"{path}{key}"]),
                *unexplained(inner, f"{path}{key}."),
            ]
        ]

    whole = schema()
    parts = [whole, *whole["definitions"].values()]
    assert [name for part in parts for name in unexplained(part)] == []


@few
@given(all_settings)
def test_whatever_settings_are_dumped_the_schema_takes(settings: Section) -> None:
    assert isinstance(settings, Settings)
    assert complaints(config.dump(settings, reveal_secrets=True)) == []
