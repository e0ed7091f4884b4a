"""Commands, buttons and forms: acknowledged at once, then given to the gateway like a message.

Discord waits three seconds for a first answer ("Receiving and Responding to Interactions"), so that
goes out before anything else is done, however long the gateway or the model will take.
"""

import asyncio
from collections.abc import Sequence
from dataclasses import replace

import discord
import structlog

from adapters.base import Address, Attachment, ButtonPress, Inbound, Sender
from adapters.discord.commands import Handlers, Interaction, SlashCommand
from adapters.discord.components import is_under
from adapters.discord.contents import attachment_of, files_of, readable
from adapters.discord.desk import Desk
from adapters.discord.errors import ALREADY_ACKNOWLEDGED, INTERACTION_IS_OVER
from adapters.discord.forms import (
    answer_form,
    answered_button,
    message_asked_about,
    question_form,
    typed_in,
)
from adapters.discord.inbound import sender_of
from adapters.discord.interactions import Pass
from adapters.discord.listening import Listener
from adapters.discord.places import address_of, title_of
from adapters.discord.waiting import Waiting

NOT_FOR_YOU = "I don't know you here, so I can't answer. Ask whoever runs this bot to let you in."
GATE_PATIENCE_S = 1.0  # of the three seconds
LONGEST_NOTICE = 2_000

_log = structlog.get_logger(__name__)


class Interactions:
    """What people do beside writing."""

    def __init__(
        self, client: discord.Client, listener: Listener, desk: Desk, waiting: Waiting
    ) -> None:
        self.handlers = Handlers(self.command, self.suggest, self.ask, self.about)
        self._client = client
        self._listener = listener
        self._desk = desk
        self._waiting = waiting

    async def command(self, interaction: Interaction, command: SlashCommand, text: str) -> None:
        """A slash command was sent."""
        await self._say(
            interaction, f"/{command.name} {text}".strip(), is_private=command.is_private
        )

    async def ask(
        self, interaction: Interaction, question: str, file: discord.Attachment | None
    ) -> None:
        """A question was asked by a command."""
        await self._say(interaction, question, file=file)

    async def about(self, interaction: Interaction, message: discord.Message) -> None:
        """Somebody wants to ask about a message: ask them what."""
        if await self._is_welcome(interaction):
            await interaction.response.send_modal(question_form(message.channel.id, message.id))

    async def suggest(
        self, interaction: Interaction, command: SlashCommand, typed: str
    ) -> Sequence[tuple[str, str]]:
        """What the argument may be, as far as it is typed."""
        address, sender = _who(interaction)
        found = await self._desk.suggestions(address, sender, command.name)
        needle = typed.casefold()
        return [one for one in found if needle in one[0].casefold() or needle in one[1].casefold()]

    async def pressed(self, interaction: Interaction, data: str, *, opens_form: bool) -> None:
        """A button of ours was pressed, or chosen from a menu."""
        if opens_form:
            await interaction.response.send_modal(answer_form(data))
            return
        await _acknowledged(interaction)
        await self._give_press(interaction, data)

    async def on_interaction(self, interaction: Interaction) -> None:
        """Anything at all; what is taken here are forms, also those from before a restart."""
        if interaction.type is not discord.InteractionType.modal_submit:
            return
        custom_id, text = typed_in(interaction)
        if (data := answered_button(custom_id)) is not None:
            await _acknowledged(interaction)
            await self._give_press(interaction, data, text)
        elif (where := message_asked_about(custom_id)) is not None:
            channel_id, message_id = where
            if channel_id != interaction.channel_id:
                # Clients can make an id up; whoever asks may not see what we see elsewhere.
                _log.warning("a form asks about a message elsewhere", channel=channel_id)
                await _acknowledged(interaction)
                return
            place = self._client.get_partial_messageable(channel_id)
            await self._say(interaction, text, about=place.get_partial_message(message_id))

    async def _say(
        self,
        interaction: Interaction,
        text: str,
        *,
        is_private: bool = False,
        file: discord.Attachment | None = None,
        about: discord.PartialMessage | None = None,
    ) -> None:
        """Acknowledge, and hand over what was said; the answer comes by the interaction."""
        if not await self._is_welcome(interaction):
            return
        is_private = is_private and interaction.guild_id is not None
        leave = await _leave(interaction, is_private=is_private)
        if leave is None and is_private:
            return  # there is no way left to answer one person alone
        if leave is not None and not is_private:
            self._waiting.begin(leave, interaction.delete_original_response)
        quoted, files = await self._looked_at(about)
        if file is not None:
            files = (*files, attachment_of(file, 0, 0))
        address, sender = _who(interaction)
        message = Inbound(
            event_id=f"interaction:{interaction.id}",
            address=replace(address, interaction=None if leave is None else str(leave)),
            sender=sender,
            text=text,
            chat_title=title_of(interaction.channel) if interaction.channel else None,
            quoted_text=quoted,
            attachments=files,
        )
        await self._listener.hand_over(message)

    async def _looked_at(
        self, about: discord.PartialMessage | None
    ) -> tuple[str | None, tuple[Attachment, ...]]:
        if about is None:
            return None, ()
        try:
            message = await about.fetch()
        except discord.HTTPException as error:
            _log.info("the message can't be read", channel=about.channel.id, why=error.text)
            return "(a message that I can't read)", ()
        quoted = readable(message.content, message) or None
        files = files_of(message, message.channel.id, message.id)
        return quoted, tuple(replace(file, is_quoted=True) for file in files)

    async def _is_welcome(self, interaction: Interaction) -> bool:
        """Whether somebody may talk in a server; in direct chats, the gateway answers strangers."""
        if interaction.guild_id is None:
            return True
        address, sender = _who(interaction)
        try:
            async with asyncio.timeout(GATE_PATIENCE_S):
                is_welcome = await self._desk.may_talk(address, sender)
        except TimeoutError:
            return True  # it will be asked again, and then there is time
        if not is_welcome:
            await interaction.response.send_message(NOT_FOR_YOU, ephemeral=True)
        return is_welcome

    async def _give_press(
        self, interaction: Interaction, data: str, typed: str | None = None
    ) -> None:
        address, sender = _who(interaction)

        async def acknowledge(notice: str | None) -> None:
            if notice:
                await _noticed(interaction, notice)

        press = ButtonPress(
            event_id=f"interaction:{interaction.id}",
            address=address,
            sender=sender,
            data=data,
            acknowledge=acknowledge,
            message_id=str(interaction.message.id) if interaction.message else None,
            is_on_message=interaction.message is not None and is_under(interaction.message, data),
            typed=typed,
        )
        await self._listener.hand_over(press)


