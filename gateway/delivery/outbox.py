"""Files on their way out, copied to where nobody but the gateway can change them any more.

What was checked is what is sent: between the check and the upload a program could have put
something else in a file's place. Nothing in here outlives its turn; what a kill leaves is swept at
the next start. All methods block.
"""

import mimetypes
import shutil
import tempfile
from collections.abc import Iterable
from pathlib import Path

from adapters.base import MediaKind, OutgoingFile
from gateway.errors import GatewayError
from gateway.store.private_files import FOLDER_MODE
from gateway.workspace.paths import safe_name

FOLDER_NAME = "outbox"
PIECE_BYTES = 1 << 20

_VOICE = frozenset({".ogg", ".oga", ".opus"})  # what platforms show as spoken words
_PLAIN = frozenset({"image/svg+xml", "image/tiff", "image/x-icon"})  # they don't show these


class NotSendable(GatewayError):
    """A file can't be sent; the text says why, to people."""


class Outbox:
    """The folder of all files that are being sent."""

    def __init__(self, root: Path) -> None:
        self._root = root

    def sweep(self) -> None:
        """Remove what an earlier run has left."""
        shutil.rmtree(self._root, ignore_errors=True)

    def put(self, name: str, pieces: Iterable[bytes], max_bytes: int) -> OutgoingFile:
        """Keep a copy. Raises `NotSendable` if it is larger than that, or can't be kept."""
        name = safe_name(name)
        size_bytes = 0
        try:
            self._root.mkdir(mode=FOLDER_MODE, parents=True, exist_ok=True)
            folder = Path(tempfile.mkdtemp(dir=self._root))
            path = folder / name
            with path.open("xb") as copy:
                for piece in pieces:
                    size_bytes += len(piece)
                    if size_bytes > max_bytes:
                        break
                    copy.write(piece)
        except OSError as error:
            raise NotSendable(f"{name} could not be read, or kept until it is sent.") from error
        file = OutgoingFile(path, kind_of(name), name)
        if 0 < size_bytes <= max_bytes:
            return file
        self.discard(file)
        if size_bytes == 0:
            raise NotSendable(f"{name} is empty.")
        raise NotSendable(f"{name} is larger than {max_bytes / 1_000_000:g} MB.")

    def discard(self, file: OutgoingFile) -> None:
        """Remove a copy."""
        shutil.rmtree(file.path.parent, ignore_errors=True)


def kind_of(name: str) -> MediaKind:
    """What a file is to a person, by its name."""
    if Path(name).suffix.lower() in _VOICE:
        return MediaKind.VOICE
    media_type = mimetypes.guess_type(name)[0] or ""
    if media_type in _PLAIN:
        return MediaKind.FILE
    kinds = {"image": MediaKind.IMAGE, "audio": MediaKind.AUDIO, "video": MediaKind.VIDEO}
    return kinds.get(media_type.partition("/")[0], MediaKind.FILE)
