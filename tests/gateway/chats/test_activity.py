"""What is seen of tools while they run: one line, which turns into the answer."""

import asyncio

import pytest

from adapters.base import Ambiguous
from gateway.chats.activity import MAX_LINES, Activity, ActivityLine, describe, subject
from gateway.tools.tool import ToolContext, tool, tools_of
from gateway.tools.toolbox import Toolbox
from tests.fakes.platform import CURSOR, DraftingPlatform
from tests.gateway.chats.small_gateway import Start, is_settled

LOOKING = "⚙️ weather …" + CURSOR


class SlowTool:
    """A tool that takes as long as a test wants."""

    def __init__(self) -> None:
        self.may_end = asyncio.Event()

    @tool(is_repeatable=True)
    async def weather(self, context: ToolContext, place: str = "") -> str:
        """The weather."""
        context.report("asking the sky")
        await self.may_end.wait()
        return "sunny"


def box(slow: SlowTool) -> Toolbox:
    return Toolbox(tools_of(slow, "own"))


# The words, which are pure.

RUNNING = Activity("1", "web_search", "cats")
DONE = Activity("2", "read_file", "a.txt", has_failed=False)
FAILED = Activity("3", "read_file", "b.txt", has_failed=True)


def test_in_brief_the_tools_that_run_are_named_once_each() -> None:
    again = Activity("4", "web_search", "dogs")
    assert describe([DONE, RUNNING, again], "brief") == "⚙️ web search …"
    assert describe([DONE], "brief") == ""


def test_in_full_each_call_has_a_line_with_its_subject_and_its_end() -> None:
    lines = describe([RUNNING, DONE, FAILED], "full").splitlines()
    assert [line.strip() for line in lines] == [
        "… web search: `cats`",
        "✓ read file: `a.txt`",
        "✗ read file: `b.txt`",
    ]


def test_in_full_only_the_last_lines_are_seen() -> None:
    calls = [Activity(str(n), "count", str(n)) for n in range(20)]
    lines = describe(calls, "full").splitlines()
    assert lines[0].strip() == f"… {20 - MAX_LINES} more"
    assert len(lines) == MAX_LINES + 1


def test_nothing_that_a_tool_is_called_with_becomes_markdown_or_a_second_line() -> None:
    hostile = Activity("1", "x_[a](b)`", "`*bold*`\n# heading\n![x](y)" + "z" * 200)
    (line,) = describe([hostile], "full").splitlines()
    assert line.startswith("… x a b: `'*bold*' # heading ![x](y)zz")
    assert line.count("`") == 2
    assert len(line) < 90


@pytest.mark.parametrize(
    ("arguments", "expected"),
    [
        ('{"n": 3, "path": "a.txt", "more": "x"}', "a.txt"),
        ("{}", ""),
        ("[1, 2]", ""),
        ("not JSON", ""),
        ("null", ""),
    ],
)
def test_a_call_is_about_the_first_text_among_its_arguments(arguments: str, expected: str) -> None:
    assert subject(arguments) == expected


async def test_what_a_tool_reports_takes_the_place_of_its_subject() -> None:
    shown: list[str] = []
    line = ActivityLine("full", shown.append, after_s=0)
    line.begin("1", "research", '{"topic": "cats"}')
    await asyncio.sleep(0.01)
    line.report("1", "3 of 10 pages")
    line.report("unknown", "is no harm")
    line.end("1", has_failed=False)
    assert shown == ["… research: `cats`", "… research: `3 of 10 pages`", shown[-1]]
    assert shown[-1].startswith("✓ research")
    line.close()


# In a gateway.


async def test_the_line_turns_into_the_answer(start: Start) -> None:
    slow = SlowTool()
    async with start(toolbox=box(slow), activity_after_s=0) as gateway:
        gateway.model.enqueue(tool_calls=[("weather", {"place": "Rome"})])
        gateway.model.enqueue(text="It is sunny in Rome.")
        await gateway.platform.say("how is the weather?")
        screen = await gateway.platform.until_shown(LOOKING)
        assert [button.label for button in screen.buttons] == ["Stop"]
        slow.may_end.set()
        screen = await gateway.platform.until(is_settled)
    assert screen.texts == ["It is sunny in Rome."]
    assert sum(line.startswith("send") for line in screen.log) == 1


async def test_in_full_the_line_says_how_far_a_call_has_come(start: Start) -> None:
    slow = SlowTool()
    async with start(toolbox=box(slow), activity_after_s=0, tool_activity="full") as gateway:
        gateway.model.enqueue(tool_calls=[("weather", {"place": "Rome"})])
        gateway.model.enqueue(text="Sunny.")
        await gateway.platform.say("how is the weather?")
        await gateway.platform.until_shown("… weather: `asking the sky`" + CURSOR)
        slow.may_end.set()
        await gateway.platform.until_shown("Sunny.")


async def test_when_it_is_off_or_tools_are_quick_nothing_is_shown(start: Start) -> None:
    slow = SlowTool()
    async with start(toolbox=box(slow), activity_after_s=0, tool_activity="off") as gateway:
        gateway.model.enqueue(tool_calls=[("weather", {})])
        gateway.model.enqueue(text="Sunny.")
        await gateway.platform.say("how is the weather?")
        await gateway.platform.until(lambda screen: screen.typing > 0)
        slow.may_end.set()
        screen = await gateway.platform.until_shown("Sunny.")
        assert not any("⚙️" in line for line in screen.log)
    async with start(toolbox=box(slow), activity_after_s=60) as gateway:
        gateway.model.enqueue(tool_calls=[("weather", {})])
        gateway.model.enqueue(text="Still sunny.")
        await gateway.platform.say("and now?")
        screen = await gateway.platform.until_shown("Still sunny.")
        assert not any("⚙️" in line for line in screen.log)


