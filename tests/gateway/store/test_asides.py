"""What is told with the next message of a chat: kept until then, once, and within bounds."""

from datetime import timedelta
from typing import Any

from gateway.store.inbound import Aside, AsideKind, Incoming
from gateway.store.sqlite import SqliteStore

CHAT, OTHER = "telegram:dm:1", "telegram:dm:2"
ANN, BEN = "telegram:1", "telegram:2"


def event(event_id: str, chat: str = CHAT, event: str = "{}") -> Incoming:
    return Incoming("telegram", event_id, chat, event)


def aside(said: str, person: str = ANN, kind: AsideKind = "done", chat: str = CHAT) -> Aside:
    return Aside(chat, kind, person, f"Name of {person}", said)


async def told(store: SqliteStore, event_id: str, chat: str = CHAT) -> str | None:
    """What a message of a chat goes with."""
    kept = await store.inbound.take_telling(
        event(event_id, chat), lambda _, asides: ",".join(one.text for one in asides)
    )
    return "" if kept == "{}" else kept


async def test_it_is_told_in_its_order_with_one_message_of_its_chat(store: SqliteStore) -> None:
    for number in ("1", "2"):
        assert await store.inbound.take_aside(event(number), aside(f"said {number}"), 20)
    await store.inbound.take_aside(event("3", OTHER), aside("elsewhere", chat=OTHER), 20)
    assert await told(store, "4") == "said 1,said 2"
    assert await told(store, "5") == ""
    assert await told(store, "6", OTHER) == "elsewhere"


async def test_an_event_that_comes_again_is_noted_and_told_no_second_time(
    store: SqliteStore,
) -> None:
    assert await store.inbound.take_aside(event("1"), aside("said"), 20)
    assert not await store.inbound.take_aside(event("1"), aside("said"), 20)
    assert await told(store, "2") == "said"
    assert await told(store, "2") is None
    assert not await store.inbound.take_aside(event("1"), aside("said"), 20)
    assert await told(store, "3") == ""


async def test_what_went_with_a_message_that_came_to_nothing_is_told_again(
    store: SqliteStore,
) -> None:
    await store.inbound.take_aside(event("1"), aside("said"), 20)
    for event_id, state in (("2", "refused"), ("3", "dropped")):
        assert await told(store, event_id) == "said"
        await store.inbound.settle("telegram", event_id, state)  # type: ignore[arg-type]
    assert await told(store, "4") == "said"
    await store.inbound.settle("telegram", "4", "begun")
    assert await told(store, "5") == ""


async def test_of_a_chat_only_the_last_of_each_kind_are_kept(store: SqliteStore) -> None:
    await store.inbound.take_aside(event("done"), aside("done"), 3)
    for number in range(5):
        await store.inbound.take_aside(event(str(number)), aside(str(number), kind="overheard"), 3)
    assert await told(store, "next") == "done,2,3,4"


async def test_what_nobody_asked_for_in_a_month_is_forgotten(
    store: SqliteStore, clock: Any
) -> None:
    await store.inbound.take_aside(event("1"), aside("long ago"), 20)
    clock.move(timedelta(days=31))
    await store.inbound.take_aside(event("2"), aside("today"), 20)
    assert await told(store, "3") == "today"


async def test_who_is_forgotten_is_in_no_aside(store: SqliteStore) -> None:
    group = "telegram:group:-100"
    for number, person in enumerate((ANN, BEN)):
        said = aside(f"said by {person}", person, "overheard", group)
        await store.inbound.take_aside(event(str(number), group), said, 20)
    ((chat, said_in_group),) = (await store.people.data_of(ANN)).not_told
    assert (chat, said_in_group) == (group, f"said by {ANN}")
    await store.people.forget(ANN)
    assert (await store.people.data_of(ANN)).not_told == []
    assert await told(store, "next", group) == f"said by {BEN}"
