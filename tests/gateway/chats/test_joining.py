"""What a person said at once is one message, however many their client made of it."""

from collections.abc import Sequence

import pytest
from hypothesis import given
from hypothesis import strategies as st

from adapters.base import Address, ChatKind, Inbound, MediaKind, Sender
from gateway.chats.joining import MAX_ALBUM, Piece, continues, gathered, joined, wait_s
from tests.fakes.platform import ALICE
from tests.gateway.chats.small_gateway import SmallGateway, Start
from tests.gateway.media.pictures import drawn

CHAT = "telegram:dm:1"
BOB = Sender("2", "Bob")
WINDOW_S = 1.0


def piece(
    text: str = "",
    at: float = 0,
    sender: Sender = ALICE,
    album: str | None = None,
    goes_on: bool = False,
) -> Piece:
    address = Address("telegram", "1", ChatKind.DIRECT)
    return Piece(Inbound("e", address, sender, text, album_id=album, may_go_on=goes_on), at)


# The decision


def test_pictures_of_one_album_belong_together_however_late_they_come() -> None:
    pieces = [piece(album="a"), piece(album="a", at=30), piece(album="b", at=30)]
    assert gathered(pieces, WINDOW_S) == [0, 1]


def test_an_album_ends_with_its_tenth_picture() -> None:
    pieces = [piece(album="a") for _ in range(12)]
    assert gathered(pieces, WINDOW_S) == list(range(MAX_ALBUM))
    assert wait_s(pieces[:10], WINDOW_S, now=0) == 0


def test_a_split_text_is_the_long_piece_and_what_comes_at_once_behind_it() -> None:
    long = piece("x" * 4_096, goes_on=True)
    assert gathered([long, piece("rest", at=0.2), piece("more", at=0.3)], WINDOW_S) == [0, 1]
    assert gathered([long, piece("later", at=1.5)], WINDOW_S) == [0]
    assert gathered([piece("short"), piece("also", at=0.1)], WINDOW_S) == [0]


def test_a_text_of_three_pieces_is_one() -> None:
    pieces = [piece("a", goes_on=True), piece("b", at=0.9, goes_on=True), piece("c", at=1.8)]
    assert gathered(pieces, WINDOW_S) == [0, 1, 2]


def test_what_others_say_in_between_stays_their_own() -> None:
    split = [piece("a", goes_on=True), piece("hi", at=0.1, sender=BOB), piece("b", at=0.2)]
    album = [piece(album="a"), piece("hi", sender=BOB), piece("hm"), piece(album="a")]
    assert gathered(split, WINDOW_S) == [0, 2]
    assert gathered(album, WINDOW_S) == [0, 3]


def test_another_person_can_not_go_on_with_it() -> None:
    assert not continues([piece("a", goes_on=True)], piece("b", sender=BOB), WINDOW_S)
    assert not continues([piece(album="a")], piece(album="a", sender=BOB), WINDOW_S)


@pytest.mark.parametrize(
    ("pieces", "now", "left_s"),
    [
        ([piece("short")], 0, 0),
        ([piece("long", goes_on=True)], 0.25, 0.75),
        ([piece("long", goes_on=True)], 5, 0),
        ([piece("long", goes_on=True), piece("rest", at=0.5)], 0.5, 0),
        ([piece(album="a"), piece(album="a", at=0.5)], 0.5, 1),
    ],
)
def test_it_is_waited_for_only_while_another_piece_may_come(
    pieces: Sequence[Piece], now: float, left_s: float
) -> None:
    assert wait_s(pieces, WINDOW_S, now) == left_s


def test_joined_text_has_all_pieces_and_is_the_first_message() -> None:
    one = joined([piece("a", goes_on=True).message, piece("").message, piece("b").message])
    assert (one.event_id, one.text) == ("e", "a\nb")


PIECES = st.builds(
    lambda sender, album, goes_on: piece("x", 0, sender, album, goes_on),
    st.sampled_from([ALICE, BOB]),
    st.sampled_from([None, None, "a", "b"]),
    st.booleans(),
)


@given(st.lists(PIECES, min_size=1, max_size=12))
def test_whatever_waits_each_message_is_given_out_once_and_only_with_its_writers_own(
    pieces: list[Piece],
) -> None:
    left, given_out = list(enumerate(pieces)), []
    while left:
        places = gathered([one for _, one in left], WINDOW_S)
        assert places[0] == 0
        assert places == sorted(set(places))
        together = [left[place] for place in places]
        assert len({one.message.sender.id for _, one in together}) == 1
        given_out += [number for number, _ in together]
        left = [one for one in left if one not in together]
    assert sorted(given_out) == list(range(len(pieces)))