async def test_without_streaming_the_line_is_shown_all_the_same(start: Start) -> None:
    slow = SlowTool()
    async with start(toolbox=box(slow), activity_after_s=0, streaming=False) as gateway:
        gateway.model.enqueue(tool_calls=[("weather", {})])
        gateway.model.enqueue(text="It is sunny, all day long.")
        await gateway.platform.say("how is the weather?")
        await gateway.platform.until_shown(LOOKING)
        slow.may_end.set()
        screen = await gateway.platform.until_shown("It is sunny, all day long.")
    assert [line.split()[0] for line in screen.log if line != "typing"] == ["send", "edit"]


async def test_a_line_that_a_kill_leaves_turns_into_the_answer_of_the_next_run(
    start: Start,
) -> None:
    slow = SlowTool()
    async with start(toolbox=box(slow), activity_after_s=0) as first:
        first.model.enqueue(tool_calls=[("weather", {})])
        await first.platform.say("how is the weather?")
        screen = await first.platform.until_shown(LOOKING)
    slow.may_end.set()
    async with start(toolbox=box(slow)) as second:
        second.platform.screens["1"] = screen
        second.model.enqueue(text="It is sunny.")
        screen = await second.platform.until_shown("It is sunny.")
    assert screen.texts == ["It is sunny."]


async def test_a_stopped_turn_takes_its_line_away(start: Start) -> None:
    async with start(toolbox=box(SlowTool()), activity_after_s=0) as gateway:
        gateway.model.enqueue(tool_calls=[("weather", {})])
        await gateway.platform.say("how is the weather?")
        await gateway.platform.until_shown(LOOKING)
        await gateway.platform.press("Stop")
        screen = await gateway.platform.until(is_settled)
    assert len(screen.texts) == 1
    assert "⚙️" not in screen.last


async def test_a_question_stands_below_no_line(start: Start) -> None:
    slow = SlowTool()
    question = {"question": "Which city?", "choices": ["Berlin", "Paris"]}
    async with start(toolbox=box(slow), activity_after_s=0) as gateway:
        gateway.model.enqueue(tool_calls=[("weather", {})])
        gateway.model.enqueue(tool_calls=[("clarify", question)])
        gateway.model.enqueue(text="Paris it is.")
        await gateway.platform.say("how is the weather?")
        await gateway.platform.until_shown(LOOKING)
        slow.may_end.set()
        screen = await gateway.platform.until_shown("Which city?")
        assert screen.texts == ["Which city?"]
        await gateway.platform.press("Paris")
        screen = await gateway.platform.until(lambda s: s.last == "Paris it is.")
    assert len(screen.texts) == 2


async def test_what_runs_beside_a_question_shows_no_line_below_it(start: Start) -> None:
    slow = SlowTool()
    question = {"question": "Which city?", "choices": ["Berlin", "Paris"]}
    async with start(toolbox=box(slow), activity_after_s=0) as gateway:
        gateway.model.enqueue(tool_calls=[("weather", {}), ("clarify", question)])
        gateway.model.enqueue(text="Paris it is.")
        await gateway.platform.say("how is the weather?")
        screen = await gateway.platform.until_shown("Which city?")
        for _ in range(50):
            await asyncio.sleep(0)
        assert screen.texts == ["Which city?"]
        await gateway.platform.press("Paris")
        await gateway.platform.until(lambda s: s.last == LOOKING)
        slow.may_end.set()
        await gateway.platform.until(lambda s: s.last == "Paris it is.")
    assert len(screen.texts) == 2


async def test_a_line_whose_sending_is_in_doubt_does_not_keep_the_answer(start: Start) -> None:
    slow = SlowTool()
    async with start(toolbox=box(slow), activity_after_s=0) as gateway:
        gateway.platform.fail("send", Ambiguous("timed out"))
        gateway.model.enqueue(tool_calls=[("weather", {})])
        gateway.model.enqueue(text="It is sunny.")
        await gateway.platform.say("how is the weather?")
        await gateway.platform.until(lambda s: any("⚙️" in line for line in s.log))
        slow.may_end.set()
        screen = await gateway.platform.until_shown("It is sunny.")
    assert screen.texts == ["It is sunny."]


async def test_where_there_are_drafts_the_line_is_one(start: Start) -> None:
    slow = SlowTool()
    platform = DraftingPlatform()
    async with start(toolbox=box(slow), activity_after_s=0, platform=platform) as gateway:
        gateway.model.enqueue(tool_calls=[("weather", {})])
        gateway.model.enqueue(text="It is sunny.")
        await gateway.platform.say("how is the weather?")
        await gateway.platform.until(
            lambda s: [part.text for part in s.drafts.values()] == [LOOKING]
        )
        slow.may_end.set()
        screen = await gateway.platform.until_shown("It is sunny.")
    assert screen.texts == ["It is sunny."]
    assert not any(line.startswith("edit") for line in screen.log)
