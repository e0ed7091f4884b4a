"""`delegate_task`: agents at work for another, side by side, within bounds, asking nobody."""

import asyncio
import json
import secrets
from collections.abc import Callable
from typing import Any

import pytest

from gateway.runtime.engine import Engine
from gateway.tools.tool import Risk, ToolContext, tool, tools_of
from gateway.tools.toolbox import Toolbox
from tests.fakes.model_server import make_completion
from tests.gateway.chats.small_gateway import SmallGateway, Start

Json = dict[str, Any]


class Field:
    """Tools that agents at work use."""

    def __init__(self) -> None:
        self.together = asyncio.Barrier(2)
        self.is_looking = asyncio.Event()
        self.seen: list[int] = []
        self.dug = 0

    @tool()
    async def look(self, context: ToolContext, at: str) -> str:
        """Looks, beside another that looks."""
        self.seen.append(context.call.depth)
        self.is_looking.set()
        async with asyncio.timeout(20):
            await self.together.wait()
        return f"saw {at}"

    @tool(risk=Risk.EXECUTE)
    async def run(self, context: ToolContext, name: str) -> str:
        """Calls another tool, as a program does."""
        return (await context.run_tool(name, {})).content

    @tool(risk=Risk.MESSAGE)
    async def shout(self, context: ToolContext) -> str:
        """Speaks elsewhere."""
        return "shouted"

    @tool(risk=Risk.EXECUTE)
    async def dig(self, context: ToolContext) -> str:
        """Digs."""
        self.dug += 1
        return "dug"

    @property
    def box(self) -> Toolbox:
        return Toolbox(tools_of(self, "own"))


def calling(name: str, arguments: Json) -> Json:
    """A model's answer that calls a tool."""
    function = {"name": name, "arguments": json.dumps(arguments)}
    call_id = f"call_{secrets.token_hex(4)}"
    return make_completion(None, [{"id": call_id, "type": "function", "function": function}])


def task_of(body: Json) -> str | None:
    """The task of an agent at work; None if it is the agent of the chat that asks."""
    first, *rest = body["messages"]
    is_child = "at work for another agent" in first["content"]
    return str(rest[0]["content"]) if is_child else None


def results_in(body: Json) -> list[str]:
    return [one["content"] for one in body["messages"] if one["role"] == "tool"]


def names_in(body: Json) -> set[str]:
    return {one["function"]["name"] for one in body.get("tools", ())}


def delegating(tasks: list[Json], child: Callable[[Json, str], Json], **more: Any) -> Any:
    """A model that sets others to work, is one of them, and then tells what they found."""

    def respond(body: Json) -> Json:
        task = task_of(body)
        if task is not None:
            return child(body, task)
        if results := results_in(body):
            return make_completion(f"They say: {results[-1]}")
        return calling("delegate_task", {"tasks": tasks, **more})

    return respond


async def told(gateway: SmallGateway, respond: Callable[[Json], Json]) -> str:
    """What the person is told in the end."""
    gateway.model.answer_by(respond)
    await gateway.platform.say("find out")
    screen = await gateway.platform.until(
        lambda s: "They say" in s.last and "▉" not in s.last and not s.buttons
    )
    return screen.last


TWO = [{"goal": "the north"}, {"goal": "the south", "context": "It is warm."}]


@pytest.mark.parametrize("kind", ["native", "wasm"])
async def test_tasks_are_worked_on_side_by_side_and_their_results_come_back(
    start: Start, kind: str
) -> None:
    field = Field()

    def child(body: Json, task: str) -> Json:
        if results := results_in(body):
            return make_completion(f"{task.splitlines()[0]}: {results[0]}")
        return calling("look", {"at": task.splitlines()[0]})

    runtime = await asyncio.to_thread(Engine) if kind == "wasm" else None
    async with start(toolbox=field.box, own_tools=True, runtime=runtime) as gateway:
        text = await told(gateway, delegating(TWO, child))
        history = await gateway.history()
        await gateway.pool.settled()
        assert gateway.pool.stats().leased == 0
        assert gateway.pool.stats().warm == 1
    if runtime is not None:
        await asyncio.to_thread(runtime.close)
    assert "the north: saw the north" in text
    assert "the south: saw the south" in text
    assert "data from an agent that you set to work" in text
    assert field.seen == [1, 1]
    assert len(history) == 4  # what the others did is no part of the chat


