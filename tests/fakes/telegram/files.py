"""The files that the server holds, and how it gives them out ("Sending files", "getFile").

A file is found by its id, and fetched from a path that is made when it is asked for. The official
server gives bots up to 20 MB; one that runs with `--local` gives files of any size, by their path
on its own disk ("Using a Local Bot API Server").
"""

import itertools
from dataclasses import dataclass
from pathlib import Path

from tests.fakes.telegram.errors import bad_request
from tests.fakes.telegram.world import Json

LARGEST_DOWNLOAD = 20 * 1024 * 1024
_UNKNOWN = "wrong file_id or the file is temporarily unavailable"


@dataclass(frozen=True, slots=True)
class StoredFile:
    """A file; `size` may be a claim, for files that are too large to be made."""

    id: str
    unique_id: str
    path: str  # below the server's file address
    content: bytes
    size: int

    def to_json(self) -> Json:
        """What all kinds of files have in common."""
        return {"file_id": self.id, "file_unique_id": self.unique_id, "file_size": self.size}


class Files:
    """All files of a server; `folder` is set if it runs with `--local`."""

    def __init__(self, folder: Path | None = None) -> None:
        self._folder = folder
        self._files: dict[str, StoredFile] = {}
        self._numbers = itertools.count(1)

    def put(self, content: bytes, folder: str, suffix: str, size: int | None = None) -> StoredFile:
        """Keep a file, e.g. in `photos` with `.jpg`."""
        number = next(self._numbers)
        file = StoredFile(
            id=f"BQACAgIAAxkBAAI{number:06}",
            unique_id=f"AgAD{number:06}",
            path=f"{folder}/file_{number}{suffix}",
            content=content,
            size=len(content) if size is None else size,
        )
        self._files[file.id] = file
        return file

    def find(self, file_id: str) -> StoredFile:
        """The file with this id. Raises `ApiError`."""
        if file_id not in self._files:
            raise bad_request(_UNKNOWN)
        return self._files[file_id]

    def all(self) -> list[StoredFile]:
        """Every file there is."""
        return list(self._files.values())

    def forget(self, file_id: str) -> None:
        """Let a file be gone."""
        del self._files[file_id]

    def at(self, path: str) -> StoredFile | None:
        """The file at this path of the file address."""
        return next((file for file in self._files.values() if file.path == path), None)

    def describe(self, file_id: str) -> Json:
        """A `File`, as `getFile` answers. Raises `ApiError`."""
        file = self.find(file_id)
        if self._folder is not None:
            place = self._folder / file.path
            place.parent.mkdir(parents=True, exist_ok=True)
            place.write_bytes(file.content)
            return file.to_json() | {"file_path": str(place)}
        if file.size > LARGEST_DOWNLOAD:
            raise bad_request("file is too big")
        return file.to_json() | {"file_path": file.path}
