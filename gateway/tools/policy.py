"""Who may use which tool where: allowed, to be asked about, or denied. Pure.

Asked twice: when an agent is woken, for the tools that it is told of, and at every call, for the
person whose message has led to it.
"""

from collections.abc import Iterable
from dataclasses import dataclass
from enum import StrEnum
from fnmatch import fnmatchcase
from typing import Protocol

from adapters.base import Address, ChatKind, Sender
from config.tools import TOOLSETS, ToolRule, ToolSettings
from gateway.access.roles import Role
from gateway.tools.tool import Risk, Tool


class Decision(StrEnum):
    """What a policy says to a tool."""

    ALLOW = "allow"
    ASK = "ask"
    DENY = "deny"


class Described(Protocol):
    """What rules can name: a tool, or what is like one."""

    @property
    def name(self) -> str: ...
    @property
    def toolset(self) -> str: ...
    @property
    def risk(self) -> Risk: ...


@dataclass(frozen=True, slots=True)
class Like:
    """What the host does by itself under the rules of a tool."""

    name: str
    toolset: str
    risk: Risk


@dataclass(frozen=True, slots=True)
class User:
    """Somebody in a chat, as far as rules speak of them."""

    platform: str
    kind: ChatKind
    chat_id: str
    person_id: str
    role: Role

    @property
    def key(self) -> str:
        """The person, across their chats: `telegram:42`."""
        return f"{self.platform}:{self.person_id}"


def user_of(address: Address, sender: Sender, role: Role) -> User:
    """Whoever sent a message."""
    return User(address.platform, address.kind, address.chat_id, sender.id, role)


def decide(settings: ToolSettings, tool: Described, user: User) -> Decision:
    """What holds for this tool in this person's hands."""
    for rule in settings.rules:
        if _is_about(rule, user) and (decision := _said(rule, tool)) is not None:
            return decision
    if tool.toolset not in settings.toolsets:
        return Decision.DENY
    return Decision(getattr(settings.risks, tool.risk.value))


def strictest(decisions: Iterable[Decision]) -> Decision:
    """What holds for something that several people have brought about."""
    found = set(decisions)
    return next((one for one in (Decision.DENY, Decision.ASK) if one in found), Decision.ALLOW)


def offered(settings: ToolSettings, tools: Iterable[Tool], user: User) -> list[Tool]:
    """The tools that an agent is told of in a chat, because somebody there may use them.

    In a group those are the tools of all who might write there: whoever writes next finds the same
    agent. What a particular person may not use is refused to them at the call.
    """
    users = [user] if user.kind is ChatKind.DIRECT else _all_in_chat(settings, user)
    return [
        tool
        for tool in tools
        if any(decide(settings, tool, one) is not Decision.DENY for one in users)
    ]


def unknown_names(settings: ToolSettings, tools: Iterable[Tool]) -> list[str]:
    """What toolsets and rules name although nothing is called that: a slip of the pen, most likely.

    What MCP servers will bring is not known before; their tools begin with `mcp_`.
    """
    known = {*TOOLSETS, "shell", *(risk.value for risk in Risk)}
    known |= {name for tool in tools for name in (tool.name, tool.toolset)}
    named = [name for rule in settings.rules for name in (*rule.allow, *rule.ask, *rule.deny)]
    return [
        name
        for name in dict.fromkeys((*settings.toolsets, *named))
        if not name.startswith("mcp_") and not any(fnmatchcase(one, name) for one in known)
    ]


def _all_in_chat(settings: ToolSettings, user: User) -> list[User]:
    """One of each sort of people that rules tell apart."""
    ids = {user.person_id, "", *(str(id_) for rule in settings.rules for id_ in rule.users)}
    return [
        User(user.platform, user.kind, user.chat_id, id_, role)
        for id_ in sorted(ids)
        for role in (Role.MEMBER, Role.OWNER)
    ]


def _is_about(rule: ToolRule, user: User) -> bool:
    return all(
        not wanted or is_so in wanted
        for wanted, is_so in (
            (rule.platforms, user.platform),
            (rule.kinds, user.kind.value),
            (tuple(map(str, rule.chats)), user.chat_id),
            (tuple(map(str, rule.users)), user.person_id),
            (rule.roles, str(user.role)),
        )
    )


def _said(rule: ToolRule, tool: Described) -> Decision | None:
    for decision, patterns in (
        (Decision.DENY, rule.deny),
        (Decision.ASK, rule.ask),
        (Decision.ALLOW, rule.allow),
    ):
        names = (tool.name, tool.toolset, tool.risk.value)
        if any(fnmatchcase(name, pattern) for name in names for pattern in patterns):
            return decision
    return None
