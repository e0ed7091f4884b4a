"""Parts on the screen, over discord.py's real machinery: what people see, and what may go wrong."""

from dataclasses import replace
from pathlib import Path

import discord
import pytest

from adapters.base import (
    Address,
    Button,
    ChatGone,
    ChatKind,
    Mark,
    MediaKind,
    OutgoingFile,
    Part,
    Rejected,
    Style,
    TargetGone,
    Unreachable,
)
from tests.adapters.discord.world import World, listening


def message(world: World, message_id: str) -> discord.Message:
    """One of the channel's messages as everybody sees it."""
    return next(one for one in world.channel.history() if one.id == int(message_id))


async def test_a_part_is_a_message_and_its_id_is_told() -> None:
    async with listening() as world:
        (part,) = world.adapter.render("Hello **Ada**")
        (message_id,) = await world.adapter.send(world.here, part)
        assert message(world, message_id).content == "Hello **Ada**"


async def test_case_12_nobody_is_notified_by_accident() -> None:
    async with listening() as world:
        text = f"@everyone @here {world.ada.mention} <@&{world.guild.id}>"
        asked = await world.ada.send(world.channel, "hello")
        address = replace(world.here, reply_to=str(asked.id))
        sent = message(world, *await world.adapter.send(address, Part(text)))
        assert not sent.mention_everyone
        (request,) = [one for one in world.env.http_requests if one.path.endswith("/messages")]
        assert isinstance(request.json, dict)
        assert request.json["allowed_mentions"] == {"parse": []}


async def test_who_may_be_notified_is_a_setting() -> None:
    async with listening(allowed_mentions=["users"]) as world:
        text = f"@everyone {world.ada.mention}"
        sent = message(world, *await world.adapter.send(world.here, Part(text)))
        assert [user.id for user in sent.mentions] == [world.ada.id]
        assert not sent.mention_everyone


async def test_an_answer_is_a_reply_and_goes_into_its_thread() -> None:
    async with listening() as world:
        asked = await world.ada.send(world.channel, f"{world.name} hello")
        sent = message(world, *await world.adapter.send(world.last.address, Part("hi")))
        assert sent.reference is not None
        assert sent.reference.message_id == asked.id
        place = world.env.bot.get_channel(world.channel.id)
        assert isinstance(place, discord.TextChannel)
        await place.create_thread(name="Cats", type=discord.ChannelType.public_thread)
        (thread,) = world.channel.threads
        await world.ada.send(thread, "and cats?")
        await world.adapter.send(world.last.address, Part("they purr"))
        last = thread.last_message
        assert last is not None
        assert last.content == "they purr"


async def test_links_in_an_answer_show_no_previews() -> None:
    async with listening() as world:
        (part,) = world.adapter.render("see https://example.org/cats")
        sent = message(world, *await world.adapter.send(world.here, part))
        assert sent.flags.suppress_embeds
        (card,) = world.adapter.render("May I?", Style.APPROVAL)
        sent = message(world, *await world.adapter.send(world.here, card))
        assert not sent.flags.suppress_embeds  # a card is an embed itself


async def test_case_23b_an_answer_to_a_deleted_message_still_arrives() -> None:
    async with listening() as world:
        asked = await world.ada.send(world.channel, f"{world.name} hello")
        address = world.last.address
        await world.ada.delete(asked)
        sent = message(world, *await world.adapter.send(address, Part("hi")))
        assert sent.content == "hi"


async def test_a_message_is_changed_and_taken_away() -> None:
    async with listening() as world:
        (message_id,) = await world.adapter.send(world.here, Part("one"))
        await world.adapter.edit(world.here, message_id, Part("two"))
        assert message(world, message_id).content == "two"
        await world.adapter.edit(world.here, message_id, Part("two"))  # case 19
        await world.adapter.delete(world.here, message_id)
        await world.adapter.delete(world.here, message_id)
        assert world.channel.last_message is None
        with pytest.raises(TargetGone):
            await world.adapter.edit(world.here, message_id, Part("three"))


async def test_questions_stand_on_a_card_with_buttons_in_their_colours() -> None:
    async with listening() as world:
        (part,) = world.adapter.render("Delete **all**?", Style.APPROVAL)
        buttons = (
            (Button("Once", "ask:1:1", "good"), Button("Deny", "ask:1:2", "bad")),
            (Button("Other", "ask:1:other"),),
        )
        sent = message(world, *await world.adapter.send(world.here, replace(part, buttons=buttons)))
        assert sent.content == ""
        assert [embed.description for embed in sent.embeds] == ["Delete **all**?"]
        rows = [row for row in sent.components if isinstance(row, discord.ActionRow)]
        assert [[getattr(b, "label", "") for b in row.children] for row in rows] == [
            ["Once", "Deny"],
            ["Other"],
        ]
        styles = [b.style for row in rows for b in row.children if isinstance(b, discord.Button)]
        assert styles == [
            discord.ButtonStyle.success,
            discord.ButtonStyle.danger,
            discord.ButtonStyle.secondary,
        ]
        # The plain form, which is what is shown if Discord refuses the card.
        await world.adapter.edit(world.here, str(sent.id), replace(part, payload=None))
        changed = message(world, str(sent.id))
        assert changed.content == "Delete **all**?"
        assert changed.embeds == []
        assert changed.components == []


