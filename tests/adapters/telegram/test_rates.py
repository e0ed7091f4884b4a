"""What the fake counts when a hundred chats are busy: the real client, in virtual time."""

import asyncio
import io
from dataclasses import replace
from pathlib import Path

import pytest
from PIL import Image

from adapters.base import MediaKind, OutgoingFile
from adapters.telegram.adapter import TelegramAdapter
from gateway.delivery.persistence import Outcome
from gateway.delivery.references import LongCode, Reference
from gateway.delivery.reply import DeliverySettings, Reply
from tests.adapters.telegram.flooding import LEFT_TO_COLLECTOR, served, stream
from tests.adapters.telegram.serving import address_of
from tests.fakes.telegram import Chat, FakeTelegram, Person, faults

pytestmark = pytest.mark.filterwarnings(LEFT_TO_COLLECTOR)
LONG = "".join(f"Sentence number {n} of a long answer. " for n in range(280))[:10_000].strip()


def test_a_hundred_busy_chats_never_exceed_a_limit() -> None:
    async def work(
        fake: FakeTelegram, adapter: TelegramAdapter, settings: DeliverySettings
    ) -> None:
        people = [fake.people.person(f"Person {number}") for number in range(70)]
        groups = [fake.people.group(f"Group {number}") for number in range(30)]
        places: list[Chat | Person] = [*people, *groups]
        async with asyncio.TaskGroup() as tasks:
            answers = [
                tasks.create_task(
                    stream(adapter, address_of(place), settings, f"For {place.id}: " + "word " * 50)
                )
                for place in places
            ]
        assert {task.result() for task in answers} == {Outcome.SHOWN}
        for place in places:
            [message] = fake.replies(place)
            assert message.text == (f"For {place.id}: " + "word " * 50).strip()
        assert fake.flood.refusals == 0
        assert fake.calls_of("editMessageText")  # what the limits leave is used
        assert fake.calls_of("sendMessageDraft")

    served(work)


def test_a_long_streamed_answer_arrives_once_complete_and_in_order() -> None:
    """Case 18, in a group: three messages, and twenty a minute at the most."""

    async def work(
        fake: FakeTelegram, adapter: TelegramAdapter, settings: DeliverySettings
    ) -> None:
        group = fake.people.group("Kitchen")
        assert await stream(adapter, address_of(group), settings, LONG) is Outcome.SHOWN
        replies = fake.replies(group)
        assert len(replies) == 3
        assert " ".join(message.text for message in replies) == LONG
        assert fake.flood.refusals == 0

    served(work)


@pytest.mark.parametrize("drafts", [True, False])
def test_a_long_answer_arrives_though_telegram_objects_at_every_step(*, drafts: bool) -> None:
    """Cases 14 and 18: another program has used up the limits, so everything is refused first."""

    async def work(
        fake: FakeTelegram, adapter: TelegramAdapter, settings: DeliverySettings
    ) -> None:
        ada = fake.people.person("Ada")
        for method in ("sendMessage", "editMessageText", "sendMessageDraft"):
            fake.fail(method, faults.retry_after(21), times=4)
        assert await stream(adapter, address_of(ada), settings, LONG) is Outcome.SHOWN
        assert " ".join(message.text for message in fake.replies(ada)) == LONG
        assert all("▉" not in message.text for message in fake.replies(ada))

    served(work, drafts=drafts)


class Pictures:
    """Every picture that an answer speaks of is there."""

    def __init__(self, folder: Path) -> None:
        written = io.BytesIO()
        Image.new("L", (4, 4)).save(written, "PNG")
        (folder / "picture.png").write_bytes(written.getvalue())
        self._file = OutgoingFile(folder / "picture.png", MediaKind.IMAGE, "picture.png")

    async def fetch(self, reference: Reference) -> OutgoingFile:
        return replace(self._file, name=reference.target)

    async def keep(self, code: LongCode) -> OutgoingFile:
        return replace(self._file, name=code.name)


def test_albums_of_many_busy_chats_exceed_no_limit_and_all_arrive(tmp_path: Path) -> None:
    """Albums of up to ten, before and behind texts, in chats and groups: each in its order."""
    pictures = Pictures(tmp_path)

    async def work(
        fake: FakeTelegram, adapter: TelegramAdapter, settings: DeliverySettings
    ) -> None:
        people = [fake.people.person(f"Person {number}") for number in range(9)]
        groups = [fake.people.group(f"Group {number}") for number in range(3)]
        places: list[Chat | Person] = [*people, *groups]

        async def converse(place: Chat | Person, most: int) -> None:
            for size in (1, most, 2):
                reply = Reply(adapter, address_of(place), settings, files=pictures)
                text = f"{size} for {place.id}:\n\n"
                text += "\n\n".join(f"MEDIA:{size}-{n}.png" for n in range(size))
                assert await reply.finish(text) is Outcome.SHOWN

        async with asyncio.TaskGroup() as tasks:
            for number, place in enumerate(places):
                tasks.create_task(converse(place, 2 + number % 9))
        for number, place in enumerate(places):
            sizes = [1, 2 + number % 9, 2]
            expected = [kind for size in sizes for kind in ("text", *["photo"] * size)]
            replies = fake.replies(place)
            assert ["photo" if one.is_caption else "text" for one in replies] == expected
            albums = {one.content.get("media_group_id") for one in replies} - {None}
            assert len(albums) == 2
        assert fake.flood.refusals == 0

    served(work, patience_s=0.1)
