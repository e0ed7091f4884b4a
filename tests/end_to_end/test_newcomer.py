"""The way of a newcomer: init, check, run, own the bot, let one person in, shut one out.

Every command is a process of its own, every person writes over Telegram.
"""

import re
import signal
from asyncio.subprocess import Process
from pathlib import Path

from tests.end_to_end.process import finished, running
from tests.fakes.telegram import FakeTelegram, Person

CLAIM_CODE = re.compile(r"^\s+(\w{4}-\w{4}-\w{4})$")
PAIRING_CODE = re.compile(r"`?\b([A-Z2-9]{8})\b`?")


async def claim_code(gateway: Process) -> str:
    """The code that makes an owner, as the terminal shows it at the start."""
    assert gateway.stderr is not None
    while line := (await gateway.stderr.readline()).decode():
        if found := CLAIM_CODE.match(line.rstrip("\n")):
            return found[1]
    raise AssertionError("it ended without showing a code")


async def set_up(folder: Path, telegram: FakeTelegram) -> None:
    """What a newcomer answers: the demo, a token, and no id, since who knows theirs?"""
    init = await finished(
        "init", cwd=folder, stdin=f"6\n{telegram.token}\n\n\n", OLLAMA_HOST="127.0.0.1:9"
    )
    assert init.code == 0, init.stderr
    assert "shows a code" in init.stdout
    file = folder / "hermes.yaml"
    assert telegram.token not in file.read_text()
    file.write_text(
        file.read_text().replace("  token:", f"  base_url: {telegram.base_url}\n  token:")
    )


async def said(telegram: FakeTelegram, person: Person, text: str) -> str:
    """The bot's reply to a person that holds this text."""

    def found() -> str | None:
        texts = (reply.text for reply in reversed(telegram.replies(person)))
        return next((one for one in texts if text in one), None)

    return str(await telegram.wait_for(found))


async def test_a_newcomer_sets_up_owns_the_bot_and_says_who_may_talk(
    tmp_path: Path, telegram: FakeTelegram, ada: Person
) -> None:
    bob, eve = telegram.people.person("Bob"), telegram.people.person("Eve")
    await set_up(tmp_path, telegram)
    check = await finished("check", cwd=tmp_path)
    assert check.code == 0, check.stdout
    assert "nobody yet may talk" in check.stdout

    async with running("run", cwd=tmp_path) as gateway:
        code = await claim_code(gateway)
        telegram.people.say(ada, code)
        await said(telegram, ada, "owner")
        telegram.people.say(ada, "hello")
        await said(telegram, ada, "Demo model")

        for stranger in (bob, eve):
            telegram.people.say(stranger, "let me in")
        asked = await said(telegram, bob, "I don't know you yet")
        await said(telegram, eve, "I don't know you yet")
        pairing = PAIRING_CODE.search(asked)
        assert pairing is not None
        telegram.people.say(ada, f"/pair approve {pairing[1]}")
        await said(telegram, bob, "You may talk to me now.")
        telegram.people.say(bob, "hello")
        await said(telegram, bob, "Demo model")

        telegram.people.say(ada, f"/block {eve.id}")
        await said(telegram, ada, f"{eve.id} is blocked")
        before = len(telegram.replies(eve))
        telegram.people.say(eve, "and me?")
        telegram.people.say(bob, "/whoami")  # updates come in order: hers was looked at before his
        await said(telegram, bob, "a member")
        assert len(telegram.replies(eve)) == before

        beside = await finished("check", cwd=tmp_path)
        assert beside.code == 0, beside.stdout
        assert "1 owner and 1 member may talk" in beside.stdout
        for person, role in ((ada, "owner"), (bob, "member"), (eve, "blocked")):
            assert re.search(rf"telegram:{person.id}: {role}", beside.stdout)

        gateway.send_signal(signal.SIGTERM)
        assert await gateway.wait() == 0
    everything = check.stdout + check.stderr + beside.stdout + beside.stderr
    assert telegram.token not in everything