async def test_they_have_a_fresh_mind_and_fewer_tools(start: Start) -> None:
    bodies: list[Json] = []

    def child(body: Json, task: str) -> Json:
        bodies.append(body)
        return make_completion("found")

    async with start(toolbox=Field().box, own_tools=True) as gateway:
        gateway.model.enqueue(text="noted")
        await gateway.platform.say("my secret is swordfish")
        await gateway.platform.until_shown("noted")
        await told(gateway, delegating(TWO[1:], child))
    assert "swordfish" not in str(bodies)
    assert "It is warm." in str(bodies)
    names = names_in(bodies[0])
    assert {"look", "dig", "session_search"} <= names
    assert not names & {"delegate_task", "send_message", "cronjob", "memory", "clarify"}


async def test_only_named_toolsets_are_given_and_more_can_not_be_called(start: Start) -> None:
    def child(body: Json, task: str) -> Json:
        if results := results_in(body):
            return make_completion(results[0])
        assert "dig" not in names_in(body)
        return calling("dig", {})

    async with start(toolbox=Field().box, own_tools=True) as gateway:
        text = await told(gateway, delegating(TWO[:1], child, toolsets=["past"]))
        assert "There is no tool" in text
        await gateway.platform.say("/new")
        await gateway.platform.until(lambda s: "new conversation" in s.last)
        text = await told(gateway, delegating(TWO[:1], child, toolsets=["shell"]))
        assert "There is no toolset shell. There are:" in text


@pytest.mark.parametrize("name", ["shout", "session_search", "delegate_task"])
async def test_nothing_that_they_were_not_given_is_reached_by_way_of_their_tools(
    start: Start, name: str
) -> None:
    def child(body: Json, task: str) -> Json:
        if results := results_in(body):
            return make_completion(results[0])
        return calling("run", {"name": name})

    limits = {"risks": {"message": "allow"}, "delegation": {"max_depth": 2}}
    async with start(toolbox=Field().box, own_tools=True, tools=limits) as gateway:
        text = await told(gateway, delegating(TWO[:1], child, toolsets=["own"]))
        assert f"There is no tool '{name}' here." in text


async def test_those_that_they_set_to_work_are_given_no_more_than_they_have(start: Start) -> None:
    def child(body: Json, task: str) -> Json:
        if results := results_in(body):
            return make_completion(results[0])
        if task == "the north":
            return calling("delegate_task", {"tasks": [{"goal": "further"}]})
        return make_completion(f"has {sorted(names_in(body))}")

    limits = {"delegation": {"max_depth": 3}}
    async with start(toolbox=Field().box, own_tools=True, tools=limits) as gateway:
        text = await told(gateway, delegating(TWO[:1], child, toolsets=["agents"]))
        assert "delegate_task" in text
        assert "dig" not in text


async def test_what_they_do_is_under_the_same_policy(start: Start) -> None:
    def child(body: Json, task: str) -> Json:
        if results := results_in(body):
            return make_completion(results[0])
        return calling("dig", {})

    asked = {"risks": {"execute": "ask"}, "approvals": {"asker_may_approve": True}}
    async with start(toolbox=Field().box, own_tools=True, tools=asked) as gateway:
        gateway.model.answer_by(delegating(TWO[:1], child))
        await gateway.platform.say("find out")
        await gateway.platform.until(lambda s: "May I use dig" in s.last)
        await gateway.platform.press("Deny")
        screen = await gateway.platform.until(lambda s: "They say" in s.last and not s.buttons)
        assert "somebody said no" in screen.last


@pytest.mark.parametrize(
    ("limits", "tasks", "said"),
    [
        ({"max_tasks": 1}, TWO, "At most 1 tasks at once"),
        ({"max_per_turn": 1}, TWO, "At most 1 tasks for one message"),
        ({"max_tokens": 10}, TWO[:1], "It took more than 10 tokens"),
    ],
)
async def test_number_and_cost_are_bounded(
    start: Start, limits: dict[str, Any], tasks: list[Json], said: str
) -> None:
    def child(body: Json, task: str) -> Json:
        return calling("dig", {})

    tools = {"delegation": limits}
    async with start(toolbox=Field().box, own_tools=True, tools=tools) as gateway:
        assert said in await told(gateway, delegating(tasks, child))


