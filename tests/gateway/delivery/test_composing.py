"""From a final text to its parts."""

import threading
from collections.abc import Sequence
from pathlib import Path

import pytest

from adapters.base import MediaKind, OutgoingFile, Part, Style
from gateway.delivery.composing import LONG_CHARS, compose, growing
from gateway.delivery.outbox import NotSendable, Outbox, kind_of
from gateway.delivery.references import LongCode, Reference
from tests.fakes.platform import FakePlatform, shown_as


class Shelf:
    """Files by their names; nothing else can be sent."""

    def __init__(self, *names: str) -> None:
        self._names = names
        self.asked: list[str] = []

    async def fetch(self, reference: Reference) -> OutgoingFile:
        self.asked.append(reference.target)
        return self._file(reference.target)

    async def keep(self, code: LongCode) -> OutgoingFile:
        return self._file(code.name)

    def _file(self, name: str) -> OutgoingFile:
        if name not in self._names:
            raise NotSendable(f"*{name}* is not `here`.")
        return OutgoingFile(Path("/shelf") / name, MediaKind.FILE, name)


def texts(parts: Sequence[Part]) -> list[str]:
    return [shown_as(part) for part in parts]


@pytest.mark.parametrize("begun", ["M", "ME", "MEDIA", "MEDIA:", "  MEDIA: ", "MEDIA:a.png"])
async def test_a_line_that_may_come_to_stand_for_a_file_is_not_seen_growing(begun: str) -> None:
    parts = await growing(FakePlatform(), f"Here it is.\n\n{begun}", has_files=True)
    assert [part.text.rstrip("▉ ") for part in parts] == ["Here it is."]
    assert await growing(FakePlatform(), begun, has_files=True) == []


async def test_a_line_that_turns_out_to_be_words_is_seen_growing() -> None:
    (part,) = await growing(FakePlatform(), "Here it is.\n\nMEN", has_files=True)
    assert "MEN" in part.text


async def test_files_follow_the_text_in_their_order_and_each_is_sent_once() -> None:
    shelf = Shelf("a.txt", "b.txt")
    markdown = "MEDIA:b.txt\n\nboth\n\n![a](a.txt)\n\nMEDIA:b.txt"
    assert texts(await compose(FakePlatform(), markdown, shelf)) == ["both", "<b.txt>", "<a.txt>"]
    assert shelf.asked == ["b.txt", "a.txt"]


async def test_a_file_that_can_not_be_sent_is_a_sentence_without_markup() -> None:
    parts = await compose(FakePlatform(), "MEDIA:c.txt", Shelf())
    assert texts(parts) == ["I could not send a file: c.txt is not here."]


async def test_code_that_can_not_be_kept_as_a_file_is_shown_as_it_is() -> None:
    code = "x = '```'\n" * 30
    parts = await compose(FakePlatform(limit=40), f"~~~python\n{code}~~~", Shelf())
    assert "````\n" + code in "".join(texts(parts))


async def test_without_a_source_of_files_a_text_is_only_a_text() -> None:
    assert texts(await compose(FakePlatform(), "MEDIA:a.txt", None)) == ["MEDIA:a.txt"]


@pytest.mark.parametrize(("length", "is_beside"), [(LONG_CHARS - 1, False), (LONG_CHARS, True)])
async def test_a_long_text_is_rendered_beside_the_event_loop(length: int, is_beside: bool) -> None:
    threads: list[threading.Thread] = []

    class Noting(FakePlatform):
        def render(self, markdown: str, style: Style = Style.ANSWER) -> Sequence[Part]:
            threads.append(threading.current_thread())
            return super().render(markdown, style)

    await compose(Noting(), "x" * length, Shelf())
    await growing(Noting(), "x" * length, has_files=True)
    assert len(threads) == 2
    assert all((thread is not threading.main_thread()) is is_beside for thread in threads)


def test_what_an_earlier_run_has_left_in_the_outbox_is_swept(tmp_path: Path) -> None:
    outbox = Outbox(tmp_path / "outbox")
    file = outbox.put("../../a b?.txt", [b"content"], max_bytes=100)
    assert file.path.read_bytes() == b"content"
    assert file.path.parent.parent == tmp_path / "outbox"
    outbox.sweep()
    assert not (tmp_path / "outbox").exists()
    outbox.sweep()


@pytest.mark.parametrize(
    ("name", "kind"),
    [
        ("a.PNG", MediaKind.IMAGE),
        ("a.svg", MediaKind.FILE),
        ("a.ogg", MediaKind.VOICE),
        ("a.mp3", MediaKind.AUDIO),
        ("a.mp4", MediaKind.VIDEO),
        ("a.tar.gz", MediaKind.FILE),
        ("a", MediaKind.FILE),
    ],
)
def test_what_a_file_is_to_a_person_is_told_by_its_name(name: str, kind: MediaKind) -> None:
    assert kind_of(name) is kind
