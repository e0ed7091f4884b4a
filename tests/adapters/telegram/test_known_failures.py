"""What went wrong elsewhere on the way out, tried with the real client; the numbers are the cases'.

The decisions are the gateway's (`gateway/delivery/`); here it is seen that they hold for what
Telegram really says.
"""

import asyncio

import pytest

from adapters.telegram.adapter import TelegramAdapter
from gateway.delivery.persistence import Outcome
from gateway.delivery.reply import DeliverySettings, Reply, say
from tests.adapters.telegram.flooding import LEFT_TO_COLLECTOR, served, stream
from tests.adapters.telegram.serving import address_of
from tests.fakes.telegram import FakeTelegram, faults

pytestmark = pytest.mark.filterwarnings(LEFT_TO_COLLECTOR)
ESCAPED_ELSEWHERE = "Sure! Step 1 - **done**. (a_b, 2*3, `x`) [ok]"
AS_SHOWN = "Sure! Step 1 - done. (a_b, 2*3, x) [ok]"


def test_refused_entities_cost_the_styles_and_nothing_of_the_text() -> None:
    """Case 12a: the text arrives as it is, with no backslash in it."""

    async def work(
        fake: FakeTelegram, adapter: TelegramAdapter, settings: DeliverySettings
    ) -> None:
        ada = fake.people.person("Ada")
        fake.fail("sendMessage", faults.refused(400, "Bad Request: can't parse entities"))
        assert await say(adapter, address_of(ada), settings, ESCAPED_ELSEWHERE) is Outcome.SHOWN
        [message] = fake.replies(ada)
        assert (message.text, message.entities) == (AS_SHOWN, [])

    served(work)


def test_a_text_that_is_refused_in_every_form_is_given_up() -> None:
    """Case 12a: even a notice of an error may be refused, and must not be tried for ever."""

    async def work(
        fake: FakeTelegram, adapter: TelegramAdapter, settings: DeliverySettings
    ) -> None:
        ada = fake.people.person("Ada")
        fake.fail("sendMessage", faults.refused(400, "Bad Request: MESSAGE_INVALID"), times=50)
        assert await say(adapter, address_of(ada), settings, ESCAPED_ELSEWHERE) is Outcome.REFUSED
        assert len(fake.calls_of("sendMessage")) == 2

    served(work)


@pytest.mark.parametrize("text", ["Yes.", "It is late, so good night to you and all."])
def test_a_short_answer_is_one_message(text: str) -> None:
    """Case 13: not a preview and, beside it, the answer."""

    async def work(
        fake: FakeTelegram, adapter: TelegramAdapter, settings: DeliverySettings
    ) -> None:
        ada = fake.people.person("Ada")
        await stream(adapter, address_of(ada), settings, text)
        assert [message.text for message in fake.messages(ada)] == [text]

    served(work)


def test_edits_that_are_refused_for_flooding_don_t_double_the_answer() -> None:
    """Case 14: 21 seconds, four times; the final text then comes once, in the same message."""

    async def work(
        fake: FakeTelegram, adapter: TelegramAdapter, settings: DeliverySettings
    ) -> None:
        ada = fake.people.person("Ada")
        fake.fail("editMessageText", faults.retry_after(21), times=4)
        text = "Once upon a time there was a gateway. " * 20
        assert await stream(adapter, address_of(ada), settings, text) is Outcome.SHOWN
        [message] = fake.messages(ada)
        assert message.text == text.strip()
        assert len(fake.calls_of("sendMessage")) == 1

    served(work)


@pytest.mark.parametrize(
    "fault", [faults.hangs_after(), faults.lost_answer(), faults.no_message(), faults.garbled()]
)
def test_a_message_of_which_nobody_knows_is_not_sent_again(fault: faults.Fault) -> None:
    """Cases 15 and 16: a time-out after delivery, a success that brings no id."""

    async def work(
        fake: FakeTelegram, adapter: TelegramAdapter, settings: DeliverySettings
    ) -> None:
        ada = fake.people.person("Ada")
        fake.fail("sendMessage", fault, times=9)
        assert await say(adapter, address_of(ada), settings, "once") is Outcome.UNKNOWN
        assert [message.text for message in fake.messages(ada)] == ["once"]

    served(work)


