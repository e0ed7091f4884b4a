"""A typed method becomes a tool: what a model is told of it, and what it may send."""

from pathlib import Path
from typing import Annotated, Any, Literal

import pytest
from pydantic import BaseModel, Field

from agent_core.schema import problems
from gateway.tools.tool import Risk, ToolContext, ToolFailed, tool, tools_of
from tests.gateway.tools.calling import called


class Place(BaseModel):
    """Where."""

    town: str
    height_m: int = 0


class Weather:
    """Has two tools."""

    @tool(risk=Risk.NETWORK, timeout_s=5)
    async def weather(
        self,
        context: ToolContext,
        place: Annotated[str, Field(description="A town.", min_length=1)],
        days: int = 3,
        unit: Literal["C", "F"] = "C",
        hour: int | None = None,
    ) -> str:
        """The weather
        somewhere.

        This is for people who read the code.
        """
        return f"{place} {days} {unit} {hour}"

    @tool(is_repeatable=True)
    async def compare(self, context: ToolContext, *, places: list[Place]) -> str:
        """Compares."""
        return ", ".join(f"{place.town} at {place.height_m} m" for place in places)

    def not_a_tool(self) -> str:
        return "nothing"


WEATHER, COMPARE = tools_of(Weather(), "outside")


def test_what_a_model_is_told_is_in_the_signature_and_in_the_first_paragraph() -> None:
    function = WEATHER.schema["function"]
    assert (function["name"], function["description"]) == ("weather", "The weather somewhere.")
    assert function["parameters"] == {
        "type": "object",
        "additionalProperties": False,
        "required": ["place"],
        "properties": {
            "place": {"type": "string", "description": "A town.", "minLength": 1},
            "days": {"type": "integer", "default": 3},
            "unit": {"type": "string", "enum": ["C", "F"], "default": "C"},
            "hour": {"type": "integer"},
        },
    }
    assert (WEATHER.schema["toolset"], WEATHER.risk, WEATHER.timeout_s) == (
        "outside",
        Risk.NETWORK,
        5,
    )
    assert (WEATHER.is_repeatable, COMPARE.is_repeatable) == (False, True)


def test_nested_models_are_spelled_out_where_they_are_used() -> None:
    items = COMPARE.parameters["properties"]["places"]["items"]
    assert items["properties"]["town"] == {"type": "string"}
    assert "$defs" not in COMPARE.parameters


async def test_a_call_gets_checked_arguments_with_their_defaults(tmp_path: Path) -> None:
    assert (await called(WEATHER, tmp_path, place="Bern")).content == "Bern 3 C None"
    result = await called(COMPARE, tmp_path, places=[{"town": "Bern", "height_m": 540}])
    assert result.content == "Bern at 540 m"


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        ("{}", "`place`: Field required"),
        ('{"place": ""}', "`place`: String should have at least 1 character"),
        ('{"place": "Bern", "unit": "K"}', "`unit`: Input should be 'C' or 'F'"),
        ('{"place": "Bern", "where": 1}', "`where`: Extra inputs are not permitted"),
        ('["Bern"]', "should be an object"),
        ('{"place', "Invalid JSON"),
    ],
)
def test_what_is_wrong_with_arguments_is_said_in_a_sentence(arguments: str, said: str) -> None:
    with pytest.raises(ToolFailed, match="Nothing was run") as caught:
        WEATHER.read(arguments)
    assert said in str(caught.value)


@pytest.mark.parametrize(
    "arguments",
    [{"place": "Bern"}, {"place": "Bern", "hour": 3}, {"place": "Bern", "days": 1, "unit": "F"}],
)
def test_the_agent_and_the_host_agree_on_what_is_right(arguments: dict[str, Any]) -> None:
    assert problems(arguments, WEATHER.parameters) == []
    assert problems({**arguments, "where": 1}, WEATHER.parameters) != []


def test_a_tool_without_a_description_is_a_mistake_of_ours() -> None:
    class Mute:
        @tool()
        async def nod(self, context: ToolContext) -> str:
            return ""

    with pytest.raises(TypeError, match="needs a docstring"):
        tools_of(Mute(), "own")
