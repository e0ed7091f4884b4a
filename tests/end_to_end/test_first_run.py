"""The first hour of a new administrator: claim the bot, let somebody in, shut somebody out."""

import re
from pathlib import Path

import pytest

from tests.end_to_end.process import Finished, finished
from tests.end_to_end.serving import MakeSettings, Serve
from tests.fakes.model_server import ModelServer
from tests.fakes.telegram import FakeTelegram, Person

CLAIM_CODE = re.compile(r"^ {4}([A-Z2-9]{4}-[A-Z2-9]{4}-[A-Z2-9]{4})$", re.MULTILINE)
PAIRING_CODE = re.compile(r"\b([A-HJ-NP-Z2-9]{8})\b")


async def answered(telegram: FakeTelegram, person: Person, text: str) -> str:
    """What the bot says to a person's message."""
    before = len(telegram.replies(person))
    telegram.people.say(person, text)
    await telegram.wait_for(lambda: len(telegram.replies(person)) > before)
    return telegram.replies(person)[-1].text


@pytest.fixture
def unowned(make_settings: MakeSettings) -> MakeSettings:
    """Settings that name nobody."""

    def make(**changes: dict[str, object]) -> object:
        return make_settings(telegram={"allowed_users": ()}, **changes)

    return make  # type: ignore[return-value] # the same signature


async def test_a_new_gateway_is_claimed_shared_and_defended(
    telegram: FakeTelegram, model: ModelServer, serve: Serve, unowned: MakeSettings
) -> None:
    ada, bob, eve = (telegram.people.person(name) for name in ("Ada", "Bob", "Eve"))
    async with serve(unowned()) as reports:
        await telegram.wait_for(lambda: len(reports) > 1)
        (code,) = CLAIM_CODE.findall("\n".join(reports))
        assert "nobody yet may talk" in reports[0]

        # Nobody else is served, and nothing of theirs reaches the model.
        assert "I don't know you yet" in await answered(telegram, eve, "hello")
        assert await answered(telegram, ada, code) == (
            "You are an owner of this gateway now. /help lists what you may do."
        )
        assert code not in telegram.describe().replace(f"{code}", "", 1)  # it is never repeated

        given = PAIRING_CODE.findall(await answered(telegram, bob, "/start"))
        listed = await answered(telegram, ada, "/pair")
        assert f"telegram:{bob.id} (Bob)" in listed
        assert f"telegram:{eve.id} (Eve)" in listed
        assert "may talk from now on" in await answered(telegram, ada, f"/pair approve {given[0]}")
        await telegram.wait_for(lambda: "You may talk to me now" in telegram.replies(bob)[-1].text)
        model.enqueue(text="hello Bob")
        assert await answered(telegram, bob, "hello") == "hello Bob"

        assert "is blocked" in await answered(telegram, ada, f"/block {eve.id}")
        said_to_eve = len(telegram.replies(eve))
        telegram.people.say(eve, "let me in!")
        telegram.people.say(eve, "/help")
        model.enqueue(text="still here")
        assert await answered(telegram, ada, "are you there?") == "still here"
        assert len(telegram.replies(eve)) == said_to_eve
        assert len(model.requests) == 2
    async with serve(unowned()) as reports:  # all of it is still so after a restart
        model.enqueue(text="welcome back")
        assert await answered(telegram, bob, "hello again") == "welcome back"
        assert CLAIM_CODE.findall("\n".join(reports)) == []
        assert "1 owner and 1 member may talk" in reports[0]


