"""Growing answers as drafts in private chats."""

import asyncio
from collections.abc import AsyncIterator

import pytest

from adapters.base import Ambiguous, ChatGone, RateLimited, Rejected, ShowsDrafts
from adapters.telegram.adapter import TelegramAdapter
from gateway.delivery.reply import DeliverySettings, Reply
from tests.adapters.telegram.serving import adapter_for, address_of
from tests.fakes.telegram import FakeTelegram, Person, faults


@pytest.fixture
async def drafting(fake: FakeTelegram) -> AsyncIterator[TelegramAdapter]:
    """An adapter whose settings ask for drafts."""
    adapter = adapter_for(fake, drafts=True, chat_messages_per_s=1_000)
    yield adapter
    await adapter.close()


def test_drafts_are_for_private_chats_and_only_if_they_are_wanted(
    fake: FakeTelegram, ada: Person, adapter: TelegramAdapter, drafting: TelegramAdapter
) -> None:
    assert isinstance(drafting, ShowsDrafts)
    assert drafting.can_draft(address_of(ada))
    assert not drafting.can_draft(address_of(fake.people.group("Kitchen")))
    assert not adapter.can_draft(address_of(ada))


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
