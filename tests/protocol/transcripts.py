"""Transcripts: conversations between a host and an agent, written down to test either with.

A transcript is a file of JSON objects, one a line. The first says what it shows:

    {"title": "...", "shows": ["defect 3", ...], "ignore": ["status", ...]}

then what the host sends, as a message or as the text of a line that may be no message,

    {"host": {...}}    {"raw": "not JSON"}    {"raw": "[", "times": 100000}    {"raw_hex": "ff"}

each followed by all that the agent must answer, in order, but for the types in `ignore`:

    {"agent": {...}}

What stands in an agent line is a pattern: an object matches one that has the same keys and maybe
more; lists match item by item; `{"$contains": text}`, `{"$any": true}` and `{"$absent": true}`
stand for values.
"""

import json
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

FOLDER = Path(__file__).parent
SHOWN_CHARS = 400

Message = dict[str, Any]


@dataclass(frozen=True)
class Exchange:
    """One line of the host's (no newline at its end) and the patterns of the answers to it."""

    line: bytes
    patterns: tuple[Message, ...]


@dataclass(frozen=True)
class Transcript:
    """One file."""

    name: str
    title: str
    shows: tuple[str, ...]
    ignore: frozenset[str]
    exchanges: tuple[Exchange, ...]

    @property
    def data(self) -> bytes:
        """All that the host sends."""
        return b"".join(exchange.line + b"\n" for exchange in self.exchanges)


def load_all() -> list[Transcript]:
    """Every transcript of this folder, by name."""
    return [load(path) for path in sorted(FOLDER.glob("*.jsonl"))]


def load(path: Path) -> Transcript:
    """Read one file."""
    lines = path.read_text(encoding="utf-8").split("\n")
    head, *entries = (json.loads(line) for line in lines if line)
    exchanges: list[tuple[bytes, list[Message]]] = []
    for entry in entries:
        if "agent" in entry:
            exchanges[-1][1].append(entry["agent"])
        else:
            exchanges.append((_line(entry), []))
    return Transcript(
        name=path.stem,
        title=head["title"],
        shows=tuple(head["shows"]),
        ignore=frozenset(head.get("ignore", ())),
        exchanges=tuple(Exchange(line, tuple(patterns)) for line, patterns in exchanges),
    )


def play(transcript: Transcript, step: Callable[[bytes], bytes]) -> bytes:
    """Feed an agent line by line and compare; returns all that it answered.

    Raises `AssertionError`, whose text is the conversation up to the first difference.
    """
    told: list[str] = [f"{transcript.name}: {transcript.title}"]
    out = b""
    for exchange in transcript.exchanges:
        told.append(f"  host  {_shown(exchange.line.decode(errors='replace'))}")
        answer = step(exchange.line + b"\n")
        out += answer
        said = [json.loads(line) for line in answer.split(b"\n") if line]
        told += [f"  agent {_shown(json.dumps(one, ensure_ascii=False))}" for one in said]
        heard = [one for one in said if one["type"] not in transcript.ignore]
        wrong = list(differences(list(exchange.patterns), heard))
        assert not wrong, "\n".join([*told, "  but   " + "\n        ".join(wrong)])
    return out


def differences(pattern: Any, value: Any, path: str = "") -> Iterator[str]:
    """Where a value does not match a pattern."""
    where = path or "the answer"
    operator = next(iter(pattern), "") if isinstance(pattern, dict) and len(pattern) == 1 else ""
    if operator == "$any":
        return
    if operator == "$contains":
        if not isinstance(value, str) or pattern[operator] not in value:
            yield f"{where} lacks {pattern[operator]!r}: {_shown(repr(value))}"
    elif isinstance(pattern, dict) and isinstance(value, dict):
        yield from _object_differences(pattern, value, path)
    elif isinstance(pattern, list) and isinstance(value, list):
        yield from _list_differences(pattern, value, path)
    elif type(pattern) is not type(value) or pattern != value:
        yield f"{where} is {_shown(repr(value))}, not {_shown(repr(pattern))}"


def _object_differences(pattern: Message, value: Message, path: str) -> Iterator[str]:
    for key, part in pattern.items():
        inner = f"{path}.{key}" if path else key
        if part == {"$absent": True}:
            if key in value:
                yield f"{inner} should not be there: {_shown(repr(value[key]))}"
        elif key not in value:
            yield f"{inner} is missing"
        else:
            yield from differences(part, value[key], inner)


def _list_differences(pattern: Sequence[Any], value: Sequence[Any], path: str) -> Iterator[str]:
    for index, (part, item) in enumerate(zip(pattern, value, strict=False)):
        yield from differences(part, item, f"{path}[{index}]")
    for part in pattern[len(value) :]:
        yield f"{path or 'the answer'} ends before {_shown(repr(part))}"
    for item in value[len(pattern) :]:
        yield f"{path or 'the answer'} has more: {_shown(repr(item))}"


def _line(entry: Message) -> bytes:
    if "host" in entry:
        # ASCII, so that what only an escape can say (a lone surrogate) stays what it is.
        return json.dumps(entry["host"]).encode()
    if "raw_hex" in entry:
        return bytes.fromhex(entry["raw_hex"])
    text: str = entry["raw"] * entry.get("times", 1)
    return text.encode()


def _shown(text: str) -> str:
    return text if len(text) <= SHOWN_CHARS else f"{text[:SHOWN_CHARS]} …"
