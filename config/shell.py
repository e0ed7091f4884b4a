"""The settings of the shell: commands of the machine, shut into a chat's workspace."""

from typing import Literal

from pydantic import Field, PositiveFloat, PositiveInt

from config.section import Section, Word


class ShellSettings(Section):
    """Commands that an agent runs in bubblewrap. On only where `tools` allows `shell`."""

    network: bool = Field(
        default=False,
        description="Whether commands may use the network: all of it, this machine's own services "
        "included.",
    )
    ask_about: Literal["everything", "unknown", "destructive"] = Field(
        default="unknown",
        description="What somebody is asked about. `unknown`: all that is not known to only look. "
        "`destructive`: only what deletes, or can't be understood beforehand. docs/sandbox.md.",
    )
    allowed: tuple[Word, ...] = Field(
        default=(),
        description="Ordinary commands that nobody is asked about, with `*` for anything: "
        "`[make test, git commit *]`.",
    )
    timeout_s: PositiveInt = Field(
        default=600, description="How long a command may run that is waited for, at most."
    )
    memory_mb: PositiveInt = Field(default=1024, ge=64, description="Memory of a command.")
    max_processes: PositiveInt = Field(default=128, description="Processes of a command.")
    max_file_mb: PositiveInt = Field(default=100, description="Size of a file that it writes.")
    max_background: PositiveInt = Field(
        default=4, description="Commands that may run in the background of one chat."
    )
    background_hours: PositiveFloat = Field(
        default=24, description="After how long a command in the background is ended."
    )
