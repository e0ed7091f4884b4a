"""Commands, buttons, forms and the context menu, each used as a person would, through simcord.

simcord holds the adapter to Discord's rules: an interaction has to be answered within three
seconds, a form can only be the first answer, and what was not synced does not exist.
"""

from datetime import timedelta
from typing import Any

import discord
import pytest
import simcord

from adapters.base import Address, Button, ButtonPress, ChatGone, ChatKind, Inbound, Part, Rejected
from adapters.discord.adapter import DiscordAdapter
from adapters.discord.components import view_of
from adapters.discord.interacting import NOT_FOR_YOU
from adapters.discord.interactions import Pass
from config.discord import DiscordSettings
from tests.adapters.discord.world import COMMANDS, TOKEN, World, listening

WHICH = Part(
    "Which?", buttons=((Button("A", "ask:7:1"), Button("Other", "ask:7:other", opens_form=True)),)
)

CHAPTERS = Part(
    "Which chapter?",
    buttons=tuple((Button(f"{n}. {'x' * 120}", f"resume:{n}"),) for n in range(1, 11)),
)


def press_of(world: World) -> ButtonPress:
    """The last that was heard, which must be the press of a button."""
    event = world.heard[-1]
    assert isinstance(event, ButtonPress)
    return event


async def test_a_slash_command_is_the_message_that_it_stands_for() -> None:
    async with listening() as world:
        result = await world.ada.slash(world.channel, "model", name="gpt")
        assert result.acknowledged
        assert world.last.text == "/model gpt"
        assert world.last.is_addressed
        assert world.last.address.chat_id == str(world.channel.id)
        assert world.last.sender.id == str(world.ada.id)


async def test_the_answer_takes_the_place_of_the_acknowledgement() -> None:
    async with listening() as world:
        result = await world.ada.slash(world.channel, "new")
        assert result.deferred
        assert not result.ephemeral
        (message_id,) = await world.adapter.send(world.last.address, Part("A new beginning."))
        assert [one.content for one in world.channel.history()] == ["A new beginning."]
        await world.adapter.edit(world.last.address, message_id, Part("A new *beginning*."))
        await world.adapter.send(world.last.address, Part("And more."))
        shown = [one.content for one in world.channel.history()]
        assert shown == ["A new *beginning*.", "And more."]


async def test_what_only_concerns_the_asker_only_the_asker_sees() -> None:
    async with listening() as world:
        result = await world.ada.slash(world.channel, "status")
        assert result.ephemeral
        await world.adapter.send(world.last.address, Part("You have used 5 tokens."))
        assert result.response is not None
        assert result.response.content == "You have used 5 tokens."
        assert [one.content for one in world.channel.history(viewer=world.bob)] == []


async def test_a_stranger_in_a_server_is_told_so_alone_and_nothing_is_handed_over() -> None:
    async with listening() as world:
        world.desk.shut_out.add(str(world.bob.id))
        result = await world.bob.slash(world.channel, "new")
        assert result.ephemeral
        assert result.response is not None
        assert result.response.content == NOT_FOR_YOU
        assert world.heard == []


async def test_after_a_quarter_of_an_hour_the_answer_is_a_plain_message() -> None:
    async with listening() as world:
        await world.ada.slash(world.channel, "ask", question="how long?")
        address = world.last.address
        await world.env.advance_time(16 * 60)
        await world.adapter.send(address, Part("This long."))
        last = world.channel.last_message
        assert last is not None
        assert last.content == "This long."
        assert last.interaction_metadata is None


async def test_a_private_answer_that_comes_too_late_is_shown_to_nobody() -> None:
    async with listening() as world:
        await world.ada.slash(world.channel, "status")
        address = world.last.address
        await world.env.advance_time(16 * 60)
        with pytest.raises(ChatGone):
            await world.adapter.send(address, Part("You have used 5 tokens."))
        assert world.channel.history() == []


async def test_a_command_without_an_answer_stops_thinking() -> None:
    async with listening() as world:
        result = await world.ada.slash(world.channel, "new")
        address = world.last.address
        await world.env.advance_time(61)
        assert result.response is None or not result.response.content
        assert world.channel.history() == []
        await world.adapter.send(address, Part("Late, but here."))
        assert [one.content for one in world.channel.history()] == ["Late, but here."]


async def test_a_question_by_command_brings_its_file() -> None:
    async with listening() as world:
        await world.ada.slash(world.channel, "ask", question="what is this?")
        assert world.last.text == "what is this?"
        assert world.last.attachments == ()


async def test_arguments_are_suggested_to_those_who_may_talk() -> None:
    async with listening() as world:
        world.desk.offered = [("GPT 5", "gpt-5"), ("Opus", "opus-4")]
        found = await world.ada.autocomplete(world.channel, "model", "name", "gp")
        assert [(one["name"], one["value"]) for one in found] == [("GPT 5", "gpt-5")]
        world.desk.shut_out.add(str(world.bob.id))
        assert await world.bob.autocomplete(world.channel, "model", "name", "") == []


