"""Who may use which tool where."""

from typing import Any

import pytest

from adapters.base import Address, ChatKind, Sender
from config.tools import ToolRule, ToolSettings
from gateway.access.roles import Role
from gateway.tools.policy import Decision, User, decide, offered, unknown_names, user_of
from gateway.tools.tool import Risk, ToolContext, tool, tools_of

ALLOW, ASK, DENY = Decision.ALLOW, Decision.ASK, Decision.DENY


class Some:
    @tool(risk=Risk.WRITE)
    async def write_file(self, context: ToolContext) -> str:
        """Writes."""
        return ""

    @tool(risk=Risk.READ)
    async def read_file(self, context: ToolContext) -> str:
        """Reads."""
        return ""


class Shell:
    @tool(risk=Risk.EXECUTE)
    async def terminal(self, context: ToolContext) -> str:
        """Runs."""
        return ""


WRITE, READ = tools_of(Some(), "files")
(TERMINAL,) = tools_of(Shell(), "shell")
ALL = [WRITE, READ, TERMINAL]


def user(role: Role = Role.MEMBER, id_: str = "1", chat: str = "1") -> User:
    kind = ChatKind.GROUP if chat.startswith("-") else ChatKind.DIRECT
    return user_of(Address("telegram", chat, kind), Sender(id_, "Ada"), role)


def settings(*rules: dict[str, Any], **others: Any) -> ToolSettings:
    return ToolSettings(rules=tuple(ToolRule(**rule) for rule in rules), **others)


def test_by_default_the_shell_is_off_even_for_owners() -> None:
    assert decide(settings(), TERMINAL, user(Role.OWNER)) is DENY
    assert decide(settings(), WRITE, user()) is ALLOW


def test_a_toolset_is_on_when_it_is_named_and_its_risk_decides() -> None:
    named = ToolSettings.model_validate(
        {"toolsets": ["shell"], "risks": {"execute": "ask", "read": "deny"}}
    )
    assert decide(named, TERMINAL, user()) is ASK
    assert decide(named, READ, user()) is DENY


@pytest.mark.parametrize(
    ("rule", "fits"),
    [
        ({"roles": ["owner"]}, True),
        ({"roles": ["member"]}, False),
        ({"users": [7]}, True),
        ({"users": [8]}, False),
        ({"chats": [-100]}, True),
        ({"chats": [-101]}, False),
        ({"platforms": ["telegram"]}, True),
        ({"platforms": ["discord"]}, False),
        ({"kinds": ["group"]}, True),
        ({"kinds": ["direct"]}, False),
        ({"roles": ["owner"], "users": [8]}, False),
        ({}, True),
    ],
)
def test_a_rule_holds_where_all_of_it_fits(rule: dict[str, Any], fits: bool) -> None:
    one = settings({**rule, "allow": ["shell"]})
    who = user(Role.OWNER, "7", "-100")
    assert decide(one, TERMINAL, who) is (ALLOW if fits else DENY)


@pytest.mark.parametrize("pattern", ["write_file", "write*", "files", "write", "*"])
def test_tools_are_named_by_name_pattern_toolset_or_risk(pattern: str) -> None:
    assert decide(settings({"deny": [pattern]}), WRITE, user()) is DENY


def test_the_first_rule_that_names_the_tool_decides_and_in_it_the_strictest() -> None:
    one = settings({"users": [1], "allow": ["terminal"]}, {"deny": ["*"]}, {"allow": ["files"]})
    assert decide(one, TERMINAL, user(id_="1")) is ALLOW
    assert decide(one, WRITE, user(id_="1")) is DENY
    strict = settings({"allow": ["files"], "ask": ["write"], "deny": ["write_file"]})
    assert decide(strict, WRITE, user()) is DENY
    assert decide(strict, READ, user()) is ALLOW


def test_in_a_direct_chat_an_agent_hears_only_of_what_its_person_may_use() -> None:
    one = settings({"roles": ["owner"], "allow": ["shell"]})
    assert offered(one, ALL, user()) == [WRITE, READ]
    assert offered(one, ALL, user(Role.OWNER)) == ALL


def test_in_a_group_an_agent_hears_of_what_anybody_there_may_use() -> None:
    one = settings({"users": [7], "allow": ["shell"]}, {"chats": [-100], "deny": ["write"]})
    assert offered(one, ALL, user(chat="-100")) == [READ, TERMINAL]
    assert offered(one, ALL, user(chat="-200")) == ALL
    assert offered(settings(), ALL, user(chat="-100")) == [WRITE, READ]


def test_a_name_that_nothing_has_is_found_wherever_it_stands() -> None:
    one = settings(
        {"deny": ["termnal", "terminal", "read*"]},
        {"allow": ["write", "mcp_tracker_*", "own"], "ask": ["fils"]},
        toolsets=("files", "wbe"),
    )
    assert unknown_names(one, ALL) == ["wbe", "termnal", "fils"]
    assert unknown_names(ToolSettings(), ALL) == []