@pytest.mark.parametrize(
    "fault",
    [
        faults.server_error(),
        faults.bad_gateway(),
        faults.gateway_timeout(),
        faults.lost_answer(),
        faults.retry_after(5),
        faults.refused(400, "Bad Request: message to edit not found"),
        faults.refused(400, "Bad Request: message can't be edited"),
    ],
    ids=lambda fault: fault.name,
)
def test_the_cursor_never_stays(fault: faults.Fault) -> None:
    """Case 17: whatever becomes of the last edits."""

    async def work(
        fake: FakeTelegram, adapter: TelegramAdapter, settings: DeliverySettings
    ) -> None:
        ada = fake.people.person("Ada")
        reply = Reply(adapter, address_of(ada), settings)
        async with asyncio.TaskGroup() as group:
            group.create_task(reply.stream())
            reply.grow("It is late, so good night")
            await fake.wait_for(lambda: fake.replies(ada))
            fake.fail("editMessageText", fault, times=3)
            assert await reply.finish("It is late, so good night to all.") is Outcome.SHOWN
        assert fake.messages(ada)[-1].text == "It is late, so good night to all."
        is_gone = "not found" in fault.name or "can't be edited" in fault.name
        assert len(fake.calls_of("sendMessage")) == (2 if is_gone else 1)

    served(work, drafts=False)


def test_all_parts_of_a_streamed_answer_stay_in_their_topic() -> None:
    """Cases 18 and 20: three messages, and only the first one is a reply."""

    async def work(
        fake: FakeTelegram, adapter: TelegramAdapter, settings: DeliverySettings
    ) -> None:
        ada, forum = fake.people.person("Ada"), fake.people.group("Club", is_forum=True)
        topic = fake.people.topic(forum, "Chess")
        asked = fake.people.say(ada, "e4", chat=forum, topic=topic)
        address = address_of(forum, reply_to=asked.id, topic=topic)
        text = "".join(f"Move {number} was played. " for number in range(400)).strip()
        assert await stream(adapter, address, settings, text) is Outcome.SHOWN
        replies = fake.replies(forum)
        assert len(replies) > 2
        assert {message.topic for message in replies} == {topic}
        assert replies[0].reply_to is asked
        assert " ".join(message.text for message in replies) == text

    served(work)


def test_a_telegram_that_is_away_for_a_while_gets_the_answer_afterwards() -> None:
    """Case 21: two minutes are waited out, and nothing is silent for an hour."""

    async def work(
        fake: FakeTelegram, adapter: TelegramAdapter, settings: DeliverySettings
    ) -> None:
        ada = fake.people.person("Ada")
        fake.fail("sendMessage", faults.bad_gateway(), times=8)
        assert await say(adapter, address_of(ada), settings, "here again") is Outcome.SHOWN
        assert [message.text for message in fake.messages(ada)] == ["here again"]
        assert asyncio.get_running_loop().time() < 180

    served(work)


def test_a_wait_of_hours_in_one_chat_keeps_no_other_waiting() -> None:
    """Case 23: 13,938 seconds."""

    async def work(
        fake: FakeTelegram, adapter: TelegramAdapter, settings: DeliverySettings
    ) -> None:
        ada, bea = fake.people.person("Ada"), fake.people.person("Bea")
        now = asyncio.get_running_loop().time
        fake.fail("sendMessage", faults.retry_after(13_938))
        waiting = asyncio.create_task(say(adapter, address_of(ada), settings, "late"))
        await fake.wait_for(lambda: fake.calls_of("sendMessage"), timeout_s=1_000_000)
        assert await say(adapter, address_of(bea), settings, "at once") is Outcome.SHOWN
        assert now() < 60
        assert await waiting is Outcome.SHOWN
        assert now() >= 13_938
        assert [message.text for message in fake.messages(ada)] == ["late"]

    served(work)
