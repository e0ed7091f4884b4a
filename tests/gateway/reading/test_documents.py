"""Documents in a workspace, read in parts by a process, and some parts kept."""

import os
from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from gateway.reading import documents as module
from gateway.reading.documents import Documents, kind_of
from gateway.reading.errors import Unreadable
from gateway.reading.readers import Readers
from gateway.reading.source import Source, Text
from gateway.workspace.errors import WorkspaceError
from gateway.workspace.workspace import Workspace
from tests.gateway.reading.pdf_documents import pdf
from tests.gateway.reading.word_documents import word


@pytest.fixture
async def readers() -> AsyncIterator[Readers]:
    made = Readers(1)
    yield made
    await made.close()


@pytest.fixture
def documents(readers: Readers) -> Documents:
    return Documents(readers)


async def text_of(documents: Documents, root: Path, path: str = "a.pdf") -> list[Text]:
    return [part async for part in documents.parts(Workspace(root), path)]


def asked(readers: Readers) -> int:
    """How often the one reader was."""
    (worker,) = readers._idle
    return worker.pages


@pytest.mark.parametrize(
    ("start", "name"),
    [
        (b"%PDF-1.4\n", "PDF"),
        (b"\xef\xbb\xbf\r\n %PDF-2.0", "PDF"),
        (word("Cats purr."), "Word document"),
        (b"A text on %PDF-1.4", None),
        (b"PK\x03\x04 with xl/workbook.xml", None),
        (b"", None),
    ],
    ids=range(6),
)
def test_what_a_document_is_its_beginning_tells(start: bytes, name: str | None) -> None:
    kind = kind_of(start)
    assert (kind and kind.name) == name


async def test_a_document_is_read_in_parts_and_each_only_once(
    documents: Documents, readers: Readers, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(module, "PART_CHARS", 60)
    (tmp_path / "a.pdf").write_bytes(pdf("one " * 10, "two " * 10, "three " * 8))
    parts = await text_of(documents, tmp_path)
    assert [part.text[:14] for part in parts] == [f"## Page {n}\n\n{t}" for n, t in _PAGES]
    assert asked(readers) == 3
    assert await text_of(documents, tmp_path) == parts
    assert asked(readers) == 3


_PAGES = ((1, "one"), (2, "two"), (3, "thr"))


async def test_a_document_that_was_written_anew_is_read_anew(
    documents: Documents, tmp_path: Path
) -> None:
    file = tmp_path / "a.pdf"
    file.write_bytes(pdf("old"))
    os.utime(file, ns=(0, 1))
    assert [part.text for part in await text_of(documents, tmp_path)] == ["## Page 1\n\nold"]
    file.write_bytes(pdf("new"))
    os.utime(file, ns=(0, 2))
    assert [part.text for part in await text_of(documents, tmp_path)] == ["## Page 1\n\nnew"]


async def test_a_document_whose_times_a_program_has_set_back_is_read_anew(
    documents: Documents, tmp_path: Path
) -> None:
    file = tmp_path / "a.pdf"
    file.write_bytes(pdf("Cats purr."))
    os.utime(file, ns=(0, 1))
    assert "purr" in (await text_of(documents, tmp_path))[0].text
    file.write_bytes(pdf("Dogs bark."))
    os.utime(file, ns=(0, 1))
    assert "bark" in (await text_of(documents, tmp_path))[0].text


async def test_only_some_parts_are_kept(
    documents: Documents, readers: Readers, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(module, "HELD_PARTS", 2)
    for name in "abc":
        (tmp_path / f"{name}.pdf").write_bytes(pdf(name))
        await text_of(documents, tmp_path, f"{name}.pdf")
    assert asked(readers) == 3
    await text_of(documents, tmp_path, "c.pdf")
    assert asked(readers) == 3
    await text_of(documents, tmp_path, "a.pdf")
    assert asked(readers) == 4


async def test_a_large_document_goes_through_piece_by_piece(
    documents: Documents, tmp_path: Path
) -> None:
    (tmp_path / "a.pdf").write_bytes(pdf("the last page", filling=os.urandom(5_000_000)))
    (part,) = await text_of(documents, tmp_path)
    assert "the last page" in part.text


async def test_one_that_is_too_large_is_not_read(
    documents: Documents, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(module, "MAX_BYTES", 1024**2)
    (tmp_path / "a.pdf").write_bytes(pdf("x") + bytes(1024**2))
    with pytest.raises(Unreadable, match="larger than the 1 MiB"):
        await text_of(documents, tmp_path)


async def test_a_link_leads_to_nothing(documents: Documents, tmp_path: Path) -> None:
    (tmp_path / "secret.pdf").write_bytes(pdf("secret"))
    root = tmp_path / "workspace"
    root.mkdir()
    (root / "a.pdf").symlink_to(tmp_path / "secret.pdf")
    with pytest.raises(WorkspaceError, match="is a link"):
        await text_of(documents, root)


async def test_one_that_becomes_shorter_meanwhile_breaks_nothing(
    readers: Readers, tmp_path: Path
) -> None:
    content = pdf("cats")
    file = tmp_path / "a.pdf"
    file.write_bytes(content)
    with file.open("rb") as stream:
        source = Source("", "application/pdf", stream=stream, size_bytes=len(content) + 1)
        with pytest.raises(Unreadable):
            await readers.read(source)
        stream.seek(0)
        source = Source("", "application/pdf", stream=stream, size_bytes=len(content))
        assert (await readers.read(source)).text == "## Page 1\n\ncats"
