"""An update is acknowledged once it has been taken, whatever happens around it."""

import asyncio

import pytest
from structlog.testing import capture_logs

from adapters.base import Inbound
from adapters.telegram.errors import TokenRefused
from adapters.telegram.patience import Pace
from tests.adapters.telegram.serving import QUICK, Serving, adapter_for
from tests.fakes.telegram import FakeTelegram, Person, faults


def pending_ids(fake: FakeTelegram) -> list[int]:
    return [update["update_id"] for update in fake.updates.pending]


async def test_an_update_is_not_acknowledged_before_it_is_taken(
    fake: FakeTelegram, ada: Person
) -> None:
    """The process dies with the first of two messages in hand: both come again after a restart."""
    fake.people.say(ada, "one")
    fake.people.say(ada, "two")
    async with Serving(adapter_for(fake)) as first:
        first.may_take.clear()
        await first.received(1)
    assert pending_ids(fake) == [1000, 1001]
    async with Serving(adapter_for(fake)) as second:
        events = await second.received(2)
    assert [event.event_id for event in events] == ["1000", "1001"]


async def test_what_was_taken_is_forgotten_and_does_not_come_again(
    fake: FakeTelegram, ada: Person
) -> None:
    fake.people.say(ada, "one")
    async with Serving(adapter_for(fake)) as first:
        await first.received(1)
        await fake.wait_for(lambda: not fake.updates.pending)
    fake.people.say(ada, "two")
    async with Serving(adapter_for(fake)) as second:
        event = await second.inbound()
    assert event.text == "two"


async def test_messages_written_while_nobody_listened_are_not_dropped(
    fake: FakeTelegram, ada: Person
) -> None:
    fake.updates.webhook_url = "https://example.org/hook"
    for number in range(3):
        fake.people.say(ada, str(number))
    async with Serving(adapter_for(fake)) as serving:
        events = await serving.received(3)
    assert [event.text for event in events if isinstance(event, Inbound)] == ["0", "1", "2"]


async def test_after_a_week_of_silence_ids_may_be_lower_and_are_heard_all_the_same(
    fake: FakeTelegram, ada: Person
) -> None:
    pace = Pace(long_poll_s=0, answer_within_s=5, first_wait_s=0.01, longest_wait_s=0.01)
    fake.people.say(ada, "long ago")
    async with Serving(adapter_for(fake, pace=pace)) as serving:
        await serving.received(1)
        heard = fake.updates.polls
        await fake.wait_for(lambda: fake.updates.polls > heard + 2)
        fake.updates.begin_ids_at(7)
        fake.people.say(ada, "hello again")
        assert (await serving.inbound(1)).event_id == "7"


async def test_an_update_that_the_gateway_fails_on_comes_again_and_in_order(
    fake: FakeTelegram, ada: Person, serving: Serving
) -> None:
    serving.failures.extend([OSError("disk full"), OSError("disk full")])
    with capture_logs() as logs:
        fake.people.say(ada, "one")
        fake.people.say(ada, "two")
        events = await serving.received(4)
    assert [event.event_id for event in events] == ["1000", "1000", "1000", "1001"]
    assert any("could not be taken" in entry["event"] for entry in logs)


async def test_an_update_that_cannot_be_read_does_not_stop_the_others(
    fake: FakeTelegram, ada: Person, serving: Serving
) -> None:
    with capture_logs() as logs:
        fake.updates.put("message", {"message_id": "of another world"})
        fake.people.say(ada, "hello")
        event = await serving.inbound()
    assert event.text == "hello"
    assert [entry["update_id"] for entry in logs if "could not be read" in entry["event"]] == [1000]


@pytest.mark.parametrize(
    "fault",
    [
        faults.server_error(),
        faults.bad_gateway(),
        faults.page(401),
        faults.page(404),
        faults.retry_after(1),
        faults.lost_answer(),
        faults.garbled(),
        faults.refused(429, "Too Many Requests: retry later"),
    ],
    ids=lambda fault: fault.name,
)
async def test_polling_goes_on_after_a_failure(
    fake: FakeTelegram, ada: Person, fault: faults.Fault
) -> None:
    fake.people.say(ada, "hello")
    fake.fail("getUpdates", fault)
    async with Serving(adapter_for(fake)) as serving:
        assert (await serving.inbound()).text == "hello"


async def test_a_poll_that_is_never_answered_is_given_up_and_repeated(
    fake: FakeTelegram, ada: Person
) -> None:
    pace = Pace(long_poll_s=0, answer_within_s=0.2, first_wait_s=0.01, longest_wait_s=0.01)
    fake.people.say(ada, "hello")
    fake.fail("getUpdates", faults.hangs())
    async with Serving(adapter_for(fake, pace=pace)) as serving:
        assert (await serving.inbound()).text == "hello"


async def test_the_start_waits_until_telegram_can_be_reached(
    fake: FakeTelegram, ada: Person
) -> None:
    fake.fail("getMe", faults.server_error(), times=2)
    fake.fail("deleteWebhook", faults.retry_after(1))
    fake.people.say(ada, "hello")
    async with Serving(adapter_for(fake)) as serving:
        await serving.inbound()
    assert len(fake.calls_of("getMe")) == 3


