"""Names in an answer notify nobody, unless a setting says so (case 12, on Telegram)."""

import asyncio
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from adapters.base import MediaKind, OutgoingFile, Part
from adapters.telegram.adapter import TelegramAdapter
from adapters.telegram.mentions import without_notice
from adapters.telegram.rendering import entities_of, render
from tests.adapters.telegram.parts import check_part
from tests.adapters.telegram.serving import adapter_for, address_of
from tests.fakes.telegram import FakeTelegram, Person, texts

NAMES = st.sampled_from(
    ["@carol", "@Carol_K", "@ab12", "me@carol", "@@carol", "@é", "@carolé", "e.g./@carol", "👍"]
)
MARKED = st.sampled_from(
    ["{}", "**{}**", "`{}`", "*a {}* b", "[{}](https://e.org)", "||{}||", "> {}"]
)
WORD = st.tuples(MARKED, NAMES).map(lambda made: made[0].format(made[1]))


async def test_a_name_leads_to_its_owner_and_does_not_notify(
    fake: FakeTelegram, adapter: TelegramAdapter
) -> None:
    group = fake.people.group("Kitchen")
    for markdown in ("ask @carol, **@Bob_the_cook** or @carol", "> @carol said so", "😀 @carol"):
        for part in adapter.render(markdown):
            await adapter.send(address_of(group), part)
    assert fake.notified(group) == []
    [first, *_] = fake.replies(group)
    assert first.text == "ask @carol, @Bob_the_cook or @carol"
    assert first.styled("text_link") == ["@carol", "@Bob_the_cook", "@carol"]
    assert first.styled("bold") == ["@Bob_the_cook"]
    assert [one["url"] for one in first.entities if "url" in one] == [
        "https://t.me/carol",
        "https://t.me/Bob_the_cook",
        "https://t.me/carol",
    ]


async def test_neither_a_preview_nor_an_edit_nor_a_plain_text_notifies(
    fake: FakeTelegram, adapter: TelegramAdapter
) -> None:
    group = fake.people.group("Kitchen")
    place = address_of(group)
    (message_id,) = await adapter.send(place, adapter.preview("ask @carol")[-1])
    assert fake.notified(group) == []
    await adapter.edit(place, message_id, Part("@carol or @bobby"))
    assert fake.replies(group)[0].styled("text_link") == ["@carol", "@bobby"]


async def test_a_name_under_a_file_does_not_notify(
    fake: FakeTelegram, adapter: TelegramAdapter, tmp_path: Path
) -> None:
    group = fake.people.group("Kitchen")
    path = tmp_path / "list.txt"
    await asyncio.to_thread(path.write_text, "eggs")
    file = OutgoingFile(path, MediaKind.FILE, "list.txt")
    await adapter.send(address_of(group), Part("from @carol", files=(file,)))
    assert [message.text for message in fake.replies(group)] == ["from @carol"]
    assert fake.notified(group) == []


async def test_a_draft_shows_a_name_as_the_message_will(
    fake: FakeTelegram, ada: Person, adapter: TelegramAdapter
) -> None:
    await adapter.draft(address_of(ada), 7, adapter.preview("ask @carol")[-1])
    [call] = fake.calls_of("sendMessageDraft")
    assert [entity["url"] for entity in call.arguments["entities"]] == ["https://t.me/carol"]


async def test_names_notify_where_the_setting_says_so(fake: FakeTelegram) -> None:
    group = fake.people.group("Kitchen")
    adapter = adapter_for(fake, mentions_notify=True)
    for part in adapter.render("ask @carol, not `@bobby`"):
        await adapter.send(address_of(group), part)
    await adapter.close()
    assert fake.notified(group) == ["@carol"]


@settings(max_examples=300, deadline=None)
@given(words=st.lists(WORD, min_size=1, max_size=6).map(" ".join))
def test_whatever_a_name_stands_in_nobody_is_notified(words: str) -> None:
    for part in map(without_notice, render(words)):
        check_part(part, 4096)
        entities = [
            {"type": one.type, "offset": one.offset, "length": one.length}
            for one in entities_of(part)
        ]
        assert texts.mentioned(part.text, entities) == []


@pytest.mark.parametrize(
    "markdown",
    ["https://medium.com/@carol/x", "youtube.com/@carol", "me@carol.org", "@ab", "`@carol`", "@é"],
)
def test_what_the_server_does_not_take_for_a_name_stays_as_it_is(markdown: str) -> None:
    [part] = render(markdown)
    assert without_notice(part) == part


@pytest.mark.parametrize("markdown", ["@car**ol**", "**@car**ol", "**a @car**ol b", "@car~~ol x~~"])
def test_a_style_that_ends_within_a_name_is_not_crossed(markdown: str) -> None:
    [part] = map(without_notice, render(markdown))
    check_part(part, 4096)
    assert [one.url for one in entities_of(part) if one.type == "text_link"]


def test_of_more_names_than_a_message_has_entities_for_the_styles_give_way() -> None:
    markdown = " ".join(f"**b{number}** @name{number}" for number in range(90))
    [part] = map(without_notice, render(markdown))
    check_part(part, 4096)
    assert len([one for one in entities_of(part) if one.type == "text_link"]) == 90
    assert len(entities_of(part)) == 100
