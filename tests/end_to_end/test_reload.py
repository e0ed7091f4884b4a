"""Settings that are read again by a gateway that runs, in a process of its own."""

import json
import signal
from asyncio.subprocess import Process
from pathlib import Path

import pytest

from tests.end_to_end.process import running
from tests.fakes.telegram import FakeTelegram, Person


@pytest.fixture
def file(tmp_path: Path, telegram: FakeTelegram, ada: Person) -> Path:
    """A configuration for the demo model and Telegram."""
    path = tmp_path / "hermes.yaml"
    path.write_text(
        f"telegram:\n  token: {telegram.token}\n  base_url: {telegram.base_url}\n"
        f"  owners: [{ada.id}]\n  allowed_users: []\nlogging:\n  format: json\n"
    )
    return path


def rewrite(file: Path, before: str, after: str) -> None:
    file.write_text(file.read_text().replace(before, after))


async def logged(gateway: Process, event: str) -> dict[str, object]:
    """The next line of the log with that event."""
    assert gateway.stderr is not None
    while line := await gateway.stderr.readline():
        if line.startswith(b"{") and (found := json.loads(line)).get("event") == event:
            return dict(found)
    raise AssertionError(f"it ended without {event!r}")


async def answered(telegram: FakeTelegram, person: Person, text: str) -> None:
    before = len(telegram.replies(person))
    telegram.people.say(person, text)
    await telegram.wait_for(lambda: len(telegram.replies(person)) > before)


async def test_who_may_talk_is_read_again_at_a_signal(
    file: Path, telegram: FakeTelegram, ada: Person
) -> None:
    bob = telegram.people.person("Bob")
    async with running("run", "--dev", cwd=file.parent) as gateway:
        await answered(telegram, ada, "hello")
        telegram.people.say(bob, "let me in")
        await answered(telegram, ada, "hello again")
        rewrite(file, "allowed_users: []", f"allowed_users: [{bob.id}]")
        rewrite(file, "logging:", "http:\n  port: 0\nlogging:")
        gateway.send_signal(signal.SIGHUP)
        told = await logged(gateway, "settings reloaded")
        assert told["changed"] == ["telegram.allowed_users"]
        assert told["at_the_next_start"] == ["http.port"]
        await answered(telegram, bob, "and now?")


async def test_a_mistake_changes_nothing_and_is_told(
    file: Path, telegram: FakeTelegram, ada: Person
) -> None:
    async with running("run", "--dev", cwd=file.parent) as gateway:
        await answered(telegram, ada, "hello")
        rewrite(file, "owners:", "onwers:")
        gateway.send_signal(signal.SIGHUP)
        told = await logged(gateway, "settings not reloaded")
        assert "hermes.yaml:4" in str(told["reason"])
        await answered(telegram, ada, "are you there?")
        telegram.people.say(ada, "/reload")
        await telegram.wait_for(lambda: "because of a mistake" in telegram.replies(ada)[-1].text)
        rewrite(file, "onwers:", "owners:")
        rewrite(file, "logging:", "chats:\n  busy: steer\nlogging:")
        telegram.people.say(ada, "/reload")
        await telegram.wait_for(lambda: "chats.busy" in telegram.replies(ada)[-1].text)


async def test_only_owners_reload(file: Path, telegram: FakeTelegram) -> None:
    bob = telegram.people.person("Bob")
    rewrite(file, "allowed_users: []", f"allowed_users: [{bob.id}]")
    async with running("run", "--dev", cwd=file.parent):
        await answered(telegram, bob, "/reload")
        assert "for the owners" in telegram.replies(bob)[-1].text
