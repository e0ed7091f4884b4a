"""The fake is as strict as the real server, in the real server's words; asked without a client."""

import asyncio
import json
import sys
from pathlib import Path
from typing import Any

import httpx
import pytest

from tests.adapters.telegram.bare_client import Client
from tests.fakes.telegram import FakeTelegram, FloodLimits, Person, faults
from tests.fakes.telegram.flood import FloodControl
from tests.fakes.telegram.texts import violations

Call = dict[str, Any]


def entity(kind: str, offset: int, length: int) -> Call:
    return {"type": kind, "offset": offset, "length": length}


async def test_a_wrong_token_and_an_unknown_method_have_their_codes(client: Client) -> None:
    assert await client.call("getMe", token="1:no") == {
        "ok": False,
        "error_code": 401,
        "description": "Unauthorized",
    }
    assert (await client.call("sendMoney"))["error_code"] == 404


@pytest.mark.parametrize(
    ("arguments", "description"),
    [
        ({"text": ""}, "Bad Request: message text is empty"),
        ({"text": " \n\u200b"}, "Bad Request: text must be non-empty"),
        ({"text": "x" * 4097}, "Bad Request: message is too long"),
        ({"text": "😀" * 2049}, "Bad Request: message is too long"),
        (
            {"text": "x", "entities": [entity("heading", 0, 1)]},
            "Bad Request: can't parse MessageEntity: Unsupported type specified",
        ),
        (
            {"text": "x", "entities": [entity("text_link", 0, 1)]},
            "Bad Request: can't parse MessageEntity: Can't find field \"url\"",
        ),
        (
            {"text": "x", "entities": [entity("text_link", 0, 1) | {"url": "http://localhost/"}]},
            "Bad Request: entity URL 'http://localhost/' is invalid: Wrong HTTP URL",
        ),
        ({"text": "x", "chat_id": 99}, "Bad Request: chat not found"),
        ({"text": "x", "chat_id": ""}, "Bad Request: chat_id is empty"),
        ({"text": "x", "chat_id": "@nobody"}, "Bad Request: chat not found"),
        ({"text": "x", "reply_markup": "{"}, "Bad Request: can't parse reply markup JSON object"),
        ({"text": "x", "reply_markup": [1]}, "Bad Request: object expected as reply markup"),
        ({"text": "x", "reply_parameters": 7}, "Bad Request: object expected as reply parameters"),
        (
            {"text": "x", "reply_parameters": {"message_id": 77}},
            "Bad Request: message to be replied not found",
        ),
        ({"text": "x", "message_thread_id": 1}, "Bad Request: message thread not found"),
        (
            {"text": "x", "entities": [entity("bold", 0, 2)]},
            (
                "Bad Request: entity beginning at UTF-16 offset 0 ends after the end of the text "
                "at UTF-16 offset 2"
            ),
        ),
        (
            {"text": "x", "entities": [entity("bold", 5, 1)]},
            "Bad Request: entity begins after the end of the text at UTF-16 offset 5",
        ),
        (
            {"text": "😀x", "entities": [entity("bold", 1, 2)]},
            "Bad Request: entity begins in a middle of a UTF-16 symbol at byte offset 0",
        ),
        (
            {"text": "x😀", "entities": [entity("bold", 0, 2)]},
            "Bad Request: entity ends in a middle of a UTF-16 symbol at byte offset 1",
        ),
        (
            {"text": "x", "entities": [entity("bold", -1, 1)]},
            "Bad Request: receive an entity with incorrect offset -1",
        ),
        (
            {
                "text": "x",
                "reply_markup": {"inline_keyboard": [[{"text": "y", "callback_data": "z" * 65}]]},
            },
            "Bad Request: BUTTON_DATA_INVALID",
        ),
    ],
)
async def test_a_message_is_refused_in_the_real_words(
    client: Client, ada: Person, fake: FakeTelegram, arguments: Call, description: str
) -> None:
    assert await client.refusal("sendMessage", **{"chat_id": ada.id} | arguments) == description
    assert fake.replies(ada) == []


