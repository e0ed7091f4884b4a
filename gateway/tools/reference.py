"""`python -m gateway.tools.reference` writes what tools there are into the docs and the README.

All of it is read off the tools themselves; a test compares the pages with what this module makes.
"""

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from agent_core.tools import clarify, memory, todo
from config.tools import TOOLSETS
from gateway.tools.families import described_tools
from gateway.tools.tool import Tool

ROOT = Path(__file__).parents[2]
PAGE = ROOT / "docs" / "tools.md"
README = ROOT / "README.md"
BEGIN = "<!-- begin: made by `python -m gateway.tools.reference` -->"
END = "<!-- end of what is made by `python -m gateway.tools.reference` -->"

INSIDE = {schema["name"]: schema for schema in (memory.SCHEMA, todo.SCHEMA, clarify.SCHEMA)}
"""The agent's own, which need nobody's leave: they touch nothing outside it."""

# Of hermes-agent, by what they do; and why some are not here.
ANCESTORS: tuple[tuple[str, Sequence[str], str], ...] = (
    ("notes, plans, questions", ("memory", "todo", "clarify"), ""),
    ("files", ("read_file", "write_file", "patch", "search_files"), ""),
    ("code and shell", ("execute_code", "terminal", "process"), ""),
    ("the web", ("web_search", "web_extract"), ""),
    ("the past and skills", ("session_search", "skills_list", "skill_view", "skill_manage"), ""),
    ("time, people, agents", ("cronjob", "send_message", "delegate_task"), ""),
    (
        "pictures and speech",
        ("vision_analyze", "image_generate", "text_to_speech"),
        "not yet; pictures that people send are shown to the model, voice is written down",
    ),
    (
        "a browser",
        (
            *("browser_navigate", "browser_snapshot", "browser_click", "browser_type"),
            *("browser_scroll", "browser_back", "browser_press", "browser_get_images"),
            *("browser_vision", "browser_console", "browser_cdp", "browser_dialog"),
            "browser_close",
        ),
        "not yet; an MCP server can bring one",
    ),
    (
        "Home Assistant",
        ("ha_list_entities", "ha_get_state", "ha_list_services", "ha_call_service"),
        "not yet; an MCP server can bring it",
    ),
    (
        "other services",
        (*("honcho_*", "mixture_of_agents", "discord"),),
        "not planned",
    ),
)

_MORE_OF_HONCHO = 3  # `honcho_*` stands for four


def page(text: str) -> str:
    """A page with its generated part renewed."""
    head, rest = text.split(BEGIN)
    _, tail = rest.split(END)
    made = "\n".join(_sections(described_tools()) if head.startswith("# Tools") else _table())
    return f"{head}{BEGIN}\n\n{made}\n\n{END}{tail}"


def _sections(tools: Sequence[Tool]) -> Iterator[str]:
    for toolset in dict.fromkeys(tool.toolset for tool in tools):
        off = "" if toolset in TOOLSETS else " (off unless it is named)"
        yield f"### `{toolset}`{off}"
        for tool in tools:
            if tool.toolset == toolset:
                yield ""
                yield from _section(tool)
        yield ""
    yield "### Inside the agent"
    for name, schema in INSIDE.items():
        yield f"\n**`{name}`** {schema['description']}"


def _section(tool: Tool) -> Iterator[str]:
    yield f"**`{tool.name}`** {tool.description}"
    yield ""
    notes = [f"risk: {tool.risk}", f"at most {_duration(tool.timeout_s)}"]
    notes += [f"{tool.max_output_chars:,} characters before the rest goes into a file"]
    notes += ["beside other calls" if tool.is_parallel else "one after the other"]
    notes += ["run again after a restart"] if tool.is_repeatable else []
    notes += ["says itself what is to be asked"] if tool.approve is not None else []
    yield f"*{'; '.join(notes)}*"
    properties = tool.parameters["properties"]
    required = tool.parameters.get("required", ())
    if properties:
        yield ""
    for name, schema in properties.items():
        must = "" if name in required else ", may be left out"
        description = schema.get("description") or ""
        yield f"- `{name}` ({_kind(schema)}{must}) {description}".rstrip()


def _kind(schema: Mapping[str, Any]) -> str:
    if "enum" in schema:
        return " or ".join(f"`{choice}`" for choice in schema["enum"])
    if "anyOf" in schema:
        return " or ".join(_kind(option) for option in schema["anyOf"])
    if schema.get("type") == "array":
        return f"list of {_kind(schema.get('items', {}))}"
    if schema.get("type") == "object" and schema.get("properties"):
        return f"object of {', '.join(f'`{name}`' for name in schema['properties'])}"
    return str(schema.get("type", "anything"))


def _duration(seconds: float) -> str:
    return f"{seconds / 3_600:g} h" if seconds >= 3_600 else f"{seconds:g} s"


def _table() -> Iterator[str]:
    ours = {tool.name for tool in described_tools()} | set(INSIDE)
    names = [name for _, those, _ in ANCESTORS for name in those]
    count = len(names) + _MORE_OF_HONCHO
    there = sum(name in ours for name in names)
    yield f"Of the ancestor's {count} tools, {there} exist here:"
    yield ""
    yield "| | here | not here |"
    yield "|---|---|---|"
    for about, those, why in ANCESTORS:
        here = ", ".join(f"`{name}`" for name in those if name in ours)
        missing = [name for name in those if name not in ours]
        said = ", ".join(f"`{name}`" for name in missing)
        yield f"| {about} | {here} | {f'{said}: {why}' if why and said else said} |"
    more = sorted(ours - set(names))
    yield f"| and | {', '.join(f'`{name}`' for name in more)}, any tool of an MCP server | |"


def main() -> None:
    """Bring both pages up to date."""
    for path in (PAGE, README):
        path.write_text(page(path.read_text(encoding="utf-8")), encoding="utf-8")


if __name__ == "__main__":
    main()
