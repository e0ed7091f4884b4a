"""The settings of tools: which there are, who may use which where, and who is asked before."""

from typing import Annotated, Literal

from pydantic import Field, PositiveFloat, PositiveInt

from config.section import NumericId, Section, Word

Decision = Literal["allow", "ask", "deny"]

TOOLSETS = ("files", "past", "skills", "time", "people", "agents", "code", "web", "mcp", "own")
"""All but `shell`: a program that runs on the machine is for an administrator to switch on."""

_MATCHES = "Tools by name (`read_file`, `mcp_github_*`), by toolset (`shell`) or by risk (`write`)"


class ToolRule(Section):
    """One rule: for whom and where, and what holds then. What is left out holds for all."""

    platforms: tuple[Word, ...] = Field(default=(), description="E.g. `[telegram]`.")
    kinds: tuple[Literal["direct", "group"], ...] = Field(
        default=(), description="Chats with one person, or with several."
    )
    chats: tuple[NumericId, ...] = Field(default=(), description="Ids of chats.")
    users: tuple[NumericId, ...] = Field(default=(), description="Ids of people.")
    roles: tuple[Literal["owner", "member"], ...] = Field(
        default=(), description="What the person is, see docs/access.md."
    )
    allow: tuple[Word, ...] = Field(default=(), description=f"{_MATCHES}: may be used.")
    ask: tuple[Word, ...] = Field(
        default=(), description="The same: somebody is asked before every use."
    )
    deny: tuple[Word, ...] = Field(default=(), description="The same: may not be used.")


class RiskSettings(Section):
    """What holds for tools that no rule says anything about, by the worst that they could do."""

    read: Decision = Field(default="allow", description="Look at what the chat may see anyway.")
    write: Decision = Field(
        default="allow",
        description="Change what belongs to the chat. Programs change its files, too: what is to "
        "hold for those is said under `execute`.",
    )
    network: Decision = Field(default="allow", description="Reach out to the internet.")
    execute: Decision = Field(
        default="allow",
        description="Run a program, in a sandbox. Dangerous shell commands are asked about all "
        "the same.",
    )
    message: Decision = Field(default="ask", description="Write to another chat.")


class ApprovalSettings(Section):
    """Who is asked before a tool does something that has to be asked about. Silence is no."""

    asker_may_approve: bool = Field(
        default=False,
        description="Whether people who are no owners may say yes themselves, in their direct "
        "chats. Otherwise an owner says it, there or by /approve from anywhere.",
    )
    timeout_s: PositiveFloat = Field(
        default=3_600, description="How long a tool waits for a yes before that means no."
    )


class DelegationSettings(Section):
    """What agents may set other agents to work on, with the tool `delegate_task`."""

    max_depth: Annotated[int, Field(ge=1, le=3)] = Field(
        default=1, description="1: those that are set to work set no others to work."
    )
    max_tasks: Annotated[int, Field(ge=1, le=16)] = Field(
        default=3, description="Tasks of one call, which run side by side."
    )
    max_per_turn: PositiveInt = Field(default=10, description="Tasks of one turn, all together.")
    max_iterations: PositiveInt = Field(default=20, description="Model calls for one task.")
    max_tokens: PositiveInt = Field(
        default=300_000, description="Tokens that the model may take in and give for one task."
    )
    timeout_s: PositiveFloat = Field(default=600, description="Time for one task.")


class SkillSettings(Section):
    """Skills: folders with a `SKILL.md`, in `skills/` of the data folder and in each chat."""

    max_skills: PositiveInt = Field(default=50, description="The most that one chat can write.")
    max_chars: PositiveInt = Field(default=20_000, description="The longest skill.")


class ToolSettings(Section):
    """What agents can do beside talking. docs/tools.md lists all tools."""

    toolsets: tuple[Word, ...] = Field(
        default=TOOLSETS,
        description="Toolsets that are on; a rule below can allow others for some. `shell` is the "
        "one that is off unless it is named.",
    )
    risks: RiskSettings = RiskSettings()
    rules: tuple[ToolRule, ...] = Field(
        default=(),
        description="Exceptions. The first rule that fits the person and the chat and names the "
        "tool decides; in it, `deny` comes before `ask`, and that before `allow`. The keys of a "
        "rule: `platforms`, `kinds`, `chats`, `users`, `roles`, and `allow`, `ask`, `deny`.",
    )
    approvals: ApprovalSettings = ApprovalSettings()
    skills: SkillSettings = SkillSettings()
    delegation: DelegationSettings = DelegationSettings()
    workspace_mb: PositiveInt = Field(
        default=500,
        description="The most that the files of one chat may take on the disk: what people sent, "
        "what tools wrote.",
    )
    modules: tuple[Word, ...] = Field(
        default=(),
        description="Python modules with tools of your own: each has a function `tools()` that "
        "returns them. They run with all rights of the gateway.",
    )
