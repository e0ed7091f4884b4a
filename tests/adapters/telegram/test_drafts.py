"""Growing answers as drafts in private chats."""

import asyncio
from collections.abc import AsyncIterator
from dataclasses import replace

import pytest

from adapters.base import (
    Ambiguous,
    Button,
    ChatGone,
    RateLimited,
    Rejected,
    ShowsDrafts,
    Unreachable,
)
from adapters.telegram.adapter import TelegramAdapter
from gateway.delivery.reply import DeliverySettings, Reply
from tests.adapters.telegram.serving import Serving, adapter_for, address_of
from tests.fakes.telegram import FakeTelegram, Person, faults


@pytest.fixture
async def drafting(fake: FakeTelegram) -> AsyncIterator[TelegramAdapter]:
    """An adapter whose settings ask for drafts."""
    adapter = adapter_for(fake, drafts=True, chat_messages_per_s=1_000)
    yield adapter
    await adapter.close()


async def test_drafts_are_for_private_chats_and_only_if_they_are_wanted(
    fake: FakeTelegram, ada: Person, drafting: TelegramAdapter
) -> None:
    assert isinstance(drafting, ShowsDrafts)
    assert drafting.can_draft(address_of(ada))
    assert not drafting.can_draft(address_of(fake.people.group("Kitchen")))
    editing = adapter_for(fake, drafts=False)
    assert not editing.can_draft(address_of(ada))
    await editing.close()


async def test_an_answer_grows_as_a_draft_and_becomes_one_message(
    fake: FakeTelegram, ada: Person, drafting: TelegramAdapter
) -> None:
    reply = Reply(drafting, address_of(ada), DeliverySettings(first_edit_chars=1))
    async with asyncio.TaskGroup() as group:
        group.create_task(reply.stream())
        reply.grow("It is ")
        await fake.wait_for(lambda: fake.world.drafts)
        reply.grow("**late**")
        await fake.wait_for(lambda: len(fake.world.drafts[0].versions) == 2)
        assert fake.replies(ada) == []
        await reply.finish("It is **late**.")
    [draft] = fake.world.drafts
    assert draft.versions == ["It is ▉", "It is late ▉"]
    assert not draft.is_shown
    [message] = fake.replies(ada)
    assert message.versions == ["It is late."]
    assert message.styled("bold") == ["late"]


@pytest.mark.parametrize("tells_bot", [False, True])
async def test_the_button_under_a_draft_is_a_press_of_the_button_that_it_was_to_have(
    fake: FakeTelegram, ada: Person, drafting: TelegramAdapter, *, tells_bot: bool
) -> None:
    """`tells_bot`: https://github.com/tdlib/telegram-bot-api/issues/891."""
    [part] = drafting.preview("It is")
    await drafting.draft(address_of(ada), 7, replace(part, buttons=((Button("Stop", "stop:t"),),)))
    [draft] = fake.world.drafts
    async with Serving(drafting) as serving:
        fake.people.stop(draft, tells_bot=tells_bot)
        press = await serving.press()
        await press.acknowledge("Nobody sees this.")
    assert (press.data, press.address, press.sender.id) == (
        "stop:t",
        address_of(ada),
        str(ada.id),
    )
    assert press.message_id is None
    assert draft.is_shown  # until the message comes that it becomes


async def test_drafts_without_a_button_can_not_be_stopped(
    fake: FakeTelegram, ada: Person, drafting: TelegramAdapter
) -> None:
    [part] = drafting.preview("It is")
    await drafting.draft(address_of(ada), 7, part)
    assert not fake.world.drafts[0].can_stop


async def test_stops_of_drafts_that_are_not_known_or_are_others_stop_nothing(
    fake: FakeTelegram, ada: Person, drafting: TelegramAdapter
) -> None:
    bob = fake.people.person("Bob")
    [part] = drafting.preview("It is")
    part = replace(part, buttons=((Button("Stop", "stop:t"),),))
    await drafting.draft(address_of(ada), 7, part)
    await drafting.draft(address_of(bob), 8, part)
    of_ada, of_bob = fake.world.drafts
    fake.people.stop(replace(of_ada, id=9))  # of an earlier run
    fake.people.stop(replace(of_bob, id=7))
    async with Serving(drafting) as serving:
        fake.people.say(bob, "hello")
        assert (await serving.inbound()).text == "hello"
    assert len(serving.events) == 1


async def test_where_drafts_are_refused_the_answer_grows_by_edits(
    fake: FakeTelegram, ada: Person, drafting: TelegramAdapter
) -> None:
    fake.fail("sendMessageDraft", faults.refused(400, "Bad Request: TEXTDRAFT_PEER_INVALID"))
    reply = Reply(drafting, address_of(ada), DeliverySettings(first_edit_chars=1))
    async with asyncio.TaskGroup() as group:
        group.create_task(reply.stream())
        reply.grow("It is ")
        await fake.wait_for(lambda: fake.replies(ada))
        await reply.finish("It is **late**.")
    assert fake.world.drafts == []
    assert [one.text for one in fake.replies(ada)] == ["It is late."]


async def test_a_server_without_drafts_is_asked_once(
    fake: FakeTelegram, ada: Person, drafting: TelegramAdapter
) -> None:
    fake.fail("sendMessageDraft", faults.refused(404, "Not Found"))
    [part] = drafting.preview("It is")
    with pytest.raises(Rejected):
        await drafting.draft(address_of(ada), 7, part)
    assert not drafting.can_draft(address_of(ada))


@pytest.mark.parametrize(
    ("fault", "kind"),
    [
        (faults.retry_after(3), RateLimited),
        (faults.blocked(), ChatGone),
        (faults.gateway_timeout(), Ambiguous),
        (faults.page(404), Unreachable),
        (faults.refused(400, "Bad Request: RANDOM_ID_EMPTY"), Rejected),
    ],
    ids=lambda value: getattr(value, "name", None),
)
async def test_each_failure_of_a_draft_has_its_kind(
    fake: FakeTelegram,
    ada: Person,
    drafting: TelegramAdapter,
    *,
    fault: faults.Fault,
    kind: type[Exception],
) -> None:
    fake.fail("sendMessageDraft", fault)
    [part] = drafting.preview("It is")
    with pytest.raises(kind):
        await drafting.draft(address_of(ada), 7, part)
    assert drafting.can_draft(address_of(ada))