async def test_a_parameter_that_a_method_does_not_have_is_noted() -> None:
    async with FakeTelegram() as fake, httpx.AsyncClient() as http:
        person = fake.people.person("Ada")
        answer = await Client(fake, http).call("sendMessage", chat_id=person.id, text="x", topic=7)
    assert answer["ok"]  # the real server passes over it
    assert fake.world.violations == ["sendMessage has no parameter topic"]


async def test_the_longest_message_is_taken(client: Client, ada: Person) -> None:
    assert (await client.call("sendMessage", chat_id=ada.id, text="😀" * 2048))["ok"]


async def test_texts_are_cleaned_and_trimmed_and_entities_follow(
    client: Client, ada: Person, fake: FakeTelegram
) -> None:
    text = " \n\tb\u202eol\r\td  \n"
    await client.call(
        "sendMessage", chat_id=ada.id, text=text, entities=[entity("bold", 3, len(text) - 3)]
    )
    await client.call("sendMessage", chat_id=ada.id, text="  x", entities=[entity("pre", 0, 3)])
    bold, code = fake.replies(ada)
    assert (bold.text, bold.styled("bold")) == ("bol d", ["bol d"])
    assert code.text == "  x"


async def test_an_edit_is_checked_as_strictly(
    client: Client, ada: Person, fake: FakeTelegram
) -> None:
    sent = (await client.call("sendMessage", chat_id=ada.id, text="one"))["result"]["message_id"]
    mine = {"chat_id": ada.id, "message_id": sent}
    said = fake.people.say(ada, "hers")
    assert "message is not modified" in await client.refusal(
        "editMessageText", **mine, text="one \n"
    )
    assert "MESSAGE_TOO_LONG" in await client.refusal("editMessageText", **mine, text="x" * 4097)
    assert "can't be edited" in await client.refusal(
        "editMessageText", chat_id=ada.id, message_id=said.id, text="x"
    )
    assert "message to edit not found" in await client.refusal(
        "editMessageText", chat_id=ada.id, message_id=999, text="x"
    )
    assert "not modified" in await client.refusal("editMessageReplyMarkup", **mine)
    assert await client.refusal("editMessageText", chat_id=ada.id, message_id="one", text="x") == (
        "Bad Request: message identifier is not specified"
    )


async def test_a_file_has_no_text_that_could_be_edited(client: Client, ada: Person) -> None:
    sent = await client.upload("sendDocument", "document", b"x", chat_id=ada.id)
    refusal = await client.refusal(
        "editMessageText", chat_id=ada.id, message_id=sent["result"]["message_id"], text="x"
    )
    assert refusal == "Bad Request: there is no text in the message to edit"


async def test_in_a_group_a_bot_takes_away_only_its_own_messages(
    client: Client, fake: FakeTelegram, ada: Person
) -> None:
    for chat, is_taken in ((fake.people.group("Kitchen"), False), (None, True)):
        said = fake.people.say(ada, "hers", chat=chat)
        answer = await client.call("deleteMessage", chat_id=said.chat.id, message_id=said.id)
        assert answer["ok"] is is_taken
        assert said.is_deleted is is_taken


@pytest.mark.parametrize("is_general", [False, True])
async def test_nobody_writes_into_a_closed_topic(
    client: Client, fake: FakeTelegram, is_general: bool
) -> None:
    forum = fake.people.group("Club", is_forum=True)
    topic = fake.people.topic(forum, "Chess")
    fake.people.close_topic(forum, 1 if is_general else topic)
    here, there = (None, topic) if is_general else (topic, None)
    arguments: Call = {"chat_id": forum.id, "text": "x"}
    closed = await client.refusal("sendMessage", **arguments, message_thread_id=here)
    assert closed == "Bad Request: TOPIC_CLOSED"
    assert (await client.call("sendMessage", **arguments, message_thread_id=there))["ok"]


