"""What goes out on Telegram besides text, the whole way: files, drafts, menus, trying again."""

import asyncio
import io
from pathlib import Path

import pytest
from PIL import Image

from gateway.workspace.workspace import FOLDER_NAME, Workspaces
from tests.end_to_end.serving import MakeSettings, Serve
from tests.fakes.model_server import ModelServer
from tests.fakes.telegram import FakeTelegram, Person


def picture(width: int, height: int) -> bytes:
    written = io.BytesIO()
    Image.new("RGB", (width, height), "teal").save(written, "PNG")
    return written.getvalue()


async def put(data_dir: Path, person: Person, name: str, content: bytes) -> None:
    """A file in the workspace of somebody's chat, as a tool would leave it there."""

    def write() -> None:
        folder = Workspaces(data_dir / FOLDER_NAME).of(f"telegram:dm:{person.id}").prepare()
        (folder / name).write_bytes(content)

    await asyncio.to_thread(write)


@pytest.mark.usefixtures("gateway")
async def test_a_name_in_an_answer_notifies_nobody_while_it_grows_and_when_it_is_there(
    telegram: FakeTelegram, model: ModelServer, ada: Person
) -> None:
    """Case 12."""
    group = telegram.people.group("Kitchen")
    drip = model.enqueue(text="You could ask @carol_k, who cooked it.", gated=True)
    telegram.people.say(ada, "@hermes_test_bot who knows?", chat=group)
    await drip.started.wait()
    drip.release(8)
    await telegram.wait_for(lambda: any("@carol" in one.text for one in telegram.replies(group)))
    assert telegram.notified(group) == []
    drip.release(20)
    await telegram.wait_for(lambda: telegram.replies(group)[-1].text.endswith("cooked it."))
    assert telegram.notified(group) == []
    assert telegram.replies(group)[-1].styled("text_link") == ["@carol_k"]


async def test_files_of_an_answer_arrive_in_their_forms_after_its_text(
    telegram: FakeTelegram,
    model: ModelServer,
    ada: Person,
    *,
    serve: Serve,
    make_settings: MakeSettings,
) -> None:
    """Case 12b: the strip is too long for a photo."""
    settings = make_settings()
    chart, strip, table = picture(400, 300), picture(2_500, 100), b"a,b\n1,2\n"
    for name, content in (("chart.png", chart), ("strip.png", strip), ("table.csv", table)):
        await put(settings.data_dir, ada, name, content)
    async with serve(settings):
        model.enqueue(
            text="Here it **is**:\n\n![The chart](chart.png)\n\nMEDIA:strip.png\nMEDIA:table.csv"
        )
        telegram.people.say(ada, "plot it")
        await telegram.wait_for(lambda: len(telegram.replies(ada)) == 4)
    text, *files = telegram.replies(ada)
    assert (text.text, text.styled("bold")) == ("Here it is:", ["is"])
    assert [next(iter(message.content)) for message in files] == ["photo", "document", "document"]
    albums = [message.content.get("media_group_id") for message in files]
    assert albums[1] == albums[2] != albums[0] is None  # the two documents stand together
    sent = [files[0].content["photo"][-1], *(one.content["document"] for one in files[1:])]
    contents = [telegram.files.find(one["file_id"]).content for one in sent]
    assert contents == [chart, strip, table]
    assert files[0].text == "The chart"
    assert [one["file_name"] for one in sent[1:]] == ["strip.png", "table.csv"]


async def test_a_private_chat_gets_a_draft_and_one_message_and_a_group_edits(
    telegram: FakeTelegram,
    model: ModelServer,
    ada: Person,
    *,
    serve: Serve,
    make_settings: MakeSettings,
) -> None:
    group = telegram.people.group("Kitchen")
    async with serve(make_settings()):
        drip = model.enqueue(text="Once upon a time there was a gateway. " * 5, gated=True)
        telegram.people.say(ada, "tell me a story")
        drip.release(12)
        await telegram.wait_for(lambda: telegram.world.drafts)
        assert telegram.replies(ada) == []
        drip.release(500)
        await telegram.wait_for(lambda: telegram.replies(ada))
        [message] = telegram.replies(ada)
        assert len(message.versions) == 1
        assert not telegram.world.drafts[0].is_shown
        drip = model.enqueue(text="Once upon a time there was a gateway. " * 5, gated=True)
        telegram.people.say(ada, "@hermes_test_bot a story", chat=group)
        drip.release(12)
        growing = await telegram.wait_for(lambda: telegram.replies(group))
        assert growing[0].labels == ["Stop"]
        drip.release(500)
        await telegram.wait_for(lambda: growing[0].labels == [])
    assert len(telegram.world.drafts) == 1


async def test_owners_see_their_commands_in_the_menu_and_groups_only_theirs(
    telegram: FakeTelegram, ada: Person, *, serve: Serve, make_settings: MakeSettings
) -> None:
    def names(scope: str) -> set[str]:
        return {one["command"] for one in telegram.world.menus.get((scope, ""), [])}

    settings = make_settings(
        telegram={"owners": (ada.id,)}, access={"group_commands": ("help", "stop")}
    )
    async with serve(settings):
        await telegram.wait_for(lambda: names(f"chat {ada.id}"))
        await telegram.wait_for(lambda: names("all_group_chats"))
    assert names("all_group_chats") == {"help", "stop"}
    assert {"help", "new", "stop"} <= names("default") == names("all_private_chats")
    assert names(f"chat {ada.id}") - names("default") >= {"pair", "reload"}


@pytest.mark.usefixtures("gateway")
async def test_a_failed_answer_can_be_tried_again(
    telegram: FakeTelegram, model: ModelServer, ada: Person
) -> None:
    model.enqueue(status=500, body=b"broken")
    telegram.people.say(ada, "hello")
    failed = await telegram.wait_for(
        lambda: [one for one in telegram.replies(ada) if one.labels == ["Try again"]]
    )
    model.enqueue(text="Hello, Ada.")
    query = telegram.people.press(failed[0], "Try again")
    await telegram.wait_for(lambda: [m.text for m in telegram.replies(ada)] == ["Hello, Ada."])
    await telegram.wait_for(lambda: query.is_answered)
