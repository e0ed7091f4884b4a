"""Files that answers speak of: sent once, from where they may come from, and from nowhere else."""

import asyncio
import os
import ssl
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import pytest

from adapters.base import Ambiguous, MediaKind, RateLimited, Unreachable
from config.tools import ToolSettings
from config.web import WebSettings
from gateway.chats.lost_replies import NOT_HEARD, NOTICE
from gateway.web.fetch import Fetcher
from gateway.web.guard import SystemResolver
from gateway.workspace.workspace import Workspaces
from tests.fakes.hanging import hanging_at
from tests.fakes.platform import FakePlatform, Screen, shown_as
from tests.fakes.website import Website, serving
from tests.gateway.chats.small_gateway import SmallGateway, Start

PNG = b"\x89PNG\r\n\x1a\n and the rest"


@pytest.fixture
def workspace(tmp_path: Path) -> Path:
    """The folder of Alice's chat, with a picture in it."""
    root = Workspaces(tmp_path / "workspaces").of("telegram:dm:1").prepare()
    (root / "plots").mkdir()
    (root / "plots" / "cats.png").write_bytes(PNG)
    return root


def seen(screen: Screen) -> list[str]:
    """The texts, and the files in angle brackets."""
    return [shown_as(part) for part in screen.messages.values()]


async def answer(gateway: SmallGateway, text: str) -> Screen:
    gateway.model.enqueue(text=text)
    await gateway.platform.say("please")
    await gateway.platform.until(lambda s: s.typing > 0)
    await gateway.chats.idle("telegram:dm:1")
    return gateway.platform.screens["1"]


async def test_a_file_of_the_workspace_follows_its_text(
    start: Start, workspace: Path, tmp_path: Path
) -> None:
    async with start() as gateway:
        screen = await answer(gateway, "Here are cats:\n\n![Cats](plots/cats.png)\n\nEnjoy.")
        assert seen(screen) == ["Here are cats:\n\nEnjoy.", "<cats.png>"]
        (content,) = screen.files.values()
        assert content == PNG
        part = list(screen.messages.values())[-1]
        (file,) = part.files
        assert (part.text, file.kind) == ("Cats", MediaKind.IMAGE)
        assert not file.path.exists()
        assert not any((tmp_path / "outbox").iterdir())


@pytest.mark.parametrize(
    "path",
    ["plots/cats.png", "/workspace/plots/cats.png", "./plots/cats.png", "ROOT/plots/cats.png"],
)
async def test_a_path_may_be_written_as_programs_see_it(
    start: Start, workspace: Path, path: str
) -> None:
    async with start() as gateway:
        screen = await answer(gateway, f"MEDIA:{path.replace('ROOT', str(workspace))}")
        assert seen(screen) == ["<cats.png>"]


async def test_a_path_that_is_quoted_without_end_is_a_sentence(start: Start) -> None:
    async with start() as gateway:
        screen = await answer(gateway, "Here:\n\nMEDIA:%" + "25" * 3_000)
        assert screen.last.startswith("Here:\n\nI could not send a file:")


@pytest.mark.parametrize(
    "path",
    ["../../secret.txt", "/etc/passwd", "~/secret.txt", "link.txt", "inner/secret.txt", "pipe"],
)
async def test_nothing_comes_from_elsewhere(
    start: Start, workspace: Path, tmp_path: Path, path: str
) -> None:
    (tmp_path / "secret.txt").write_text("secret")
    (workspace / "link.txt").symlink_to(tmp_path / "secret.txt")
    (workspace / "inner").symlink_to(tmp_path)
    os.mkfifo(workspace / "pipe")
    async with start() as gateway:
        screen = await answer(gateway, f"Here:\nMEDIA:{path}")
        assert screen.files == {}
        (text,) = seen(screen)
        assert text.startswith("Here:\n\nI could not send a file: ")
        assert "secret\n" not in text


async def test_another_chats_files_stay_its_own(start: Start, tmp_path: Path) -> None:
    other = await asyncio.to_thread(Workspaces(tmp_path / "workspaces").of("telegram:dm:2").prepare)
    (other / "diary.txt").write_text("mine")
    async with start() as gateway:
        for path in (str(other / "diary.txt"), f"../{other.name}/diary.txt", "diary.txt"):
            screen = await answer(gateway, f"MEDIA:{path}")
        assert screen.files == {}


