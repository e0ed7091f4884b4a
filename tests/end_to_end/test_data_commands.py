"""`hermes-gateway chats | export | forget | backup`."""

import json
import stat
from pathlib import Path

import pytest

from tests.end_to_end.process import finished, running
from tests.fakes.telegram import FakeTelegram, Person


@pytest.fixture
def folder(tmp_path: Path, telegram: FakeTelegram, ada: Person) -> Path:
    """A folder with a configuration for the demo model."""
    (tmp_path / "hermes.yaml").write_text(
        f"telegram:\n  token: {telegram.token}\n  base_url: {telegram.base_url}\n"
        f"  allowed_users: [{ada.id}]\n"
    )
    return tmp_path


def mode(path: Path) -> int:
    return stat.S_IMODE(path.stat().st_mode)


async def test_a_persons_data_is_listed_exported_backed_up_and_deleted(
    folder: Path, telegram: FakeTelegram, ada: Person
) -> None:
    person = f"telegram:{ada.id}"
    async with running("run", "--dev", cwd=folder) as gateway:
        telegram.people.say(ada, "remember that my cat is called Luna")
        await telegram.wait_for(
            lambda: any("I will remember" in reply.text for reply in telegram.replies(ada))
        )
        # All of this beside a gateway that runs.
        listed = await finished("chats", cwd=folder)
        assert listed.stdout.splitlines()[1].startswith(f"telegram:dm:{ada.id} ")
        exported = await finished("export", person, "--json", "-o", "ada.json", cwd=folder)
        assert exported.code == 0
        assert "Luna" in str(json.loads((folder / "ada.json").read_text())["sessions"])
        copied = await finished("backup", "copy.db", cwd=folder)
        assert copied.code == 0
        refused = await finished("forget", person, "--yes", cwd=folder)
        assert refused.code == 1
        assert "Another gateway" in refused.stderr
        gateway.terminate()
        await gateway.wait()
    assert (mode(folder / "ada.json"), mode(folder / "copy.db")) == (0o600, 0o600)
    asked = await finished("forget", person, cwd=folder, stdin="n\n")
    assert asked.code == 1
    done = await finished("forget", person, "--yes", cwd=folder)
    assert "Deleted: 1 sessions" in done.stdout
    gone = await finished("export", person, cwd=folder)
    assert gone.code == 1
    assert "Nothing is stored" in gone.stderr
    # The backup, put back into its place.
    (folder / "copy.db").replace(folder / "data" / "hermes.db")
    for name in ("hermes.db-wal", "hermes.db-shm"):
        (folder / "data" / name).unlink(missing_ok=True)
    back = await finished("export", person, cwd=folder)
    assert "Luna" in back.stdout


async def test_mistakes_are_sentences(tmp_path: Path) -> None:
    for arguments in (["chats"], ["export", "telegram:1"], ["backup", "copy.db"]):
        run = await finished(*arguments, cwd=tmp_path)
        assert run.code == 1
        assert run.stderr.startswith("hermes-gateway: There is no database at ")
    assert not (tmp_path / "data").exists()