async def test_the_earlier_of_two_pollers_gets_a_conflict(
    client: Client, fake: FakeTelegram, ada: Person
) -> None:
    earlier = asyncio.create_task(client.call("getUpdates", timeout=30))
    await fake.wait_for(lambda: fake.updates.polls == 1)
    later = asyncio.create_task(client.call("getUpdates", timeout=30))
    answer = await earlier
    assert answer["error_code"] == 409
    assert "terminated by other getUpdates request" in answer["description"]
    fake.people.say(ada, "hello")
    assert [one["message"]["text"] for one in (await later)["result"]] == ["hello"]


async def test_updates_stay_until_a_higher_offset_is_asked_for(
    client: Client, fake: FakeTelegram, ada: Person
) -> None:
    for text in ("one", "two", "three"):
        fake.people.say(ada, text)
    first = (await client.call("getUpdates", limit=2))["result"]
    assert [one["message"]["text"] for one in first] == ["one", "two"]
    assert (await client.call("getUpdates"))["result"][0] == first[0]
    rest = (await client.call("getUpdates", offset=first[-1]["update_id"] + 1))["result"]
    assert [one["message"]["text"] for one in rest] == ["three"]
    info = (await client.call("getWebhookInfo"))["result"]
    assert info["pending_update_count"] == 1
    last = (await client.call("getUpdates", offset=-1))["result"]
    assert last == rest
    # A limit out of bounds is the nearest one within them.
    fake.people.say(ada, "four")
    assert len((await client.call("getUpdates", limit=-7))["result"]) == 1
    assert len((await client.call("getUpdates", limit=1_000))["result"]) == 2


async def test_a_webhook_forbids_polling(client: Client) -> None:
    await client.call("setWebhook", url="https://example.org")
    assert "webhook is active" in await client.refusal("getUpdates")
    await client.call("deleteWebhook")
    assert (await client.call("getUpdates"))["ok"]


async def test_a_query_is_answered_once(client: Client, fake: FakeTelegram, ada: Person) -> None:
    keyboard = {"inline_keyboard": [[{"text": "Yes", "callback_data": "y"}]]}
    await client.call("sendMessage", chat_id=ada.id, text="?", reply_markup=keyboard)
    fake.people.press(fake.replies(ada)[0], "Yes")
    [update] = (await client.call("getUpdates"))["result"]
    query = update["callback_query"]["id"]
    assert (await client.call("answerCallbackQuery", callback_query_id=query))["ok"]
    again = await client.refusal("answerCallbackQuery", callback_query_id=query)
    assert again.startswith("Bad Request: query is too old")
    with pytest.raises(AssertionError, match="no button 'No'"):
        fake.people.press(fake.replies(ada)[0], "No")


@pytest.mark.parametrize(
    ("entities", "found"),
    [
        ([entity("bold", 0, 4), entity("italic", 2, 4)], "crosses"),
        ([entity("bold", 0, 4), entity("code", 1, 2)], "may not hold"),
        ([entity("pre", 0, 4), entity("italic", 1, 2)], "may not hold"),
        ([entity("text_link", 0, 4), entity("code", 1, 2)], "may not hold"),
        ([entity("blockquote", 0, 4), entity("blockquote", 1, 2)], "may not hold"),
        ([entity("bold", place, 1) for place in range(101)], "are lost"),
    ],
)
def test_what_the_real_server_repairs_is_noted(entities: list[Call], found: str) -> None:
    assert any(found in one for one in violations(entities))


def test_legal_entities_are_not_noted() -> None:
    legal = [
        entity("blockquote", 0, 9),
        entity("bold", 0, 9),
        entity("italic", 0, 4),
        entity("text_link", 4, 5),
        entity("blockquote", 10, 5),
        entity("pre", 10, 5),
    ]
    assert violations(legal) == []


def test_flood_control_counts_per_chat_group_and_over_all() -> None:
    now = [0.0]
    flood = FloodControl(FloodLimits.published(), clock=lambda: now[0])
    flood.admit(1)
    with pytest.raises(Exception, match="retry after 1"):
        flood.admit(1)
    for chat in range(2, 31):
        flood.admit(chat)
    with pytest.raises(Exception, match="retry after 1"):
        flood.admit(31)
    for second in range(1, 21):
        now[0] = float(second)
        flood.admit(-5)
    now[0] = 21.0
    with pytest.raises(Exception, match="retry after 40"):
        flood.admit(-5)
    now[0] = 61.0
    flood.admit(-5)
    assert flood.refusals == 3


