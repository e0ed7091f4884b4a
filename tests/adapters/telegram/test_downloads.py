"""Files that people sent, fetched piece by piece from the file server or a disk."""

from contextlib import aclosing
from pathlib import Path

import pytest

from adapters.base import AdapterError, Attachment, MediaKind, RateLimited, Rejected, Unreachable
from adapters.telegram.adapter import TelegramAdapter
from tests.adapters.telegram.serving import adapter_for
from tests.fakes.telegram import FakeTelegram, faults, media

LARGE = bytes(range(256)) * 2_000


def attachment_of(fake: FakeTelegram, content: bytes, size: int | None = None) -> Attachment:
    file = media.document(fake.files, content, size=size)["document"]
    return Attachment(MediaKind.FILE, file["file_id"])


async def pieces_of(adapter: TelegramAdapter, attachment: Attachment) -> list[bytes]:
    return [piece async for piece in adapter.download(attachment)]


async def test_a_file_comes_in_pieces(fake: FakeTelegram, adapter: TelegramAdapter) -> None:
    pieces = await pieces_of(adapter, attachment_of(fake, LARGE))
    assert b"".join(pieces) == LARGE
    assert len(pieces) > 1
    assert max(map(len, pieces)) <= 65_536


async def test_whoever_has_had_enough_leaves_no_connection_in_use(
    fake: FakeTelegram, adapter: TelegramAdapter
) -> None:
    """More often than there are connections; one that stayed in use would block the next."""
    attachment = attachment_of(fake, LARGE)
    for _ in range(120):
        async with aclosing(adapter.download(attachment)) as pieces:
            async for _piece in pieces:
                break
    assert b"".join(await pieces_of(adapter, attachment)) == LARGE


async def test_an_empty_file_has_no_pieces(fake: FakeTelegram, adapter: TelegramAdapter) -> None:
    assert await pieces_of(adapter, attachment_of(fake, b"")) == []


async def test_a_file_over_20_mb_is_refused_in_words(
    fake: FakeTelegram, adapter: TelegramAdapter
) -> None:
    """Case 39b."""
    with pytest.raises(Rejected, match="larger than 20 MB, the most that Telegram lets bots fetch"):
        await pieces_of(adapter, attachment_of(fake, b"x", size=20 * 1024 * 1024 + 1))


async def test_a_file_that_is_no_longer_there_is_gone(
    fake: FakeTelegram, adapter: TelegramAdapter
) -> None:
    attachment = attachment_of(fake, LARGE)
    fake.files.forget(attachment.ref)
    with pytest.raises(Rejected, match="no longer has the file"):
        await pieces_of(adapter, attachment)


@pytest.mark.parametrize(
    ("method", "fault", "error"),
    [
        ("file", faults.refused(404, "Not Found"), Rejected),
        ("file", faults.bad_gateway(), Unreachable),
        ("file", faults.lost_answer(), Unreachable),
        ("getFile", faults.bad_gateway(), Unreachable),
        ("getFile", faults.lost_answer(), Unreachable),
        ("getFile", faults.garbled(), Unreachable),
        ("getFile", faults.retry_after(3), RateLimited),
        ("getFile", faults.no_message(), Rejected),
    ],
    ids=lambda value: getattr(value, "name", None),
)
async def test_what_goes_wrong_on_the_way_is_an_error_of_ours_without_the_token(
    fake: FakeTelegram,
    adapter: TelegramAdapter,
    method: str,
    fault: faults.Fault,
    error: type[AdapterError],
) -> None:
    """Cut off in the middle, a file is an error and never a shorter file."""
    attachment = attachment_of(fake, LARGE)
    fake.fail(method, fault)
    with pytest.raises(error) as caught:
        await pieces_of(adapter, attachment)
    assert fake.token not in str(caught.value)
    assert await pieces_of(adapter, attachment)  # and the next try works


async def test_a_local_server_gives_files_of_any_size_from_its_disk(tmp_path: Path) -> None:
    async with FakeTelegram(local_folder=tmp_path / "files") as fake:
        adapter = adapter_for(fake, local_files=tmp_path / "files")
        attachment = attachment_of(fake, LARGE, size=30 * 1024 * 1024)
        pieces = await pieces_of(adapter, attachment)
        await adapter.close()
    assert b"".join(pieces) == LARGE
    assert max(map(len, pieces)) <= 65_536
    assert not fake.calls_of("file")


async def test_from_the_disk_nothing_is_read_outside_of_the_folder(tmp_path: Path) -> None:
    async with FakeTelegram(local_folder=tmp_path / "elsewhere") as fake:
        adapter = adapter_for(fake, local_files=tmp_path / "files")
        with pytest.raises(Rejected, match=r"outside of telegram\.local_files"):
            await pieces_of(adapter, attachment_of(fake, LARGE))
        await adapter.close()


async def test_files_may_be_fetched_from_an_address_of_their_own(fake: FakeTelegram) -> None:
    adapter = adapter_for(fake, base_file_url=fake.base_file_url)
    assert await pieces_of(adapter, attachment_of(fake, b"abc")) == [b"abc"]
    await adapter.close()
