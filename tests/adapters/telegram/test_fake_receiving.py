"""The fake where it brings updates and files: as strict as the real server, in its words."""

import pytest

from tests.adapters.telegram.bare_client import Client
from tests.fakes.telegram import FakeTelegram, Person, media


@pytest.mark.parametrize(
    ("arguments", "description"),
    [
        (
            {"url": "http://example.org/hook"},
            "Bad Request: bad webhook: An HTTPS URL must be provided for webhook",
        ),
        (
            {"url": "https://example.org:8444/hook"},
            "Bad Request: bad webhook: Webhook can be set up only on ports 80, 88, 443 or 8443",
        ),
        (
            {"url": "https://example.org/hook", "secret_token": "two words"},
            "Bad Request: secret token contains unallowed characters",
        ),
    ],
)
async def test_a_webhook_that_the_server_would_not_call_is_refused(
    client: Client, arguments: dict[str, str], description: str
) -> None:
    assert await client.refusal("setWebhook", **arguments) == description


async def test_while_a_webhook_is_set_nobody_can_poll(client: Client) -> None:
    assert (await client.call("setWebhook", url="https://127.0.0.1:8443/hook"))["ok"]
    assert (await client.refusal("getUpdates")).startswith(
        "Conflict: can't use getUpdates method while webhook is active"
    )
    assert (await client.call("deleteWebhook"))["ok"]
    assert (await client.call("getUpdates"))["result"] == []


async def test_pending_updates_are_dropped_only_if_that_is_asked_for(
    fake: FakeTelegram, ada: Person, client: Client
) -> None:
    fake.people.say(ada, "one")
    await client.call("deleteWebhook", drop_pending_updates=False)
    assert (await client.call("getWebhookInfo"))["result"]["pending_update_count"] == 1
    await client.call("deleteWebhook", drop_pending_updates=True)
    assert (await client.call("getWebhookInfo"))["result"]["pending_update_count"] == 0


async def test_reactions_come_only_to_those_who_ask_for_them(
    fake: FakeTelegram, ada: Person, client: Client
) -> None:
    message = fake.people.say(ada, "one")
    await client.call("getUpdates", allowed_updates=[])
    fake.people.react(ada, message, "👍")
    await client.call("getUpdates", allowed_updates=["message", "message_reaction"])
    fake.people.react(ada, message, "👎")
    updates = (await client.call("getUpdates"))["result"]
    assert [list(update)[1] for update in updates] == ["message", "message_reaction"]
    assert updates[1]["message_reaction"]["old_reaction"] == [{"type": "emoji", "emoji": "👍"}]


async def test_files_are_given_out_by_their_id_up_to_20_mb(
    fake: FakeTelegram, client: Client
) -> None:
    unknown = "Bad Request: wrong file_id or the file is temporarily unavailable"
    assert await client.refusal("getFile", file_id="x") == unknown
    limit = 20 * 1024 * 1024
    for size, is_ok in ((limit, True), (limit + 1, False)):
        file = media.document(fake.files, b"x", size=size)["document"]
        answer = await client.call("getFile", file_id=file["file_id"])
        assert answer["ok"] is is_ok
    assert answer["description"] == "Bad Request: file is too big"


async def test_who_writes_into_a_group_that_has_moved_is_told_where_it_is(
    fake: FakeTelegram, ada: Person, client: Client
) -> None:
    group = fake.people.group("Kitchen", kind="group")
    new = fake.people.migrate(group, ada)
    answer = await client.call("sendMessage", chat_id=group.id, text="hello")
    assert answer["description"] == "Bad Request: group chat was upgraded to a supergroup chat"
    assert answer["parameters"] == {"migrate_to_chat_id": new.id}
