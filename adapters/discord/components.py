"""Buttons under our messages.

All that is needed to understand a press stands in the button itself, so one under a message from
before a restart, or from last year, still works. Its meaning is the gateway's business.
"""

import re
from typing import Any, Protocol, Self

import discord

from adapters.base import Button, Part, Rejected

LONGEST_DATA_BYTES = 64  # what every platform takes (`adapters.base.Button`)
LONGEST_LABEL = 80  # Discord, "Button Structure"
MOST_ROWS, MOST_IN_ROW = 5, 5

_PREFIX = "hermes:"
_FORM_PREFIX = "hermes-form:"  # of those that open a form
_STYLES = {
    "plain": discord.ButtonStyle.secondary,
    "good": discord.ButtonStyle.success,
    "bad": discord.ButtonStyle.danger,
}


class OnPress(Protocol):
    """What is done when a button of ours is pressed."""

    async def __call__(
        self, interaction: discord.Interaction[Any], data: str, *, opens_form: bool
    ) -> None:
        """Given the interaction, and the data of the button."""


def view_of(part: Part) -> discord.ui.View | None:
    """The buttons of a part. Rows beyond Discord's five are filled up from the front."""
    buttons = [button for row in part.buttons for button in row]
    if not buttons:
        return None
    is_roomy = len(part.buttons) <= MOST_ROWS and all(
        len(row) <= MOST_IN_ROW for row in part.buttons
    )
    if len(buttons) > MOST_ROWS * MOST_IN_ROW:
        raise Rejected(f"{len(buttons)} buttons; Discord shows 25 under a message")
    view = discord.ui.View(timeout=None)
    for number, row in enumerate(part.buttons):
        for button in row:
            view.add_item(_button(button, number if is_roomy else None))
    view.stop()  # presses go by the button's id: nothing has to be kept for this message
    return view


def custom_id(data: str, *, opens_form: bool = False) -> str:
    """What Discord knows a button by."""
    size = len(data.encode())
    if not 1 <= size <= LONGEST_DATA_BYTES:
        raise Rejected(f"a button's data takes {size} bytes; 1 to 64 are allowed")
    return f"{_FORM_PREFIX if opens_form else _PREFIX}{data}"


def pressed_class(on_press: OnPress) -> type[discord.ui.DynamicItem[discord.ui.Button[Any]]]:
    """What discord.py makes of the id of a button of ours that somebody pressed."""

    class Pressed(
        discord.ui.DynamicItem[discord.ui.Button[Any]],
        template=f"(?P<prefix>{_PREFIX}|{_FORM_PREFIX})(?P<data>(?s:.+))",
    ):
        def __init__(self, button: discord.ui.Button[Any], match: re.Match[str]) -> None:
            super().__init__(button)
            self.data = match["data"]
            self.opens_form = match["prefix"] == _FORM_PREFIX

        @classmethod
        async def from_custom_id(
            cls,
            _interaction: discord.Interaction[Any],
            item: discord.ui.Item[Any],
            match: re.Match[str],
            /,
        ) -> Self:
            if not isinstance(item, discord.ui.Button):
                raise TypeError(f"{type(item).__name__} is no button of ours")
            return cls(item, match)

        async def callback(self, interaction: discord.Interaction[Any]) -> None:
            await on_press(interaction, self.data, opens_form=self.opens_form)

    return Pressed


def _button(button: Button, row: int | None) -> discord.ui.Button[Any]:
    return discord.ui.Button(
        label=button.label[:LONGEST_LABEL],
        custom_id=custom_id(button.data, opens_form=button.opens_form),
        style=_STYLES[button.meaning],
        row=row,
    )