async def test_a_folder_that_was_named_may_be_sent_from(
    start: Start, tmp_path: Path, workspace: Path
) -> None:
    shared = tmp_path / "shared"
    shared.mkdir()
    (shared / "menu.pdf").write_bytes(b"%PDF")
    (shared / "out").symlink_to(workspace)
    async with start(files_from=[str(shared)]) as gateway:
        screen = await answer(gateway, f"MEDIA:{shared}/menu.pdf")
        assert seen(screen) == ["<menu.pdf>"]
        screen = await answer(gateway, f"MEDIA:{shared}/out/plots/cats.png")
        screen = await answer(gateway, f"MEDIA:{shared}/../secret.txt")
        assert len(screen.files) == 1


async def test_a_file_that_is_too_large_or_empty_is_a_sentence(
    start: Start, workspace: Path
) -> None:
    (workspace / "big.bin").write_bytes(bytes(1_000_001))
    (workspace / "empty.txt").touch()
    async with start(file_mb=1) as gateway:
        screen = await answer(gateway, "MEDIA:big.bin\n\nMEDIA:empty.txt")
        assert screen.texts == [
            (
                "I could not send a file: big.bin is larger than 1 MB.\n\n"
                "I could not send a file: empty.txt is empty."
            )
        ]


async def test_a_file_that_the_platform_refuses_is_a_sentence(
    start: Start, workspace: Path
) -> None:
    async with start(streaming=False) as gateway:
        gateway.platform.takes_files = False
        screen = await answer(gateway, "Here:\n\nMEDIA:plots/cats.png")
        assert seen(screen) == ["Here:", "I could not send cats.png: it is refused."]


@pytest.mark.parametrize("error", [Unreachable("refused"), RateLimited(0)])
async def test_a_file_that_does_not_get_through_is_sent_again(
    start: Start, workspace: Path, error: Unreachable | RateLimited
) -> None:
    async with start(streaming=False) as gateway:
        gateway.platform.fail("send", error, error)
        screen = await answer(gateway, "MEDIA:plots/cats.png")
        assert seen(screen) == ["<cats.png>"]


async def test_a_file_in_doubt_is_sent_again_only_if_asked_for(
    start: Start, workspace: Path
) -> None:
    async with start(streaming=False) as gateway:
        gateway.platform.fail("send", Ambiguous("timed out"))
        screen = await answer(gateway, "MEDIA:plots/cats.png")
        assert seen(screen) == [NOT_HEARD]
        await gateway.platform.press("Show it again")
        screen = await gateway.platform.until(lambda s: len(s.messages) == 2)
        assert seen(screen) == [NOT_HEARD, "<cats.png>"]


async def test_after_a_kill_only_what_was_not_sent_is_sent(start: Start, workspace: Path) -> None:
    text = "Here:\n\nMEDIA:plots/cats.png\n\nMEDIA:b.txt\n\nMEDIA:c.txt"
    (workspace / "b.txt").write_text("b")
    (workspace / "c.txt").write_text("c")
    platform = FakePlatform()
    async with start(streaming=False, platform=platform) as first:
        with hanging_at(platform, lambda part: shown_as(part) == "<b.txt>") as has_come:
            first.model.enqueue(text=text)
            await platform.say("please")
            await has_come.wait()
        assert seen(platform.screens["1"]) == ["Here:", "<cats.png>"]
    async with start(streaming=False, platform=platform):
        screen = await platform.until_shown(NOTICE)
        assert seen(screen) == ["Here:", "<cats.png>", "<c.txt>", NOTICE]
        await platform.press("Show it again")
        await platform.until(lambda s: len(s.messages) == 5)
        assert seen(screen)[-1] == "<b.txt>"
        assert not any(line.startswith("edit") for line in screen.log)


async def test_what_stands_for_a_file_is_not_seen_while_the_text_grows(
    start: Start, workspace: Path
) -> None:
    async with start() as gateway:
        growing = gateway.model.enqueue(
            text="Here are cats:\nMEDIA:plots/cats.png\nand more to say", gated=True
        )
        await gateway.platform.say("please")
        growing.release(100)
        await gateway.platform.until(lambda s: seen(s)[-1:] == ["<cats.png>"])
        screen = gateway.platform.screens["1"]
        assert seen(screen) == ["Here are cats:\nand more to say", "<cats.png>"]
        assert not any("MEDIA" in line for line in screen.log)


