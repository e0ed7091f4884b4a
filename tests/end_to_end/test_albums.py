"""Several files of one answer, the whole way: an album on Telegram, kills included."""

import asyncio
import signal
from collections.abc import Sequence
from pathlib import Path

import pytest

from config.settings import Settings
from gateway.chats.lost_replies import NOT_HEARD, NOTICE
from gateway.workspace.workspace import Workspaces
from tests.end_to_end.process import running
from tests.end_to_end.serving import MakeSettings, Serve
from tests.end_to_end.settings_files import model_section
from tests.fakes.model_server import ModelServer
from tests.fakes.telegram import FakeTelegram, Message, Person, faults
from tests.pictures.scenes import scene

ANSWER = """\
Here is the valley:

![In the *morning*](morning.png)

![In the evening](evening.png)

MEDIA:night.png

MEDIA:route.txt
"""
CAPTION = "1. In the morning\n2. In the evening"
ALBUM = ["photo", "photo", "photo"]


def fill(workspaces: Path, person: Person) -> None:
    """Three pictures and a text, in the folder of somebody's chat."""
    root = Workspaces(workspaces).of(f"telegram:dm:{person.id}").prepare()
    for name in ("morning", "evening", "night"):
        (root / f"{name}.png").write_bytes(scene(name))
    (root / "route.txt").write_text("up, and down again")


def kinds(messages: Sequence[Message]) -> list[str]:
    """What each message holds: text, or a kind of file."""
    return [
        next((key for key in one.content if key in {"photo", "document"}), "text")
        for one in messages
    ]


def last(telegram: FakeTelegram, person: Person) -> str:
    """The text of the bot's last message."""
    return "".join(one.text for one in telegram.replies(person)[-1:])


def is_album(messages: Sequence[Message]) -> bool:
    """Whether these came together."""
    return len({one.content.get("media_group_id") for one in messages}) == 1


@pytest.fixture
def settings(make_settings: MakeSettings) -> Settings:
    """Of a gateway that shows final texts only."""
    return make_settings(chats={"streaming": False})


async def test_three_pictures_and_a_document_are_an_album_and_a_document(
    telegram: FakeTelegram, model: ModelServer, ada: Person, settings: Settings, serve: Serve
) -> None:
    await asyncio.to_thread(fill, settings.data_dir / "workspaces", ada)
    async with serve(settings):
        model.enqueue(text=ANSWER)
        telegram.people.say(ada, "show me the valley")
        await telegram.wait_for(lambda: len(telegram.replies(ada)) == 5)
        replies = telegram.replies(ada)
        assert kinds(replies) == ["text", *ALBUM, "document"]
        assert [one.text for one in replies] == ["Here is the valley:", CAPTION, "", "", ""]
        assert replies[1].styled("italic") == ["morning"]
        assert is_album(replies[1:4])
        assert "media_group_id" not in replies[4].content
        ids = [one.content["photo"][-1]["file_id"] for one in replies[1:4]]
        wanted = [scene(name) for name in ("morning", "evening", "night")]
        assert [telegram.files.find(id_).content for id_ in ids] == wanted
        model.enqueue(text="Gladly.")
        telegram.people.say(ada, "thank you")
        await telegram.wait_for(lambda: last(telegram, ada) == "Gladly.")
        # A reaction to the last picture is one to the answer.
        telegram.people.react(ada, replies[3], "👍")
        model.enqueue(text="By bus.")
        telegram.people.say(ada, "how do I get there?")
        await telegram.wait_for(lambda: last(telegram, ada) == "By bus.")
        assert "👍" in str(model.requests[-1].body["messages"][-1])


async def test_an_album_of_which_nobody_hears_is_offered_again(
    telegram: FakeTelegram, model: ModelServer, ada: Person, settings: Settings, serve: Serve
) -> None:
    """Case 15."""
    await asyncio.to_thread(fill, settings.data_dir / "workspaces", ada)
    telegram.fail("sendMediaGroup", faults.lost_answer())
    async with serve(settings):
        model.enqueue(text=ANSWER)
        telegram.people.say(ada, "show me the valley")
        await telegram.wait_for(lambda: last(telegram, ada) == NOT_HEARD)
        replies = telegram.replies(ada)
        assert kinds(replies) == ["text", *ALBUM, "document", "text"]
        telegram.people.press(replies[-1], "Show it again")
        await telegram.wait_for(lambda: len(telegram.replies(ada)) == len(replies) + 3)
        again = telegram.replies(ada)[-3:]
        assert kinds(again) == ALBUM
        assert is_album(again)