async def test_a_message_can_be_asked_about() -> None:
    async with listening() as world:
        said = await world.bob.send(world.channel, "the mitochondria")
        shown = await world.ada.context_menu(world.channel, "Ask about this message", said)
        assert shown.modal is not None
        await world.ada.submit_modal(shown, {"text": "what does it do?"})
        assert world.last.text == "what does it do?"
        assert world.last.quoted_text == "the mitochondria"
        await world.adapter.send(world.last.address, Part("It is the powerhouse."))
        last = world.channel.last_message
        assert last is not None
        assert last.content == "It is the powerhouse."


async def test_a_form_that_was_made_up_shows_nothing_of_other_channels() -> None:
    async with listening() as world:
        elsewhere = world.guild.create_text_channel("owners")
        said = await world.bob.send(world.channel, "the mitochondria")
        secret = await world.bob.send(elsewhere, "the password")
        shown = await world.ada.context_menu(world.channel, "Ask about this message", said)
        # What a client sends is up to it: the id of the form as well.
        form = shown._interaction.modal
        assert form is not None
        form["custom_id"] = (
            str(form["custom_id"])
            .replace(str(world.channel.id), str(elsewhere.id))
            .replace(str(said.id), str(secret.id))
        )
        heard = len(world.heard)
        await world.ada.submit_modal(shown, {"text": "what is it?"})
        assert len(world.heard) == heard


async def test_a_button_says_which_it_is_and_the_notice_is_for_whoever_pressed_it() -> None:
    async with listening() as world:
        (message_id,) = await world.adapter.send(world.here, WHICH)
        question = world.channel.last_message
        assert question is not None
        result = await world.ada.click(question, label="A")
        assert result.acknowledged
        press = press_of(world)
        assert (press.data, press.message_id, press.typed) == ("ask:7:1", message_id, None)
        assert press.is_on_message
        assert press.address == world.here
        await press.acknowledge("This question is for Bob.")
        (notice,) = result.followups
        assert notice.ephemeral
        assert notice.content == "This question is for Bob."
        assert question.content == "Which?"


async def test_other_opens_a_form_and_its_words_come_with_the_press() -> None:
    async with listening() as world:
        await world.adapter.send(world.here, WHICH)
        question = world.channel.last_message
        assert question is not None
        shown = await world.ada.click(question, label="Other")
        assert shown.modal is not None
        assert world.heard == []
        await world.ada.submit_modal(shown, {"text": "neither"})
        press = press_of(world)
        assert (press.data, press.typed) == ("ask:7:other", "neither")


async def test_case_39_buttons_and_forms_from_before_a_restart_still_work() -> None:
    async with listening() as world:
        await world.adapter.send(world.here, WHICH)
        question = world.channel.last_message
        assert question is not None
        shown = await world.ada.click(question, label="Other")
        settings = DiscordSettings(token=TOKEN)
        after = DiscordAdapter(settings, commands=COMMANDS, desk=world.desk)
        heard: list[object] = []

        async def receive(event: object) -> None:
            heard.append(event)

        after.listen(receive)
        after.client.shard_count = 1
        await world.env.restart_bot(after.client)
        await world.ada.click(question, label="A")
        await world.ada.submit_modal(shown, {"text": "neither"})
        assert [(one.data, one.typed) for one in heard if isinstance(one, ButtonPress)] == [
            ("ask:7:1", None),
            ("ask:7:other", "neither"),
        ]


async def test_a_long_column_is_a_menu_whose_choice_is_a_press() -> None:
    async with listening() as world:
        (message_id,) = await world.adapter.send(world.here, CHAPTERS)
        chapters = world.channel.last_message
        assert chapters is not None
        with pytest.raises(simcord.SetupError):  # it stands in place of the buttons
            await world.ada.click(chapters)
        result = await world.ada.select(chapters, ["resume:10"])
        assert result.acknowledged
        press = press_of(world)
        assert (press.data, press.message_id, press.typed) == ("resume:10", message_id, None)
        assert press.is_on_message
        assert press.address == world.here
        assert press.sender.id == str(world.ada.id)
        await press.acknowledge("This is not for groups.")
        (notice,) = result.followups
        assert notice.ephemeral