async def test_many_choices_are_filled_into_discords_five_rows() -> None:
    async with listening() as world:
        choices = tuple((Button(f"Choice {n}", f"ask:1:{n}"),) for n in range(7))
        buttons = (*choices, (Button("Other", "ask:1:other", opens_form=True),))
        sent = message(
            world, *await world.adapter.send(world.here, Part("Which?", buttons=buttons))
        )
        rows = [row for row in sent.components if isinstance(row, discord.ActionRow)]
        assert sum(len(row.children) for row in rows) == 8
        assert len(rows) <= 5
        too_many = tuple((Button("x", f"ask:1:{n}"),) for n in range(26))
        with pytest.raises(Rejected):
            await world.adapter.send(world.here, Part("Which?", buttons=too_many))


async def test_case_43_a_buttons_data_is_held_to_the_limit_of_all_platforms() -> None:
    async with listening() as world:
        for data in ("", "x" * 65, "界" * 22):
            with pytest.raises(Rejected):
                await world.adapter.send(
                    world.here, Part("Which?", buttons=((Button("x", data),),))
                )


async def test_marks_take_each_others_place() -> None:
    async with listening() as world:
        asked = await world.ada.send(world.channel, f"{world.name} hello")

        def marks() -> list[str]:
            return [str(one.emoji) for one in message(world, str(asked.id)).reactions]

        await world.adapter.mark(world.here, str(asked.id), Mark.SEEN)
        assert marks() == ["👀"]
        await world.adapter.mark(world.here, str(asked.id), Mark.DONE)
        assert marks() == ["✅"]
        await world.adapter.mark(world.here, str(asked.id), None)
        assert marks() == []


async def test_a_file_beyond_the_servers_limit_is_refused_before_it_is_sent(tmp_path: Path) -> None:
    path = tmp_path / "large"
    with path.open("wb") as large:
        large.truncate(11 * 1024 * 1024)
    async with listening() as world:
        with pytest.raises(Rejected, match=r"11\.0 MB"):
            await world.adapter.send(
                world.here, Part("", files=(OutgoingFile(path, MediaKind.FILE, "large.bin"),))
            )
        missing = OutgoingFile(tmp_path / "none", MediaKind.FILE, "none.bin")
        small = OutgoingFile(Path(__file__), MediaKind.FILE, "small.py")
        with pytest.raises(Rejected, match=r"none\.bin"):
            await world.adapter.send(world.here, Part("", files=(small, missing)))


async def test_a_message_is_found_by_its_button() -> None:
    async with listening() as world:
        part = Part("Which?", buttons=((Button("A", "ask:1:1"),),))
        (message_id,) = await world.adapter.send(world.here, part)
        await world.adapter.send(world.here, Part("later"))
        assert await world.adapter.find(world.here, "ask:1:1") == message_id
        assert await world.adapter.find(world.here, "ask:2:1") is None


async def test_typing_is_shown_as_often_as_is_needed() -> None:
    async with listening() as world:
        await world.adapter.typing(world.here)
        await world.adapter.typing(world.here)  # it lasts
        shown = [one for one in world.env.http_requests if one.path.endswith("/typing")]
        assert len(shown) == 1
        await world.adapter.send(world.here, Part("here"))
        await world.adapter.typing(world.here)
        shown = [one for one in world.env.http_requests if one.path.endswith("/typing")]
        assert len(shown) == 2


async def test_a_channel_that_is_gone_ends_the_reply() -> None:
    async with listening() as world:
        nowhere = Address("discord", "123456789012345678", ChatKind.GROUP)
        with pytest.raises(ChatGone):
            await world.adapter.send(nowhere, Part("hello"))


@pytest.mark.parametrize(
    ("status", "code", "error"),
    [
        (403, 50013, ChatGone),
        (403, 50001, ChatGone),
        (403, 50007, ChatGone),
        (400, 50035, Rejected),
        (404, 10008, TargetGone),
        (413, 40005, Rejected),
        (503, 0, Unreachable),
    ],
)
async def test_what_discord_refuses_has_its_meaning(
    status: int, code: int, error: type[Exception]
) -> None:
    async with listening() as world:
        world.env.inject_error("POST", "/channels/*/messages", status=status, code=code)
        with pytest.raises(error):
            await world.adapter.send(world.here, Part("hello"))


async def test_a_missing_right_to_send_files_is_about_the_file(tmp_path: Path) -> None:
    path = tmp_path / "a.txt"
    path.write_text("a")
    async with listening() as world:
        world.env.inject_error("POST", "/channels/*/messages", status=403, code=50013)
        with pytest.raises(Rejected, match="may not send files"):
            await world.adapter.send(
                world.here, Part("a", files=(OutgoingFile(path, MediaKind.FILE, "a.txt"),))
            )
