"""The fake is strict about files, drafts, menus and reactions as well; asked without a client."""

import json

import httpx
import pytest

from tests.adapters.telegram.bare_client import Call, Client
from tests.adapters.telegram.sendable import picture
from tests.fakes.telegram import FakeTelegram, FloodLimits, Person

COMMANDS = [{"command": "help", "description": "show help"}]


async def test_a_caption_has_1024_units_at_most(client: Client, ada: Person) -> None:
    content = picture(2, 2)
    fits = await client.upload("sendPhoto", "photo", content, chat_id=ada.id, caption="x" * 1024)
    assert fits["result"]["caption"] == "x" * 1024
    long = await client.upload("sendPhoto", "photo", content, chat_id=ada.id, caption="x" * 1025)
    assert long["description"] == "Bad Request: message caption is too long"


@pytest.mark.parametrize(
    ("content", "description"),
    [
        (picture(9_000, 1_001), "Bad Request: PHOTO_INVALID_DIMENSIONS"),
        (picture(2_100, 100), "Bad Request: PHOTO_INVALID_DIMENSIONS"),
        (picture(10, 10, "TIFF"), "Bad Request: IMAGE_PROCESS_FAILED"),
        (b"words", "Bad Request: IMAGE_PROCESS_FAILED"),
        (b"", "Bad Request: file must be non-empty"),
    ],
)
async def test_a_photo_is_one_with_possible_measures(
    client: Client, ada: Person, content: bytes, description: str
) -> None:
    answer = await client.upload("sendPhoto", "photo", content, chat_id=ada.id)
    assert answer["description"] == description


async def test_a_call_without_its_file_is_refused(client: Client, ada: Person) -> None:
    assert await client.refusal("sendDocument", chat_id=ada.id) == (
        "Bad Request: there is no document in the request"
    )


async def test_only_what_has_a_caption_can_get_another(client: Client, ada: Person) -> None:
    sent = await client.call("sendMessage", chat_id=ada.id, text="hello")
    refusal = await client.refusal(
        "editMessageCaption",
        chat_id=ada.id,
        message_id=sent["result"]["message_id"],
        caption="x",
    )
    assert refusal == "Bad Request: there is no caption in the message to edit"


async def test_menus_are_kept_by_scope_and_language(client: Client, ada: Person) -> None:
    private = {"type": "all_private_chats"}
    await client.call("setMyCommands", commands=COMMANDS, scope=private, language_code="de")
    got = await client.call("getMyCommands", scope=private, language_code="de")
    assert got["result"] == COMMANDS
    assert (await client.call("getMyCommands", scope=private))["result"] == []
    await client.call("deleteMyCommands", scope=private, language_code="de")
    got = await client.call("getMyCommands", scope=private, language_code="de")
    assert got["result"] == []
    own = {"type": "chat", "chat_id": ada.id}
    assert (await client.call("setMyCommands", commands=COMMANDS, scope=own))["ok"]


@pytest.mark.parametrize(
    ("arguments", "description"),
    [
        ({"scope": {"type": "chat", "chat_id": 1}}, "chat not found"),
        (
            {"scope": {"type": "everywhere"}},
            "can't parse BotCommandScope: Unsupported type specified",
        ),
        ({"language_code": "english"}, "invalid language code specified"),
        ({"commands": [{"command": "Help", "description": "x"}]}, "BOT_COMMAND_INVALID"),
        ({"commands": [{"command": "help", "description": ""}]}, "BOT_COMMAND_DESCRIPTION_INVALID"),
        ({"commands": COMMANDS * 101}, "BOT_COMMANDS_TOO_MUCH"),
    ],
)
async def test_a_menu_that_can_not_be_is_refused(
    client: Client, arguments: dict[str, object], description: str
) -> None:
    given = {"commands": COMMANDS} | arguments
    assert await client.refusal("setMyCommands", **given) == f"Bad Request: {description}"


async def test_a_draft_grows_in_a_private_chat_and_ends_with_the_next_message(
    fake: FakeTelegram, client: Client, ada: Person
) -> None:
    for text in ("It", "It is", ""):
        assert (await client.call("sendMessageDraft", chat_id=ada.id, draft_id=7, text=text))["ok"]
    [draft] = fake.world.drafts
    assert (draft.versions, draft.is_shown) == (["It", "It is", ""], True)
    assert fake.replies(ada) == []
    await client.call("sendMessage", chat_id=ada.id, text="It is late")
    assert not draft.is_shown


async def test_a_draft_elsewhere_without_an_id_or_too_long_is_refused(
    fake: FakeTelegram, client: Client, ada: Person
) -> None:
    group = fake.people.group("Kitchen")
    for arguments, description in (
        ({"chat_id": group.id, "draft_id": 7, "text": "x"}, "TEXTDRAFT_PEER_INVALID"),
        ({"chat_id": ada.id, "draft_id": 0, "text": "x"}, "RANDOM_ID_EMPTY"),
        ({"chat_id": ada.id, "draft_id": 7, "text": "x" * 4097}, "message is too long"),
    ):
        refusal = await client.refusal("sendMessageDraft", **arguments)
        assert refusal == f"Bad Request: {description}"