async def test_a_preview_in_the_place_of_a_file_makes_room_for_it(
    start: Start, workspace: Path
) -> None:
    async with start() as gateway:
        gateway.platform.limit = 100
        long = "word " * 50  # three messages while it grows
        growing = gateway.model.enqueue(text=f"{long}![Cats](plots/cats.png)", gated=True)
        await gateway.platform.say("please")
        growing.release(100)
        await gateway.platform.until(lambda s: seen(s)[-1:] == ["<cats.png>"])
        screen = gateway.platform.screens["1"]
        assert "".join(screen.texts).startswith(long.strip())


async def test_code_that_would_take_many_messages_goes_as_a_file(start: Start) -> None:
    async with start() as gateway:
        gateway.platform.limit = 100
        code = "print('one more line of code')\n" * 20
        screen = await answer(gateway, f"Run this:\n\n```python\n{code}```\n\nThat is all.")
        assert seen(screen) == [
            "Run this:\n\n*The code is in the file code-1.py.*\n\nThat is all.",
            "<code-1.py>",
        ]
        (content,) = screen.files.values()
        assert content.decode() == code
        short = "```python\nprint('short')\n```"
        screen = await answer(gateway, f"{'word ' * 80}\n{short}")
        assert len(screen.files) == 1


# From the web.


NO_CERTIFICATES = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)


@pytest.fixture
async def site() -> AsyncIterator[Website]:
    async with serving(Website()) as website:
        yield website


@asynccontextmanager
async def fetching(site: Website, *hosts: str) -> AsyncIterator[Fetcher]:
    """A fetcher that may go to these hosts although they are inside."""
    settings = WebSettings(allowed_hosts=hosts, ports=(80, 443, site.port))
    fetcher = Fetcher(settings, NO_CERTIFICATES, SystemResolver())
    try:
        yield fetcher
    finally:
        await fetcher.close()


async def test_a_picture_on_the_web_is_fetched_and_shown(start: Start, site: Website) -> None:
    url = site.page("/cat", PNG, "image/png")
    async with fetching(site, "127.0.0.1") as fetcher, start(fetcher=fetcher) as gateway:
        screen = await answer(gateway, f"Look: ![A cat]({url})")
        assert seen(screen) == ["Look: A cat", "<cat.png>"]
        assert list(screen.files.values()) == [PNG]


async def test_what_is_no_picture_or_is_inside_stays_a_link(start: Start, site: Website) -> None:
    page, cat = site.page("/page", "<html>"), site.page("/cat", PNG, "image/png")
    async with fetching(site, "127.0.0.1") as fetcher, start(fetcher=fetcher) as gateway:
        screen = await answer(gateway, f"![a page]({page})")
        assert seen(screen)[-1] == f"[a page](<{page}>)"
    site.paths.clear()
    async with fetching(site) as fetcher, start(fetcher=fetcher) as gateway:
        screen = await answer(gateway, f"![inside]({cat})")
        assert seen(screen)[-1] == f"[inside](<{cat}>)"
    async with (
        fetching(site, "127.0.0.1") as fetcher,
        start(fetcher=fetcher, fetch_pictures=False) as gateway,
    ):
        screen = await answer(gateway, f"![off]({cat})")
        assert seen(screen)[-1] == f"[off](<{cat}>)"
    assert site.paths == []


@pytest.mark.parametrize(
    "tools",
    [
        {"risks": {"network": "ask"}},
        {"risks": {"network": "deny"}},
        {"toolsets": ["files"]},
        {"rules": [{"users": [1], "deny": ["web_extract"]}]},
    ],
)
async def test_a_picture_is_fetched_only_for_whoever_may_have_pages_fetched(
    start: Start, site: Website, tools: dict[str, Any]
) -> None:
    """Its address says what the model wants it to: it would be a way out for what a chat holds."""
    cat = site.page("/cat", PNG, "image/png")
    async with (
        fetching(site, "127.0.0.1") as fetcher,
        start(fetcher=fetcher, tools=tools) as gateway,
    ):
        screen = await answer(gateway, f"![A cat]({cat}?all=secrets)")
        assert seen(screen) == [f"[A cat](<{cat}?all=secrets>)"]
        assert site.paths == []
        lenient = gateway.host.settings.model_copy(update={"tools": ToolSettings()})
        gateway.host.settings = lenient
        screen = await answer(gateway, f"![A cat]({cat})")
        assert seen(screen)[-1] == "<cat.png>"