async def test_a_start_that_is_never_answered_to_its_end_is_begun_anew(
    fake: FakeTelegram, ada: Person
) -> None:
    pace = Pace(long_poll_s=0, answer_within_s=0.3, first_wait_s=0.01, longest_wait_s=0.01)
    fake.fail("getMe", faults.drips())
    fake.people.say(ada, "hello")
    async with Serving(adapter_for(fake, pace=pace)) as serving:
        assert (await serving.inbound()).text == "hello"


async def test_a_second_poller_is_reported_in_one_sentence_and_both_go_on(
    fake: FakeTelegram, ada: Person
) -> None:
    with capture_logs() as logs:
        async with Serving(adapter_for(fake)) as first, Serving(adapter_for(fake)) as second:
            await fake.wait_for(lambda: conflicts(fake) >= 4)
            fake.people.say(ada, "hello")
            done, pending = await asyncio.wait(
                [asyncio.create_task(one.received(1)) for one in (first, second)],
                return_when=asyncio.FIRST_COMPLETED,
            )
            for task in pending:
                task.cancel()
    assert done
    said = [entry["event"] for entry in logs if entry["log_level"] == "warning"]
    assert set(said) == {
        "Another program is fetching this bot's messages: stop it, or give it a token of its own."
    }
    assert len(said) <= 2  # one from each of the two


async def test_a_conflict_after_a_time_of_peace_is_said_again(fake: FakeTelegram) -> None:
    pace = Pace(
        long_poll_s=5,
        answer_within_s=5,
        first_wait_s=0.01,
        longest_wait_s=0.01,
        conflict_ends_after_s=0,
    )
    fake.fail("getUpdates", faults.refused(409, "Conflict: terminated by other"), times=2)
    with capture_logs() as logs:
        async with Serving(adapter_for(fake, pace=pace)):
            await fake.wait_for(lambda: fake.updates.polls)
    assert sum("Another program" in entry["event"] for entry in logs) == 2


def conflicts(fake: FakeTelegram) -> int:
    return sum(call.outcome.startswith("Conflict") for call in fake.calls)


async def test_a_poller_that_is_alive_but_deaf_begins_anew(fake: FakeTelegram, ada: Person) -> None:
    """Case 37: bytes keep coming, so no time-out of the client's ever fires; `getMe` works."""
    pace = Pace(long_poll_s=0, answer_within_s=0.3, first_wait_s=0.01, longest_wait_s=0.01)
    fake.fail("getUpdates", faults.drips())
    adapter = adapter_for(fake, pace=pace)
    with capture_logs() as logs:
        async with Serving(adapter) as serving:
            await fake.wait_for(lambda: len(fake.calls_of("getUpdates")) == 1)
            assert adapter.pulse.silent_s() is None
            fake.people.say(ada, "hello")
            assert (await serving.inbound()).text == "hello"
    assert [entry["after_s"] for entry in logs if "did not end" in entry["event"]] == [0.6]


async def test_a_wrong_token_ends_the_run_with_a_clear_error(fake: FakeTelegram) -> None:
    adapter = adapter_for(fake, token="123456789:AAE-not-this-one")
    with pytest.raises(TokenRefused, match="does not accept the bot token") as caught:
        await adapter.run(Serving(adapter).receive)
    assert "AAE" not in str(caught.value)


async def test_a_token_that_is_withdrawn_while_running_ends_the_run(fake: FakeTelegram) -> None:
    adapter = adapter_for(fake)
    fake.fail("getUpdates", faults.refused(401, "Unauthorized"))
    with pytest.raises(TokenRefused):
        await adapter.run(Serving(adapter).receive)


@pytest.mark.parametrize(
    ("failures", "wait_s"), [(1, 1), (2, 2), (3, 4), (6, 32), (7, 60), (500, 60)]
)
def test_pauses_grow_up_to_a_minute(failures: int, wait_s: float) -> None:
    assert Pace().wait_s(failures) == wait_s


async def test_the_menu_of_commands_is_set(fake: FakeTelegram) -> None:
    adapter = adapter_for(fake, commands=[("new", "Begin a new conversation")])
    async with Serving(adapter):
        await fake.wait_for(lambda: fake.world.commands)
    assert fake.world.commands == [{"command": "new", "description": "Begin a new conversation"}]


async def test_a_menu_that_is_refused_does_not_keep_the_bot_from_serving(
    fake: FakeTelegram, ada: Person
) -> None:
    fake.people.say(ada, "hello")
    async with Serving(adapter_for(fake, commands=[("Not a command", "x")], pace=QUICK)) as serving:
        await serving.inbound()
    assert fake.world.commands == []


async def test_check_tells_whose_token_it_is(fake: FakeTelegram) -> None:
    assert await adapter_for(fake).check() == "hermes_test_bot"
    with pytest.raises(TokenRefused):
        await adapter_for(fake, token="1:x").check()


async def test_only_an_answer_of_the_platform_is_a_beat_of_its_pulse(
    fake: FakeTelegram, ada: Person
) -> None:
    fake.fail("getUpdates", faults.bad_gateway(), times=2)
    adapter = adapter_for(fake)
    async with Serving(adapter) as serving:
        await fake.wait_for(lambda: len(fake.calls_of("getUpdates")) >= 2)
        assert adapter.pulse.silent_s() is None
        fake.people.say(ada, "hello")
        await serving.received(1)
        assert adapter.pulse.silent_s() is not None
    assert adapter.pulse.max_silence_s == 2 * (QUICK.long_poll_s + QUICK.answer_within_s)