async def test_drafts_count_as_messages_for_flood_control(ada: Person) -> None:
    async with FakeTelegram(flood=FloodLimits(per_chat_per_s=1)) as strict:
        bea = strict.people.person("Bea")
        async with httpx.AsyncClient() as http:
            client = Client(strict, http)
            await client.call("sendMessageDraft", chat_id=bea.id, draft_id=7, text="x")
            refusal = await client.refusal("sendMessage", chat_id=bea.id, text="x")
    assert refusal == "Too Many Requests: retry after 1"
    assert strict.flood.refusals == 1


async def test_one_reaction_of_the_known_emoji_is_taken(
    fake: FakeTelegram, client: Client, ada: Person
) -> None:
    message = fake.people.say(ada, "hello")
    where: Call = {"chat_id": ada.id, "message_id": message.id}
    eyes, tick = {"type": "emoji", "emoji": "👀"}, {"type": "emoji", "emoji": "✅"}
    assert (await client.call("setMessageReaction", **where, reaction=[eyes]))["ok"]
    assert message.reactions == ["👀"]
    for reactions, description in (
        ([tick], "REACTION_INVALID"),
        ([eyes, eyes], "REACTIONS_TOO_MANY"),
    ):
        refusal = await client.refusal("setMessageReaction", **where, reaction=reactions)
        assert refusal == f"Bad Request: {description}"
    await client.call("setMessageReaction", **where, reaction=[])
    assert message.reactions == []
    missing: Call = {"chat_id": ada.id, "message_id": 99}
    assert await client.refusal("setMessageReaction", **missing, reaction=[eyes]) == (
        "Bad Request: message to react not found"
    )


def item(kind: str = "photo", name: str = "a", **more: object) -> Call:
    """An `InputMedia` of a file that comes with the call."""
    return {"type": kind, "media": f"attach://{name}", **more}


@pytest.mark.parametrize(
    ("media", "description"),
    [
        (None, 'parameter "media" is required'),
        ({}, "expected an Array of InputMedia"),
        ([], "there are no messages to send"),
        ([item()] * 11, "too many messages to send as an album"),
        ([1], "can't parse InputMedia: expected an Object"),
        ([{"media": "attach://a"}], "can't parse InputMedia: Can't find field \"type\""),
        (
            [item("animation")],
            "can't parse InputMedia: type \"animation\" can't be used in sendMediaGroup",
        ),
        ([item("voice")], 'can\'t parse InputMedia: type "voice" is unsupported'),
        ([item(), item(name="b")], "can't parse InputMedia: media not found"),
        ([item(), {"type": "photo"}], "can't parse InputMedia: media not found"),
        ([item(), item("document")], "document can't be mixed with other media types"),
        ([item("audio"), item("video")], "audio can't be mixed with other media types"),
        ([item(), item(caption="x" * 1025)], "message caption is too long"),
        (
            [
                item(),
                item(caption="x", caption_entities=[{"type": "bold", "offset": 0, "length": 2}]),
            ],
            "entity beginning at UTF-16 offset 0 ends after the end of the text at UTF-16 offset 2",
        ),
        (
            [item(), item(name="words")],
            'failed to send message #2 with the error message "IMAGE_PROCESS_FAILED"',
        ),
        ([item(), item("document", name="empty")], "file must be non-empty"),
    ],
)
async def test_an_album_is_of_two_to_ten_files_that_go_together(
    fake: FakeTelegram, client: Client, ada: Person, media: object, description: str
) -> None:
    files = {"a": picture(), "words": b"words", "empty": b""}
    arguments = {} if media is None else {"media": json.dumps(media)}
    answer = await client.upload_all("sendMediaGroup", files, chat_id=ada.id, **arguments)
    assert answer["description"] == f"Bad Request: {description}"
    assert fake.messages(ada) == []


async def test_an_album_is_one_message_after_the_other(client: Client, ada: Person) -> None:
    media = json.dumps([item(caption="cats"), item("video", "b"), item()])
    files = {"a": picture(), "b": b"film"}
    answer = await client.upload_all("sendMediaGroup", files, chat_id=ada.id, media=media)
    first, second, third = answer["result"]
    assert [first["message_id"], second["message_id"], third["message_id"]] == [1, 2, 3]
    assert (first["caption"], "video" in second, "photo" in third) == ("cats", True, True)
    assert len({one["media_group_id"] for one in answer["result"]}) == 1


async def test_an_album_of_one_is_taken_and_noted(
    fake: FakeTelegram, client: Client, ada: Person
) -> None:
    buttons = json.dumps({"inline_keyboard": [[{"text": "Go", "callback_data": "g"}]]})
    answer = await client.upload_all(
        "sendMediaGroup",
        {"a": picture()},
        chat_id=ada.id,
        media=json.dumps([item()]),
        reply_markup=buttons,
    )
    assert "media_group_id" not in answer["result"][0]
    assert "reply_markup" not in answer["result"][0]
    assert len(fake.world.violations) == 2
    fake.world.violations.clear()
