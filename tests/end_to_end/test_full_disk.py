"""A whole process whose disk is full, and has room again later: nothing stops, nothing is lost.

The kernel refuses to let any file grow (RLIMIT_FSIZE, set from outside while the gateway runs),
which SQLite and the log see as they see a disk without room.
"""

import resource
import sys
from pathlib import Path

import pytest

from tests.end_to_end.process import running
from tests.fakes.telegram import FakeTelegram, Person

NO_ROOM_BYTES = 4_096  # every file of ours is longer already


def limit_files(pid: int, size_bytes: int) -> None:
    """Let no file of a process grow beyond this."""
    if sys.platform == "linux":
        _, hard = resource.prlimit(pid, resource.RLIMIT_FSIZE)
        resource.prlimit(pid, resource.RLIMIT_FSIZE, (size_bytes, hard))


@pytest.mark.skipif(sys.platform != "linux", reason="prlimit is Linux's")
async def test_a_full_disk_is_said_and_when_there_is_room_again_all_goes_on(
    tmp_path: Path, telegram: FakeTelegram, ada: Person
) -> None:
    (tmp_path / "hermes.yaml").write_text(
        f"telegram:\n  token: {telegram.token}\n  base_url: {telegram.base_url}\n"
        f"  allowed_users: [{ada.id}]\nlogging:\n  file: hermes.log\n"
    )

    def last() -> str:
        replies = telegram.replies(ada)
        return replies[-1].text if replies else ""

    async with running("run", "--dev", cwd=tmp_path) as gateway:
        telegram.people.say(ada, "remember that my cat is called Luna")
        await telegram.wait_for(lambda: "I will remember" in last())
        limit_files(gateway.pid, NO_ROOM_BYTES)
        telegram.people.say(ada, "remember that my dog is called Rex")
        await telegram.wait_for(lambda: "(error " in last())
        assert "disk" in last() or "stored" in last()
        said = len(telegram.replies(ada))
        telegram.people.say(ada, "/help")
        await telegram.wait_for(lambda: "/stop" in last())
        limit_files(gateway.pid, resource.RLIM_INFINITY)
        telegram.people.say(ada, "what is my cat called?")
        await telegram.wait_for(lambda: "Your cat is called Luna." in last())
        assert len(telegram.replies(ada)) == said + 2
        assert gateway.returncode is None
