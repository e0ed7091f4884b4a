"""What the classes of `config.settings` are made of: their base, and the types of single values.

A value that a type refuses is answered with a sentence that completes "`some.setting` …".
"""

import re
from pathlib import Path
from typing import Annotated, Literal

from pydantic import AfterValidator, BaseModel, ConfigDict, Field, HttpUrl, SecretStr
from pydantic_core import PydanticCustomError

SENTENCE = "sentence"
"""The type of a pydantic error whose message is already written for a person."""


def _is_one_word(secret: SecretStr) -> SecretStr:
    text = secret.get_secret_value()
    if not (text.isascii() and text.isprintable() and " " not in text):
        # It travels in an HTTP header or in an address, where anything else is an injection.
        raise PydanticCustomError(
            SENTENCE, "must be one word of plain ASCII characters: copy it once more."
        )
    return secret


def _is_one_line(secret: SecretStr) -> SecretStr:
    if any(ord(character) < 32 or ord(character) == 127 for character in secret.get_secret_value()):
        raise PydanticCustomError(SENTENCE, "must be one line, without control characters.")
    return secret


def _has_no_password(address: HttpUrl) -> HttpUrl:
    if address.username or address.password:
        # Addresses are logged; secrets are not.
        raise PydanticCustomError(
            SENTENCE, "must not hold a user name or a password: secrets have settings of their own."
        )
    return address


def _is_possible_path(path: Path) -> Path:
    if "\0" in str(path):
        raise PydanticCustomError(SENTENCE, "must not hold a zero character.")
    return path


def _is_absolute_path(path: Path) -> Path:
    if not path.is_absolute():
        raise PydanticCustomError(SENTENCE, "must be a whole path, from the root on.")
    return path


def _is_file_name(name: str) -> str:
    # A whole path would let a slip of the pen write anywhere.
    if "\0" in name or Path(name).name != name:
        raise PydanticCustomError(SENTENCE, "must be the name of a file, without a folder.")
    return name


def _is_time_of_day(text: str) -> str:
    if re.fullmatch(r"([01][0-9]|2[0-3]):[0-5][0-9]", text, re.ASCII) is None:
        raise PydanticCustomError(
            SENTENCE, 'must be a time of day in quotes, like "04:00" or "16:30".'
        )
    return text


NumericId = Annotated[int, Field(strict=True)]
PersonId = Annotated[int, Field(strict=True, gt=0)]
Secret = Annotated[SecretStr, Field(min_length=1), AfterValidator(_is_one_word)]


class HiddenText(SecretStr):
    """Text that may hold a secret, such as a header's: like a `Secret`, but of several words."""


Hidden = Annotated[HiddenText, Field(min_length=1), AfterValidator(_is_one_line)]
Address = Annotated[HttpUrl, AfterValidator(_has_no_password)]
Folder = Annotated[Path, AfterValidator(_is_possible_path)]
WholePath = Annotated[Path, AfterValidator(_is_possible_path), AfterValidator(_is_absolute_path)]
TimeOfDay = Annotated[str, AfterValidator(_is_time_of_day)]
Word = Annotated[str, Field(min_length=1)]
StrangerPolicy = Literal["ignore", "pair"]
FileName = Annotated[str, Field(min_length=1), AfterValidator(_is_file_name)]


class Section(BaseModel):
    """A part of the file. Unknown keys are mistakes."""

    model_config = ConfigDict(
        extra="forbid", frozen=True, allow_inf_nan=False, hide_input_in_errors=True
    )
