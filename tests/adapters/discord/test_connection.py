"""The client's life on a real wire: sessions, what they lose, and what no waiting mends."""

import asyncio
from pathlib import Path

import pytest
import structlog

from adapters.base import Part
from adapters.discord.errors import IntentRefused, TokenRefused
from adapters.discord.invite import PERMISSIONS, invite_link
from tests.adapters.discord.serving import Serving, adapter_for, address_of
from tests.fakes.discord import FakeDiscord, Person, faults


async def test_a_message_comes_in_and_an_answer_goes_out(fake: FakeDiscord, ada: Person) -> None:
    async with Serving(adapter_for(fake), fake) as serving:
        await fake.say(ada, "hello")
        heard = await serving.inbound()
        assert heard.text == "hello"
        await serving.adapter.send(heard.address, Part("hi"))
        assert [one.text for one in fake.replies(ada)] == ["hi"]
        assert serving.adapter.pulse.silent_s() is not None


async def test_a_lost_connection_is_resumed_and_nothing_is_missed(
    fake: FakeDiscord, ada: Person
) -> None:
    async with Serving(adapter_for(fake), fake) as serving:
        await fake.say(ada, "one")
        await serving.inbound()
        await fake.gateway.drop()
        await fake.say(ada, "two")  # while nobody listens
        await serving.inbound(1)
        await fake.say(ada, "three")
        await serving.inbound(2)
        assert [one.text for one in serving.messages] == ["one", "two", "three"]
        assert (fake.gateway.identifies, fake.gateway.resumes) == (1, 1)


async def test_case_25_what_is_replayed_has_the_ids_that_it_had(
    fake: FakeDiscord, ada: Person
) -> None:
    async with Serving(adapter_for(fake), fake) as serving:
        for number in range(50):
            await fake.say(ada, f"message {number}")
        await serving.inbound(49)
        fake.gateway.replay_all = True
        await fake.gateway.drop()
        await serving.inbound(99)
        ids = [one.event_id for one in serving.messages]
        assert ids[:50] == ids[50:]
        assert len(set(ids)) == 50


async def test_a_server_that_asks_for_it_is_left_and_the_session_resumed(
    fake: FakeDiscord, ada: Person
) -> None:
    async with Serving(adapter_for(fake), fake) as serving:
        await fake.gateway.ask_to_reconnect()
        await fake.wait_for(lambda: fake.gateway.resumes == 1 and fake.gateway.connected)
        await fake.say(ada, "still there?")
        await serving.inbound()
        assert fake.gateway.identifies == 1


@pytest.mark.parametrize("is_told", [True, False])
async def test_a_session_that_is_over_is_begun_anew(
    fake: FakeDiscord, ada: Person, *, is_told: bool
) -> None:
    """Told at once, or only when it is to be resumed."""
    async with Serving(adapter_for(fake), fake) as serving:
        fake.gateway.refuses_resume = not is_told
        await (fake.gateway.invalidate() if is_told else fake.gateway.drop())
        await fake.wait_for(lambda: fake.gateway.identifies == 2 and fake.gateway.connected)
        await fake.say(ada, "still there?")
        assert (await serving.inbound()).text == "still there?"
        assert fake.gateway.resumes == (0 if is_told else 1)


async def test_a_wrong_token_is_said_at_once(fake: FakeDiscord) -> None:
    adapter = adapter_for(fake, token="wrong")

    async def receive(event: object) -> None:
        raise AssertionError(event)

    with pytest.raises(TokenRefused, match="does not accept the bot token"):
        await adapter.run(receive)


async def test_a_token_that_is_reset_while_the_bot_runs_ends_it(fake: FakeDiscord) -> None:
    fake.gateway.token = "another by now"
    adapter = adapter_for(fake)

    async def receive(event: object) -> None:
        raise AssertionError(event)

    with pytest.raises(TokenRefused):  # close code 4004
        await adapter.run(receive)


async def test_case_38_a_missing_intent_is_one_sentence_with_the_place_to_click() -> None:
    async with FakeDiscord(may_read=False) as fake:

        async def receive(event: object) -> None:
            raise AssertionError(event)

        with pytest.raises(IntentRefused) as refused:  # close code 4014
            await adapter_for(fake).run(receive)
        page = f"https://discord.com/developers/applications/{fake.application_id}/bot"
        assert page in str(refused.value)
        assert "Message Content Intent" in str(refused.value)
        with pytest.raises(IntentRefused, match="Message Content Intent"):
            await adapter_for(fake).check()
        assert (await adapter_for(fake, message_content=False).check()).startswith("Hermes; ")


async def test_check_says_who_the_bot_is_and_leaves_nothing_open(fake: FakeDiscord) -> None:
    adapter = adapter_for(fake)
    found = await adapter.check()
    assert found == f"Hermes; {invite_link(fake.application_id)} takes it into a server"
    assert fake.gateway.identifies == 0
    with pytest.raises(TokenRefused):
        await adapter_for(fake, token="wrong").check()


def test_the_documented_invitation_asks_for_the_rights_that_are_used() -> None:
    page = (Path(__file__).parents[3] / "docs" / "discord.md").read_text(encoding="utf-8")
    assert f"permissions={PERMISSIONS.value}" in page


async def test_a_bot_in_many_servers_is_served_in_shards_and_hears_everything_once() -> None:
    async with FakeDiscord() as fake:
        fake.shards = 2  # the client waits five seconds between one and the next
        ada = fake.person("Ada")
        guilds = [fake.guild(f"Garden {number}", "general") for number in range(6)]
        async with Serving(adapter_for(fake, require_mention=False), fake) as serving:
            await fake.connected(2)
            for guild in guilds:
                await fake.say(ada, f"hello {guild.name}", guild.channels[0])
            await fake.say(ada, "hello you")
            await serving.inbound(6)
            assert sorted(one.text for one in serving.messages) == [
                *(f"hello Garden {number}" for number in range(6)),
                "hello you",
            ]
            assert fake.gateway.identifies == 2
        assert fake.limits.violations == []


async def test_a_start_without_a_network_is_waited_out(fake: FakeDiscord, ada: Person) -> None:
    fake.fail("me", *[faults.cut(is_done=False)] * 3)
    fake.fail("gateway", faults.failed(503))
    async with Serving(adapter_for(fake), fake) as serving:
        await fake.say(ada, "hello")
        assert (await serving.inbound()).text == "hello"


async def test_what_is_sent_before_the_bot_has_logged_in_waits_for_it(
    fake: FakeDiscord, ada: Person
) -> None:
    adapter = adapter_for(fake)
    sending = asyncio.create_task(adapter.send(address_of(ada), Part("I am back")))
    async with Serving(adapter, fake):
        await sending
        assert [one.text for one in fake.replies(ada)] == ["I am back"]


async def test_events_that_a_closed_gateway_does_not_take_end_with_the_adapter(
    fake: FakeDiscord, ada: Person
) -> None:
    async with Serving(adapter_for(fake), fake) as serving:
        serving.may_take.clear()
        await fake.say(ada, "too late")
        await fake.say(ada, "this, too")
        await serving.inbound()
    assert len(serving.messages) == 1  # the second waited behind the first


async def test_the_token_is_in_no_log(fake: FakeDiscord, ada: Person) -> None:
    with structlog.testing.capture_logs() as logs:
        async with Serving(adapter_for(fake), fake) as serving:
            await fake.say(ada, "hello")
            await serving.inbound()
            await fake.gateway.drop()
            await fake.wait_for(lambda: fake.gateway.resumes)
    assert fake.token not in repr(logs)
