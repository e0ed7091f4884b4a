"""A call is kept within its limits, and whatever goes wrong in it is for the model to read."""

import asyncio
import tracemalloc
from pathlib import Path

import pytest

from gateway.masking import MASK, Mask
from gateway.tools.spill import MAX_FILES, Output
from gateway.tools.tool import ToolContext, ToolFailed, ToolResult, tool, tools_of
from gateway.tools.toolbox import DuplicateTool, Toolbox
from gateway.workspace.workspace import Workspace
from tests.gateway.tools.calling import called, context_of

KEY = "sk-0123456789abcdef"
MIB = 1_048_576


class Odd:
    """Tools that do what no tool should."""

    @tool(timeout_s=0.01)
    async def hang(self, context: ToolContext) -> str:
        """Never ends."""
        await asyncio.get_running_loop().create_future()
        return ""

    @tool()
    async def refuse(self, context: ToolContext) -> str:
        """Fails in words."""
        raise ToolFailed("There is no such thing.")

    @tool()
    async def stumble(self, context: ToolContext) -> str:
        """Has a defect."""
        raise KeyError(KEY)

    @tool()
    async def time_out(self, context: ToolContext) -> str:
        """Has a time-out of its own, and forgets about it."""
        raise TimeoutError("inside")

    @tool()
    async def stray(self, context: ToolContext) -> str:
        """Leaves the workspace."""
        await asyncio.to_thread(context.workspace.open_read, "../secrets")
        return ""

    @tool()
    async def tell(self, context: ToolContext, text: str) -> ToolResult:
        """Says it again."""
        return ToolResult(text)

    @tool(max_output_chars=2_000)
    async def flood(self, context: ToolContext, size_bytes: int) -> str:
        """Says very much, as it comes."""
        output = context.new_output()

        def fill() -> str:
            for _ in range(size_bytes // 10_000):
                output.write(b"0123456789" * 1_000)
            return output.finish()

        return await asyncio.to_thread(fill)

    @tool(max_output_chars=1_000)
    async def chatter(self, context: ToolContext) -> str:
        """Says much at once."""
        return f"begin {'x' * 5_000} {KEY} end"


TOOLS = {one.name: one for one in tools_of(Odd(), "odd")}


@pytest.mark.parametrize(
    ("name", "said"),
    [
        ("hang", "It took longer than 0.01 s"),
        ("refuse", "There is no such thing."),
        ("stumble", "stumble broke down"),
        ("time_out", "time_out broke down"),
        ("stray", "may not hold `..`"),
    ],
)
async def test_what_goes_wrong_is_a_result(tmp_path: Path, name: str, said: str) -> None:
    result = await called(TOOLS[name], tmp_path)
    assert result.is_error
    assert said in result.content
    assert KEY not in result.content


async def test_secrets_that_the_host_knows_are_taken_out(tmp_path: Path) -> None:
    result = await called(TOOLS["tell"], tmp_path, secrets=[KEY], text=f"the key is {KEY}!")
    assert result.content == f"the key is {MASK}!"


async def test_a_long_result_is_kept_in_the_workspace_without_secrets(tmp_path: Path) -> None:
    result = await called(TOOLS["chatter"], tmp_path, secrets=[KEY])
    assert len(result.content) <= 1_000
    assert result.content.startswith("begin xxx")
    assert result.content.endswith("end")
    assert "All of it is in tool-results/chatter.txt" in result.content
    kept = (tmp_path / "tool-results" / "chatter.txt").read_text()
    assert kept == f"begin {'x' * 5_000} {MASK} end"


async def test_a_huge_output_is_never_in_memory(tmp_path: Path) -> None:
    tracemalloc.start()
    try:
        result = await called(TOOLS["flood"], tmp_path, size_bytes=100_000_000)
        _, peak = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert peak < 20 * MIB
    assert "of 100,000,000 bytes are left out here. Only its beginning is in" in result.content
    assert (tmp_path / "tool-results" / "flood.txt").stat().st_size <= 20 * MIB


@pytest.mark.parametrize("size", [1, 7, len(KEY) - 1, 1_000])
def test_a_secret_that_comes_in_pieces_is_found(tmp_path: Path, size: int) -> None:
    toolbox = Toolbox([TOOLS["tell"]], lambda: Mask([KEY]))
    output = toolbox.output(TOOLS["tell"], Workspace(tmp_path))
    text = f"before {KEY}{KEY} after"
    for start in range(0, len(text), size):
        output.write(text[start : start + size])
    assert output.finish() == f"before {MASK}{MASK} after"


def test_without_room_in_the_workspace_only_the_preview_is_left(tmp_path: Path) -> None:
    output = Output(Workspace(tmp_path, quota_bytes=0), "tell", max_chars=500)
    output.write("x" * 2_000)
    assert "could not be kept: the workspace has no room" in output.finish()


def test_the_oldest_results_make_room_for_new_ones(tmp_path: Path) -> None:
    workspace = Workspace(tmp_path)
    for number in range(MAX_FILES + 3):
        output = Output(workspace, "tell", max_chars=10)
        output.write(f"{number:020}")
        output.finish()
    assert len(workspace.list("tool-results")) == MAX_FILES


def test_two_tools_of_one_name_are_a_mistake() -> None:
    with pytest.raises(DuplicateTool, match="'tell'"):
        Toolbox([TOOLS["tell"], TOOLS["tell"]])


async def test_what_an_agent_would_cut_is_kept_in_the_workspace_instead(tmp_path: Path) -> None:
    one = TOOLS["tell"]
    toolbox = Toolbox([one], longest=lambda: 500)
    context = context_of(one, Workspace(tmp_path))
    result = await toolbox.carry_out(one, {"text": "x" * 2_000}, context)
    assert len(result.content) <= 500
    assert "All of it is in tool-results/tell.txt" in result.content