# The whole way


async def album(gateway: SmallGateway, count: int, chat: str | None = None) -> None:
    for number in range(count):
        picture = gateway.platform.attach(drawn(), MediaKind.IMAGE, f"{number}.png")
        await gateway.platform.say(
            "my cats" if number == 0 else "",
            attachments=[picture],
            album="a",
            chat=chat,
            is_addressed=chat is None or number == 0,
        )


async def test_an_album_of_four_is_one_turn(start: Start) -> None:
    async with start(join_window_s=0.3) as gateway:
        gateway.model.enqueue(text="four cats")
        await album(gateway, 4)
        await gateway.platform.until_shown("four cats")
        await gateway.chats.idle(CHAT)
        content = gateway.request()["messages"][-1]["content"]
        assert [part["type"] for part in content] == ["text", *["image_url"] * 4]
        assert content[0]["text"].startswith("my cats\n\n[Picture inbox/0.png")
        assert len(gateway.model.requests) == 1
        assert await gateway.store.inbound.waiting() == []


async def test_in_a_group_the_rest_of_an_album_needs_no_mention(start: Start) -> None:
    async with start(join_window_s=0.3) as gateway:
        gateway.model.enqueue(text="three cats")
        await album(gateway, 3, chat="-100")
        await gateway.platform.until_shown("three cats", chat="-100")
        content = gateway.request()["messages"][-1]["content"]
        assert [part["type"] for part in content] == ["text", *["image_url"] * 3]


async def test_a_paste_that_was_split_gets_one_answer(start: Start) -> None:
    async with start(join_window_s=5) as gateway:
        gateway.model.enqueue(text="I have read it all")
        await gateway.platform.say("the first half", may_go_on=True)
        await gateway.platform.say("and the second")
        await gateway.platform.until_shown("I have read it all")
        assert gateway.said() == ["the first half\nand the second"]


async def test_a_long_text_that_nothing_follows_is_answered_after_a_moment(start: Start) -> None:
    async with start(join_window_s=0.05) as gateway:
        gateway.model.enqueue(text="that was long")
        await gateway.platform.say("all of it", may_go_on=True)
        await gateway.platform.until_shown("that was long")


async def test_pieces_that_wait_while_an_answer_is_written_are_joined_as_well(
    start: Start,
) -> None:
    async with start(join_window_s=5) as gateway:
        drip = gateway.model.enqueue(text="the first answer", gated=True)
        gateway.model.enqueue(text="to Alice")
        gateway.model.enqueue(text="to Bob")
        await gateway.platform.say("one", chat="-100")
        await drip.started.wait()
        await gateway.platform.say("two, ", chat="-100", may_go_on=True)
        await gateway.platform.say("hello", chat="-100", sender=BOB)
        await gateway.platform.say("and its end", chat="-100")
        drip.release(20)
        await gateway.platform.until_shown("to Alice", "to Bob", chat="-100")
        assert gateway.said(1)[-1].endswith("two, \nand its end")
        assert gateway.said(2)[-1].endswith("hello")


async def test_joined_messages_survive_a_restart_as_one(start: Start) -> None:
    async with start(join_window_s=0.3) as first:
        hanging = first.model.enqueue(text="never comes", gated=True)
        await first.platform.say("the first half", may_go_on=True)
        await first.platform.say("and the second")
        await hanging.started.wait()
    async with start(join_window_s=0.3) as second:
        assert await second.store.inbound.waiting() == []
        for _ in range(2):
            second.model.enqueue(text="I have read it all")
        await second.platform.until(lambda s: "I have read it all" in s.texts)
        await second.chats.idle(CHAT)
        assert second.said() == ["the first half\nand the second"]


async def test_messages_that_were_not_yet_joined_are_joined_after_a_restart(start: Start) -> None:
    async with start(join_window_s=30) as first:
        await first.platform.say("the first half", may_go_on=True)
    async with start(join_window_s=5) as second:
        second.model.enqueue(text="I have read it all")
        await second.platform.say("and the second")
        await second.platform.until_shown("I have read it all")
        assert second.said() == ["the first half\nand the second"]


async def test_a_new_conversation_drops_pieces_that_wait_for_more(start: Start) -> None:
    async with start(join_window_s=30) as gateway:
        await gateway.platform.say("the first half", may_go_on=True)
        await gateway.platform.say("/new")
        await gateway.platform.until(lambda s: "1 message that still waited" in s.last)
        assert gateway.model.requests == []
        assert await gateway.store.inbound.waiting() == []
