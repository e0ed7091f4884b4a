"""The pages say what tools there are, as the tools themselves do."""

import inspect
import re

from config.tools import TOOLSETS
from gateway.tools import families
from gateway.tools.reference import INSIDE, PAGE, README, page

RUN = "run: python -m gateway.tools.reference"


def test_the_pages_are_up_to_date() -> None:
    for path in (PAGE, README):
        text = path.read_text(encoding="utf-8")
        assert text == page(text), RUN


def test_every_family_that_is_made_is_on_the_page() -> None:
    made = set(re.findall(r"tools_of\((\w+)\(", inspect.getsource(families)))
    assert made == {family.__name__ for family, _ in families.FAMILIES}


def test_no_two_tools_have_one_name_and_all_toolsets_are_known() -> None:
    names = [tool.name for tool in families.described_tools()]
    assert len(set(names)) == len(names)
    assert not set(names) & set(INSIDE)
    assert {tool.toolset for tool in families.described_tools()} <= {*TOOLSETS, "shell"}