@pytest.mark.timeout(180)  # nine processes, one after the other
async def test_the_command_line_changes_a_gateway_that_runs(
    telegram: FakeTelegram,
    model: ModelServer,
    serve: Serve,
    unowned: MakeSettings,
    tmp_path: Path,
) -> None:
    async def command(*arguments: str) -> Finished:
        data = str(tmp_path / "data")
        return await finished(*arguments, "--data-dir", data, cwd=tmp_path)

    ada, bob = (telegram.people.person(name) for name in ("Ada", "Bob"))
    async with serve(unowned()) as reports:
        (asked,) = PAIRING_CODE.findall(await answered(telegram, bob, "hello"))
        (first,) = CLAIM_CODE.findall("\n".join(reports))
        (second,) = CLAIM_CODE.findall((await command("owner")).stdout)
        assert await answered(telegram, ada, first) == (
            "That is not the code. `hermes-gateway owner` shows a new one.".replace("`", "")
        )
        assert "You are an owner" in await answered(telegram, ada, second)

        assert f"telegram:{bob.id} (Bob)" in (await command("pair", "list")).stdout
        wrong = await command("pair", "approve", "AAAAAAAA")
        assert (wrong.code, wrong.stdout) == (1, "")
        assert "No open request has this code" in wrong.stderr
        approved = await command("pair", "approve", asked)
        assert (approved.code, approved.stdout) == (
            0,
            f"telegram:{bob.id} (Bob) may talk from now on.\n",
        )
        model.enqueue(text="hello Bob")
        assert await answered(telegram, bob, "hello") == "hello Bob"

        blocked = await command("block", f"telegram:{bob.id}")
        assert blocked.stdout.startswith(f"telegram:{bob.id} is blocked.")
        allowed = await command("allow", f"telegram:{bob.id}")
        assert allowed.stdout == f"telegram:{bob.id} may talk from now on.\n"
        model.enqueue(text="hello again")
        assert await answered(telegram, bob, "and now?") == "hello again"
        assert (await command("allow", "Bob")).code == 1

        removed = await command("owner", "--remove", f"telegram:{ada.id}")
        assert removed.stdout == f"telegram:{ada.id} is no owner any more.\n"
        assert "I don't know you yet" in await answered(telegram, ada, "/pair list")
    odd = await command("owner", "--remove", "Ada")
    assert (odd.code, odd.stdout) == (1, "")
    assert odd.stderr.startswith("hermes-gateway: --remove takes a platform and an id")


async def test_an_allowlist_holds_for_buttons_too(
    telegram: FakeTelegram,
    model: ModelServer,
    serve: Serve,
    make_settings: MakeSettings,
    ada: Person,
) -> None:
    """Case 35, in a group that a stranger can see: pressing another's buttons does nothing."""
    eve = telegram.people.person("Eve")
    group = telegram.people.group("Family")
    async with serve(make_settings()):
        drip = model.enqueue(text="a long story " * 20, gated=True)
        telegram.people.say(ada, "@hermes_test_bot tell us a story", chat=group)
        drip.release(8)
        (growing,) = await telegram.wait_for(lambda: telegram.replies(group))
        query = telegram.people.press(growing, "Stop", by=eve)
        telegram.people.say(eve, "/stop", chat=group)
        telegram.people.say(eve, "@hermes_test_bot hello", chat=group)
        drip.release(1_000)
        await telegram.wait_for(lambda: growing.text.strip().endswith("a long story"))
        await telegram.wait_for(lambda: growing.labels == [])
        assert not query.is_answered
        assert "(stopped)" not in growing.text
        assert telegram.replies(group) == [growing]
        assert len(model.requests) == 1


async def test_guessing_ownership_is_hopeless(
    telegram: FakeTelegram,
    model: ModelServer,
    serve: Serve,
    make_settings: MakeSettings,
    ada: Person,
) -> None:
    eves = [telegram.people.person(f"Eve {number}") for number in range(4)]
    async with serve(make_settings()) as reports:
        await telegram.wait_for(lambda: len(reports) > 1)
        (code,) = CLAIM_CODE.findall("\n".join(reports))
        for eve in eves:
            for _ in range(5):
                telegram.people.say(eve, "AAAA-BBBB-CCCC")
        telegram.people.say(eves[-1], "/start")
        await telegram.wait_for(lambda: len(telegram.replies(eves[-1])) == 4)
        model.enqueue(text="What is that?")
        assert await answered(telegram, ada, code) == "What is that?"  # an old code, a mere word
        assert [len(telegram.replies(eve)) for eve in eves] == [5, 5, 5, 4]
