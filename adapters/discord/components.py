"""Buttons under our messages, and menus in place of long columns of them.

All that is needed to understand a press stands in the button or the menu itself, so one from before
a restart, or from last year, still works. Its meaning is the gateway's business.
"""

import re
from typing import Any, Protocol, Self

import discord

from adapters.base import Button, Part, Rejected

LONGEST_DATA_BYTES = 64  # what every platform takes (`adapters.base.Button`)
LONGEST_LABEL = 80  # Discord, "Button Structure"
LONGEST_OPTION_LABEL = 100  # Discord, "Select Option Structure"
MOST_ROWS, MOST_IN_ROW = 5, 5
MOST_CHOICES = 25  # as buttons, and as the options of a menu ("String Select Structure")

_PREFIX = "hermes:"
_FORM_PREFIX = "hermes-form:"  # of those that open a form
_MENU_ID = "hermes-menu"  # a message has one at most
_STYLES = {
    "plain": discord.ButtonStyle.secondary,
    "good": discord.ButtonStyle.success,
    "bad": discord.ButtonStyle.danger,
}


class OnPress(Protocol):
    """What is done when a button of ours is pressed, or chosen from a menu."""

    async def __call__(
        self, interaction: discord.Interaction[Any], data: str, *, opens_form: bool
    ) -> None:
        """Given the interaction, and the data of the button."""


def view_of(part: Part) -> discord.ui.View | None:
    """The buttons of a part. A column beyond Discord's five rows is a menu; other rows beyond them
    are filled up from the front.
    """
    buttons = [button for row in part.buttons for button in row]
    if not buttons:
        return None
    is_roomy = len(part.buttons) <= MOST_ROWS and all(
        len(row) <= MOST_IN_ROW for row in part.buttons
    )
    if len(buttons) > MOST_CHOICES:
        raise Rejected(f"{len(buttons)} buttons; Discord shows 25 under a message")
    view = discord.ui.View(timeout=None)
    if _is_long_column(part):
        view.add_item(_menu(buttons))
    else:
        for number, row in enumerate(part.buttons):
            for button in row:
                view.add_item(_button(button, number if is_roomy else None))
    view.stop()  # presses go by the button's id: nothing has to be kept for this message
    return view


def custom_id(data: str, *, opens_form: bool = False) -> str:
    """What Discord knows a button by."""
    return f"{_FORM_PREFIX if opens_form else _PREFIX}{_checked(data)}"


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


def chosen_class(on_press: OnPress) -> type[discord.ui.DynamicItem[discord.ui.Select[Any]]]:
    """What discord.py makes of a menu of ours from which somebody chose."""

    class Chosen(discord.ui.DynamicItem[discord.ui.Select[Any]], template=_MENU_ID):
        @classmethod
        async def from_custom_id(
            cls,
            _interaction: discord.Interaction[Any],
            item: discord.ui.Item[Any],
            _match: re.Match[str],
            /,
        ) -> Self:
            if not isinstance(item, discord.ui.Select):
                raise TypeError(f"{type(item).__name__} is no menu of ours")
            return cls(item)

        async def callback(self, interaction: discord.Interaction[Any]) -> None:
            (data,) = self.item.values
            await on_press(interaction, data, opens_form=False)

    return Chosen


def is_under(message: discord.Message, data: str) -> bool:
    """Whether a message has a button, or a choice in a menu, of that data."""
    ids = {f"{_PREFIX}{data}", f"{_FORM_PREFIX}{data}"}
    for row in message.components:
        for one in row.children if isinstance(row, discord.ActionRow) else ():
            if isinstance(one, discord.SelectMenu):
                if any(option.value == data for option in one.options):
                    return True
            elif one.custom_id in ids:
                return True
    return False


def _is_long_column(part: Part) -> bool:
    """Whether buttons stand one below the other, too many for rows, and a menu can take them: it
    has no colours and opens no forms.
    """
    return len(part.buttons) > MOST_ROWS and all(
        len(row) == 1 and row[0].meaning == "plain" and not row[0].opens_form
        for row in part.buttons
    )


def _menu(buttons: list[Button]) -> discord.ui.Select[Any]:
    options = [
        discord.SelectOption(label=one.label[:LONGEST_OPTION_LABEL], value=_checked(one.data))
        for one in buttons
    ]
    return discord.ui.Select(custom_id=_MENU_ID, options=options)


def _checked(data: str) -> str:
    size = len(data.encode())
    if not 1 <= size <= LONGEST_DATA_BYTES:
        raise Rejected(f"a button's data takes {size} bytes; 1 to 64 are allowed")
    return data


def _button(button: Button, row: int | None) -> discord.ui.Button[Any]:
    return discord.ui.Button(
        label=button.label[:LONGEST_LABEL],
        custom_id=custom_id(button.data, opens_form=button.opens_form),
        style=_STYLES[button.meaning],
        row=row,
    )