def _who(interaction: Interaction) -> tuple[Address, Sender]:
    place = interaction.channel
    if place is None:
        raise discord.InvalidData("an interaction without a channel")
    return address_of(place), sender_of(interaction.user)


async def _leave(interaction: Interaction, *, is_private: bool) -> Pass | None:
    """Acknowledge what was asked, for leave to answer it; None if Discord waits no longer."""
    try:
        await interaction.response.defer(thinking=True, ephemeral=is_private)
    except discord.HTTPException as error:
        if error.code not in INTERACTION_IS_OVER:
            raise
        _log.warning("too late for an acknowledgement", code=error.code)
        return None
    return Pass.of(interaction, is_private=is_private)


async def _acknowledged(interaction: Interaction) -> None:
    """Tell Discord that a press has arrived: nothing changes on the screen yet."""
    try:
        await interaction.response.defer()
    except discord.HTTPException as error:
        if error.code not in {*INTERACTION_IS_OVER, ALREADY_ACKNOWLEDGED}:
            raise
        _log.info("too late for an acknowledgement", code=error.code)


async def _noticed(interaction: Interaction, notice: str) -> None:
    try:
        await interaction.followup.send(notice[:LONGEST_NOTICE], ephemeral=True)
    except discord.HTTPException as error:
        if error.code not in INTERACTION_IS_OVER:
            raise
        _log.info("too late for a notice", code=error.code)