async def test_case_39_a_menu_from_before_a_restart_still_works() -> None:
    async with listening() as world:
        await world.adapter.send(world.here, CHAPTERS)
        chapters = world.channel.last_message
        assert chapters is not None
        after = DiscordAdapter(DiscordSettings(token=TOKEN), commands=COMMANDS, desk=world.desk)
        heard: list[object] = []

        async def receive(event: object) -> None:
            heard.append(event)

        after.listen(receive)
        after.client.shard_count = 1
        await world.env.restart_bot(after.client)
        await world.ada.select(chapters, ["resume:3"])
        await world.ada.select(chapters, ["resume:4"])
        found = [one.data for one in heard if isinstance(one, ButtonPress)]
        assert found == ["resume:3", "resume:4"]
        assert world.heard == []


def column(count: int, **more: Any) -> Part:
    """Buttons one below the other."""
    return Part("Which?", buttons=tuple((Button("x", f"ask:{n}", **more),) for n in range(count)))


@pytest.mark.parametrize(
    ("part", "is_menu"),
    [
        (column(5), False),
        (column(6), True),
        (column(25), True),
        (column(6, opens_form=True), False),  # a menu opens none
        (column(6, meaning="bad"), False),  # a menu has no colours
        (Part("Which?", buttons=(*column(5).buttons, *WHICH.buttons)), False),
    ],
)
def test_only_a_long_plain_column_is_a_menu(part: Part, is_menu: bool) -> None:
    view = view_of(part)
    assert view is not None
    assert [isinstance(one, discord.ui.Select) for one in view.children] == (
        [True] if is_menu else [False] * sum(len(row) for row in part.buttons)
    )


@pytest.mark.parametrize(
    "part", [column(26), Part("x", buttons=(*column(5).buttons, (Button("x", "é" * 33),)))]
)
def test_a_menu_takes_no_more_than_discord_and_other_platforms_do(part: Part) -> None:
    with pytest.raises(Rejected):
        view_of(part)


async def test_case_39d_a_reconnect_tells_discord_nothing_that_it_knows() -> None:
    async with listening() as world:
        told = [one for one in world.env.http_requests if one.method == "PUT"]
        assert [one.path.endswith("/commands") for one in told] == [True]
        after = DiscordAdapter(DiscordSettings(token=TOKEN), commands=COMMANDS, desk=world.desk)
        after.client.shard_count = 1
        before = len(world.env.http_requests)
        await world.env.restart_bot(after.client)
        later = world.env.http_requests[before:]
        assert [one for one in later if one.method != "GET"] == []


async def test_a_command_that_is_no_longer_offered_is_removed_and_a_changed_one_replaced() -> None:
    async with listening() as world:
        changed = (*COMMANDS[1:-1],)
        after = DiscordAdapter(DiscordSettings(token=TOKEN), commands=changed, desk=world.desk)
        after.client.shard_count = 1
        await world.env.restart_bot(after.client)
        assert set(world.ada.available_commands(world.channel)) == {"ask", "status", "model"}


async def test_a_refused_sync_leaves_the_old_commands_working() -> None:
    async with listening() as world:
        again = (*COMMANDS[1:], *COMMANDS[:1])
        changed = tuple(
            one.__class__(one.name, "another purpose", one.argument, is_private=one.is_private)
            for one in again
        )
        after = DiscordAdapter(DiscordSettings(token=TOKEN), commands=changed, desk=world.desk)
        after.client.shard_count = 1
        world.env.inject_error("PUT", "/applications/*/commands", status=429, code=30034)
        await world.env.restart_bot(after.client)
        result = await world.ada.slash(world.channel, "new")
        assert result.acknowledged


async def test_commands_can_be_kept_to_some_servers() -> None:
    async with listening() as world:
        settings = DiscordSettings(token=TOKEN, command_servers=(world.guild.id,))
        after = DiscordAdapter(settings, commands=COMMANDS, desk=world.desk)
        after.client.shard_count = 1
        await world.env.restart_bot(after.client)
        elsewhere = world.env.create_guild("Elsewhere")
        hall = elsewhere.create_text_channel("hall")
        eve = elsewhere.add_member(world.env.create_user("Eve"))
        assert eve.available_commands(hall) == ()
        assert "new" in world.ada.available_commands(world.channel)


def test_a_pass_travels_in_an_address() -> None:
    leave = Pass(12, "a:token:with:colons", 1_900_000_000, is_private=True)
    address = Address("discord", "1", ChatKind.GROUP, interaction=str(leave))
    assert Pass.in_address(address) == leave
    ends = discord.utils.utcnow().fromtimestamp(1_900_000_000, tz=discord.utils.utcnow().tzinfo)
    assert leave.is_over(ends)
    assert not leave.is_over(ends - timedelta(seconds=1))


async def test_in_a_direct_chat_strangers_are_the_gateways_business() -> None:
    async with listening() as world:
        world.desk.shut_out.add(str(world.ada.id))
        result = await world.ada.user.slash("new")
        assert result.acknowledged
        assert isinstance(world.heard[-1], Inbound)
        assert world.last.address.kind is ChatKind.DIRECT