async def test_flood_control_and_a_refused_photo_delay_an_album_and_do_not_part_it(
    telegram: FakeTelegram, model: ModelServer, ada: Person, settings: Settings, serve: Serve
) -> None:
    await asyncio.to_thread(fill, settings.data_dir / "workspaces", ada)
    words = 'Bad Request: failed to send message #2 with the error message "PHOTO_EXT_INVALID"'
    telegram.fail("sendMediaGroup", faults.retry_after(1))
    telegram.fail("sendMediaGroup", faults.server_error())
    telegram.fail("sendMediaGroup", faults.refused(400, words))
    async with serve(settings):
        model.enqueue(text=ANSWER)
        telegram.people.say(ada, "show me the valley")
        await telegram.wait_for(lambda: len(telegram.replies(ada)) == 5)
    replies = telegram.replies(ada)
    assert kinds(replies) == ["text", "document", "document", "document", "document"]
    assert is_album(replies[1:4])
    assert [one.text for one in replies[1:4]] == ["", "", CAPTION]


@pytest.fixture
def folder(tmp_path: Path, telegram: FakeTelegram, model: ModelServer, ada: Person) -> Path:
    """A folder with a configuration, and files to send."""
    (tmp_path / "hermes.yaml").write_text(
        f"""
telegram:
  token: {telegram.token}
  base_url: {telegram.base_url}
  allowed_users: [{ada.id}]
  chat_messages_per_s: 1000
  messages_per_s: 1000
chats:
  streaming: no
{model_section(model)}"""
    )
    fill(tmp_path / "data" / "workspaces", ada)
    return tmp_path


@pytest.mark.parametrize("has_arrived", [True, False])
async def test_a_kill_in_the_middle_of_an_album_neither_doubles_nor_loses_it(
    folder: Path, telegram: FakeTelegram, model: ModelServer, ada: Person, *, has_arrived: bool
) -> None:
    fault = faults.hangs_after() if has_arrived else faults.hangs()
    telegram.fail("sendMediaGroup", fault)
    model.enqueue(text=ANSWER)
    async with running("run", cwd=folder) as first:
        telegram.people.say(ada, "show me the valley")
        await telegram.wait_for(lambda: telegram.calls_of("sendMediaGroup"))
        first.send_signal(signal.SIGKILL)
        await first.wait()
    there = ALBUM if has_arrived else []
    async with running("run", cwd=folder):
        await telegram.wait_for(lambda: last(telegram, ada) == NOTICE)
        replies = telegram.replies(ada)
        assert kinds(replies) == ["text", *there, "document", "text"]
        telegram.people.press(replies[-1], "Show it again")
        await telegram.wait_for(lambda: len(telegram.replies(ada)) == len(replies) + 3)
        assert is_album(telegram.replies(ada)[-3:])
    assert len(model.requests) == 1


async def test_a_kill_right_behind_an_album_leaves_it_as_it_is(
    folder: Path, telegram: FakeTelegram, model: ModelServer, ada: Person
) -> None:
    telegram.fail("sendDocument", faults.hangs())
    model.enqueue(text=ANSWER)
    async with running("run", cwd=folder) as first:
        telegram.people.say(ada, "show me the valley")
        await telegram.wait_for(lambda: telegram.calls_of("sendDocument"))
        first.send_signal(signal.SIGKILL)
        await first.wait()
    async with running("run", cwd=folder):
        await telegram.wait_for(lambda: last(telegram, ada) == NOTICE)
        assert kinds(telegram.replies(ada)) == ["text", *ALBUM, "text"]
        model.enqueue(text="Gladly.")
        telegram.people.say(ada, "thank you")
        await telegram.wait_for(lambda: last(telegram, ada) == "Gladly.")
        telegram.people.react(ada, telegram.replies(ada)[2], "🔥")
        model.enqueue(text="By bus.")
        telegram.people.say(ada, "how do I get there?")
        await telegram.wait_for(lambda: last(telegram, ada) == "By bus.")
    assert "🔥" in str(model.requests[-1].body["messages"][-1])
    assert not any(
        "Message" in call.method and call.method[:4] != "send" for call in telegram.calls
    )