async def test_time_is_bounded(start: Start) -> None:
    def child(body: Json, task: str) -> Json:
        return calling("look", {"at": "nothing, alone"})

    tools = {"delegation": {"timeout_s": 0.5}}
    async with start(toolbox=Field().box, own_tools=True, tools=tools) as gateway:
        text = await told(gateway, delegating(TWO[:1], child))
    assert "It took longer than 0.5 s" in text


async def test_iterations_are_bounded_and_what_there_is_comes_back(start: Start) -> None:
    def child(body: Json, task: str) -> Json:
        if not body.get("tools"):
            return make_completion("as far as I came")
        return calling("dig", {"n": len(body["messages"])})

    tools = {"delegation": {"max_iterations": 2}}
    async with start(toolbox=Field().box, own_tools=True, tools=tools) as gateway:
        assert "as far as I came" in await told(gateway, delegating(TWO[:1], child))


async def test_depth_is_bounded(start: Start) -> None:
    depths: list[str] = []

    def child(body: Json, task: str) -> Json:
        if results := results_in(body):
            return make_completion(f"deeper: {results[0]}")
        depths.append(task)
        if "delegate_task" in names_in(body):
            deeper = {"tasks": [{"goal": f"{task} and on"}]}
            return calling("delegate_task", deeper)
        return make_completion("the ground")

    tools = {"delegation": {"max_depth": 2}}
    async with start(toolbox=Field().box, own_tools=True, tools=tools) as gateway:
        text = await told(gateway, delegating(TWO[:1], child))
    assert "the ground" in text
    assert depths == ["the north", "the north and on"]


async def test_one_that_fails_does_not_take_the_others_along(start: Start) -> None:
    def child(body: Json, task: str) -> Json:
        return make_completion("") if task == "the north" else make_completion("found")

    async with start(toolbox=Field().box, own_tools=True) as gateway:
        text = await told(gateway, delegating(TWO, child))
    assert "Task 1: the north" in text
    assert "found" in text


async def test_stop_ends_those_at_work_too(start: Start) -> None:
    field = Field()

    def child(body: Json, task: str) -> Json:
        return calling("look", {"at": "nothing, alone"})

    async with start(toolbox=field.box, own_tools=True) as gateway:
        gateway.model.answer_by(delegating(TWO[:1], child))
        await gateway.platform.say("find out")
        await field.is_looking.wait()
        await gateway.platform.say("/stop")
        await gateway.platform.until(lambda s: "topped" in s.last)
        await gateway.chats.idle("telegram:dm:1")
        await gateway.pool.settled()
        assert gateway.pool.stats().leased == 0


async def test_what_they_are_doing_is_seen_while_they_do_it(start: Start) -> None:
    def child(body: Json, task: str) -> Json:
        return calling("look", {"at": "nothing, alone"})

    async with start(
        toolbox=Field().box, own_tools=True, activity_after_s=0, tool_activity="full"
    ) as gateway:
        gateway.model.answer_by(delegating(TWO[:1], child))
        await gateway.platform.say("find out")
        await gateway.platform.until(lambda s: "task 1 of 1: look" in s.last)
        await gateway.platform.say("/stop")
        await gateway.platform.until(lambda s: "topped" in s.last)


async def test_a_restart_ends_them_and_what_they_had_asked_is_no_longer_open(start: Start) -> None:
    def child(body: Json, task: str) -> Json:
        return calling("dig", {})

    field = Field()
    asked = {"risks": {"execute": "ask"}, "approvals": {"asker_may_approve": True}}
    async with start(toolbox=field.box, own_tools=True, tools=asked) as first:
        first.model.answer_by(delegating(TWO[:1], child))
        await first.platform.say("find out")
        screen = await first.platform.until(lambda s: "May I use dig" in s.last)
        once = next(one for one in screen.buttons if one.label == "Once")
    async with start(toolbox=field.box, own_tools=True, tools=asked) as second:
        second.model.answer_by(delegating(TWO[:1], child))
        screen = await second.platform.until(
            lambda s: "They say" in s.last and "▉" not in s.last and not s.buttons
        )
        assert "was interrupted by a restart" in screen.last
        notice = await second.platform.press_data(once.data)
        assert notice == "This question is no longer open."
    assert field.dug == 0
