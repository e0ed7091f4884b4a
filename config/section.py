"""What every part of the settings is, and how a part says what is wrong with a value."""

from pydantic import BaseModel, ConfigDict

SENTENCE = "sentence"
"""The type of a pydantic error whose message is already written for a person."""


class Section(BaseModel):
    """A part of the file. Unknown keys are mistakes."""

    model_config = ConfigDict(
        extra="forbid", frozen=True, allow_inf_nan=False, hide_input_in_errors=True
    )
