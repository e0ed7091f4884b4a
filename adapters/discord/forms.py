"""Forms with one field: for the free answer to a question, and for a question about a message.

What a form is for stands in its id, so one that was opened before a restart can be sent after it.
"""

from typing import Any

import discord

LONGEST_TEXT = 4_000  # Discord, "Text Input Structure"
LONGEST_TITLE = 45
ANSWER_TITLE = "Your answer"
ABOUT_TITLE = "Your question about the message"

_PRESS = "hermes-press:"
_ABOUT = "hermes-about:"
_FIELD = "text"


def answer_form(data: str) -> discord.ui.Modal:
    """The form behind a button with this data."""
    return _form(f"{_PRESS}{data}", ANSWER_TITLE)


def question_form(channel_id: int, message_id: int) -> discord.ui.Modal:
    """The form for a question about a message."""
    return _form(f"{_ABOUT}{channel_id}:{message_id}", ABOUT_TITLE)


def answered_button(custom_id: str) -> str | None:
    """The data of the button behind which this form was opened; None if there was none."""
    return custom_id.removeprefix(_PRESS) if custom_id.startswith(_PRESS) else None


def message_asked_about(custom_id: str) -> tuple[int, int] | None:
    """Channel and message that this form asks about; None if it asks about none."""
    channel_id, _, message_id = custom_id.removeprefix(_ABOUT).partition(":")
    if not custom_id.startswith(_ABOUT) or not (channel_id + message_id).isdecimal():
        return None
    return int(channel_id), int(message_id)


def typed_in(interaction: discord.Interaction[Any]) -> tuple[str, str]:
    """The id of a form that was sent, and what was written into it."""
    data: Any = interaction.data or {}
    fields = [
        field
        for row in data.get("components", ())
        for field in (*row.get("components", ()), row.get("component") or {})
    ]
    text = next((one.get("value") for one in fields if one.get("custom_id") == _FIELD), None)
    return str(data.get("custom_id", "")), str(text or "")


def _form(custom_id: str, title: str) -> discord.ui.Modal:
    form = discord.ui.Modal(title=title[:LONGEST_TITLE], custom_id=custom_id)
    field: discord.ui.TextInput[discord.ui.Modal] = discord.ui.TextInput(
        label="In your words",
        custom_id=_FIELD,
        style=discord.TextStyle.paragraph,
        max_length=LONGEST_TEXT,
    )
    form.add_item(field)
    form.stop()  # what is sent goes by the form's id: nothing has to be kept for it
    return form
