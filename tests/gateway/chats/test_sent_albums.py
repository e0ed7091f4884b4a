"""Several files of one answer: shown together, once, whatever comes in between."""

from pathlib import Path
from typing import Any

import pytest

from adapters.base import Ambiguous, Part, Rejected
from gateway.chats.lost_replies import NOT_HEARD, NOTICE
from gateway.workspace.workspace import Workspaces
from tests.fakes.hanging import hanging_at
from tests.fakes.platform import FakePlatform, shown_as
from tests.gateway.chats.small_gateway import SmallGateway, Start

ANSWER = "Here:\n\n![Cats](a.png)\n\nMEDIA:b.png\n\n![Foxes](c.png)\n\nMEDIA:d.txt"
NAMES = ["<a.png>", "<b.png>", "<c.png>", "<d.txt>"]


@pytest.fixture
def platform(tmp_path: Path) -> FakePlatform:
    """One that shows up to three files together; the chat's folder holds four."""
    root = Workspaces(tmp_path / "workspaces").of("telegram:dm:1").prepare()
    for name in NAMES:
        (root / name.strip("<>")).write_text(name)
    made = FakePlatform()
    made.album = 3
    return made


def seen(platform: FakePlatform) -> list[str]:
    return [shown_as(part) for part in platform.screens["1"].messages.values()]


def sends(platform: FakePlatform) -> list[str]:
    return [line for line in platform.screens["1"].log if line.startswith("send")]


async def answer(gateway: SmallGateway) -> None:
    gateway.model.enqueue(text=ANSWER)
    await gateway.platform.say("please")
    await gateway.platform.until(lambda s: s.typing > 0)
    await gateway.chats.idle("telegram:dm:1")


async def test_files_that_go_together_are_sent_at_once_with_what_is_said_of_them(
    start: Start, platform: FakePlatform
) -> None:
    async with start(streaming=False, platform=platform) as gateway:
        await answer(gateway)
        assert sends(platform) == ["send Here:", "send <a.png> <b.png> <c.png>", "send <d.txt>"]
        assert seen(platform) == ["Here:", *NAMES]
        screen = platform.screens["1"]
        assert [content.decode() for content in screen.files.values()] == NAMES
        assert screen.texts[1] == "1\\. Cats  \n3\\. Foxes"


async def test_a_reaction_to_any_picture_of_an_album_is_one_to_the_answer(
    start: Start, platform: FakePlatform
) -> None:
    async with start(streaming=False, platform=platform) as gateway:
        await answer(gateway)
        ids = list(platform.screens["1"].messages)
        for id_, emoji in zip(ids, "👍👎🔥🎉👏", strict=True):
            await platform.react(id_, emoji)
        gateway.model.enqueue(text="thanks")
        await platform.say("and?")
        await platform.until_shown("thanks")
        told = gateway.request()["messages"][-1]["content"]
        assert all(emoji in told for emoji in "👍👎🔥🎉👏")


async def test_an_album_that_is_refused_is_a_sentence_that_names_all_of_it(
    start: Start, platform: FakePlatform
) -> None:
    async with start(streaming=False, platform=platform) as gateway:
        send = platform.send

        async def refuse_albums(address: Any, part: Part) -> tuple[str, ...]:
            if len(part.files) > 1:
                raise Rejected("no")
            return await send(address, part)

        platform.send = refuse_albums  # type: ignore[method-assign] # a platform with a whim
        await answer(gateway)
        refused = "I could not send a.png, b.png and c.png: they are refused."
        assert seen(platform) == ["Here:", refused, "<d.txt>"]


async def test_an_album_in_doubt_is_shown_again_only_if_asked_for_and_as_one(
    start: Start, platform: FakePlatform
) -> None:
    async with start(streaming=False, platform=platform) as gateway:
        await answer(gateway)
        platform.screens.clear()
        gateway.model.enqueue(text=ANSWER.removeprefix("Here:"))
        platform.fail("send", Ambiguous("timed out"))
        await platform.say("once more")
        await platform.until_shown(NOT_HEARD)
        assert seen(platform) == ["<d.txt>", NOT_HEARD]
        await platform.press("Show it again")
        await platform.until(lambda s: len(s.messages) == 5)
        assert sends(platform)[-1] == "send <a.png> <b.png> <c.png>"
        assert seen(platform) == ["<d.txt>", NOT_HEARD, *NAMES[:3]]


@pytest.mark.parametrize("arrives", [True, False])
async def test_after_a_kill_while_an_album_is_sent_it_is_not_sent_again_by_itself(
    start: Start, platform: FakePlatform, *, arrives: bool
) -> None:
    async with start(streaming=False, platform=platform) as first:
        with hanging_at(platform, lambda part: len(part.files) > 1, arrives=arrives) as has_come:
            first.model.enqueue(text=ANSWER)
            await platform.say("please")
            await has_come.wait()
    there = NAMES[:3] if arrives else []
    async with start(streaming=False, platform=platform):
        await platform.until_shown(NOTICE)
        assert seen(platform) == ["Here:", *there, "<d.txt>", NOTICE]
        await platform.press("Show it again")
        await platform.until(lambda s: len(s.messages) == len(there) + 6)
        assert seen(platform) == ["Here:", *there, "<d.txt>", NOTICE, *NAMES[:3]]
        assert sends(platform)[-1] == "send <a.png> <b.png> <c.png>"


async def test_after_a_kill_an_album_that_was_sent_is_known_as_a_whole(
    start: Start, platform: FakePlatform
) -> None:
    async with start(streaming=False, platform=platform) as first:
        with hanging_at(platform, lambda part: shown_as(part) == "<d.txt>") as has_come:
            first.model.enqueue(text=ANSWER)
            await platform.say("please")
            await has_come.wait()
    async with start(streaming=False, platform=platform) as second:
        await platform.until_shown(NOTICE)
        assert seen(platform) == ["Here:", *NAMES[:3], NOTICE]
        assert not any(line.startswith(("edit", "delete")) for line in platform.screens["1"].log)
        await platform.react(list(platform.screens["1"].messages)[2], "👍")
        second.model.enqueue(text="thanks")
        await platform.say("and?")
        await platform.until_shown("thanks")
        assert "👍" in second.request()["messages"][-1]["content"]