def test_an_album_counts_as_its_messages() -> None:
    now = [0.0]
    flood = FloodControl(FloodLimits.published(), clock=lambda: now[0])
    flood.admit(1, 3)  # at once, and then three seconds are over
    for now[0] in (0.0, 1.0, 2.9):
        with pytest.raises(Exception, match="retry after"):
            flood.admit(1)
    now[0] = 3.0
    flood.admit(1)
    flood.admit(-5, 10)
    now[0] = 20.0
    flood.admit(-5, 10)
    now[0] = 40.0
    with pytest.raises(Exception, match="retry after 23"):
        flood.admit(-5, 1)
    now[0] = 100.0
    for chat in (2, 3, 4):
        flood.admit(chat, 10)
    with pytest.raises(Exception, match="retry after 1"):
        flood.admit(5, 2)


async def test_flood_control_answers_with_the_seconds(ada: Person) -> None:
    async with FakeTelegram(flood=FloodLimits(per_chat_per_s=1)) as fake:
        person = fake.people.person("Ada")
        async with httpx.AsyncClient() as http:
            client = Client(fake, http)
            await client.call("sendMessage", chat_id=person.id, text="one")
            answer = await client.call("sendMessage", chat_id=person.id, text="two")
    assert answer["error_code"] == 429
    assert answer["parameters"] == {"retry_after": 1}
    assert fake.flood.refusals == 1


async def test_a_fault_lasts_as_many_calls_as_it_was_told(client: Client, ada: Person) -> None:
    fake = client._fake
    fake.fail("sendMessage", faults.server_error(), times=2)
    answers = [await client.call("sendMessage", chat_id=ada.id, text="x") for _ in range(3)]
    assert [answer["ok"] for answer in answers] == [False, False, True]


async def test_a_failed_wait_shows_the_conversation(fake: FakeTelegram, ada: Person) -> None:
    fake.people.say(ada, "hello?")
    with pytest.raises(AssertionError, match=r"#1 Ada: hello\?"):
        await fake.wait_for(lambda: fake.replies(ada), timeout_s=0.01)


async def test_it_runs_on_its_own_and_is_controlled_over_http() -> None:
    process = await asyncio.create_subprocess_exec(
        sys.executable,
        "-m",
        "tests.fakes.telegram",
        "--token",
        "1:t",
        cwd=Path(__file__).parents[3],
        stdout=asyncio.subprocess.PIPE,
    )
    assert process.stdout is not None
    ready = json.loads(await process.stdout.readline())
    try:
        async with httpx.AsyncClient(base_url=ready["control"], timeout=10) as control:
            said = (await control.post("/say", json={"person": "Ada", "text": "hi"})).json()
            keyboard = {"inline_keyboard": [[{"text": "Yes", "callback_data": "y"}]]}
            answer = {"chat_id": said["chat"], "text": "hello", "reply_markup": keyboard}
            await control.post(f"{ready['base_url']}1:t/sendMessage", json=answer)
            found = await control.get("/wait", params={"chat": said["chat"], "text": "hell"})
            assert found.status_code == 200
            never = {"chat": said["chat"], "text": "never said", "timeout_s": 0.01}
            assert (await control.get("/wait", params=never)).status_code == 408
            [reply] = (await control.get("/replies", params={"chat": said["chat"]})).json()
            assert reply == {"id": 2, "text": "hello", "labels": ["Yes"]}
            press = {"chat": said["chat"], "message": 2, "label": "Yes"}
            assert (await control.post("/press", json=press)).status_code == 200
            assert (await control.post("/press", json=press | {"label": "No"})).status_code == 404
            assert "Ada: hi" in (await control.get("/transcript")).text
            assert (await control.post("/group", json={"title": "Kitchen"})).json()["chat"] < 0
    finally:
        process.terminate()
        await process.wait()
