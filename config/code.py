"""The settings of `execute_code`: what a program that the model writes may use."""

from pydantic import Field, PositiveFloat, PositiveInt

from config.section import Section


class CodeSettings(Section):
    """The sandbox for programs that an agent writes. docs/sandbox.md says what it holds."""

    memory_mb: PositiveInt = Field(
        default=256, ge=64, le=4_000, description="Memory that one program may have."
    )
    time_s: PositiveFloat = Field(
        default=30,
        description="How long one program may run; what it waits for tools does not count.",
    )
    write_mb: PositiveInt = Field(
        default=64, description="What one program may write into files, all together."
    )
    max_tool_calls: int = Field(
        default=50, ge=0, description="How many tools one program may call. 0: none."
    )
    max_programs: PositiveInt = Field(
        default=4, description="How many may run at a time; others wait."
    )
