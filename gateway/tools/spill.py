"""What a tool brings, piece by piece: kept whole in the workspace, and in memory only a preview.

A tool whose output may be long writes it into an `Output` as it comes, so that not even 100 MB
are ever in memory. Secrets are taken out on the way, also where a piece ends in the middle of one.
All methods block: call them off the event loop.
"""

import contextlib
from collections.abc import Callable

from gateway.masking import Mask
from gateway.workspace.errors import WorkspaceError
from gateway.workspace.workspace import Workspace
from gateway.workspace.writing import WorkspaceFile

FOLDER = "tool-results"
MAX_SPILLED_BYTES = 20 * 1024**2
MAX_FILES = 50
"""More of them in one workspace, and the oldest goes."""

_SLICE_BYTES = 65_536
_NOTE_CHARS = 300  # what the note in the middle takes at most


class Output:
    """One tool's output. `finish` says what the model gets to read."""

    def __init__(
        self,
        workspace: Workspace,
        name: str,
        *,
        max_chars: int,
        mask: Mask | None = None,
        max_bytes: int = MAX_SPILLED_BYTES,
    ) -> None:
        self._workspace = workspace
        self._name = name
        self._mask = mask or Mask()
        self._max_bytes = max_bytes
        self._head_bytes = max_chars
        self._tail_bytes = max(max_chars - _NOTE_CHARS, 0) * 3 // 10
        self._head = bytearray()
        self._tail = bytearray()  # the last of what the head has no room for
        self._held = b""  # may be the beginning of a secret
        self._file: WorkspaceFile | None = None
        self._path: str | None = None
        self._is_cut = False  # the file does not hold all of it
        self.size_bytes = 0

    def write(self, piece: bytes | str) -> None:
        """Take more in. What the workspace has no room for is left out, which `finish` says."""
        encoded = piece.encode("utf-8", "replace") if isinstance(piece, str) else piece
        view = memoryview(encoded)
        hold = max(self._mask.longest_bytes - 1, 0)
        for start in range(0, len(view), _SLICE_BYTES):
            masked = self._mask.encoded(self._held + bytes(view[start : start + _SLICE_BYTES]))
            cut = max(len(masked) - hold, 0)
            self._held = masked[cut:]
            self._take(masked[:cut])

    def finish(self) -> str:
        """The whole text if it is short enough, else its ends and where the rest is."""
        self._take(self._held)
        self._held = b""
        if self.size_bytes <= self._head_bytes:
            return self._head.decode("utf-8", "replace")
        self._close()
        head = bytes(self._head[: self._head_bytes - _NOTE_CHARS - self._tail_bytes])
        tail = bytes((self._head + self._tail)[-self._tail_bytes :]) if self._tail_bytes else b""
        left_out = self.size_bytes - len(head) - len(tail)
        shown = [
            head.decode("utf-8", "ignore"),
            self._note(left_out),
            tail.decode("utf-8", "ignore"),
        ]
        return "\n\n".join(shown)

    def discard(self) -> None:
        """Forget all of it: the call has failed."""
        if self._file is not None:
            self._file.discard()
            self._file = None

    def _note(self, left_out: int) -> str:
        if self._path is None:
            kept = "They could not be kept: the workspace has no room."
        elif self._is_cut:
            kept = f"Only its beginning is in {self._path}; read_file shows that."
        else:
            kept = f"All of it is in {self._path}; read_file shows any part."
        return f"[… {left_out:,} of {self.size_bytes:,} bytes are left out here. {kept} …]"

    def _take(self, piece: bytes) -> None:
        if not piece:
            return
        self.size_bytes += len(piece)
        room = self._head_bytes - len(self._head)
        if room > 0:
            self._head += piece[:room]
        if len(piece) > room:
            if self._file is None and not self._is_cut:
                self._open()
            self._keep(piece[max(room, 0) :])
            self._tail += piece[max(room, 0) :]
            del self._tail[: -self._tail_bytes or None]

    def _open(self) -> None:
        self._told(lambda: _prune(self._workspace))
        self._told(self._begin)
        if self._file is None:
            self._is_cut = True
        else:
            self._keep(bytes(self._head))

    def _begin(self) -> None:
        self._file = self._workspace.new_file(FOLDER, f"{self._name}.txt")

    def _keep(self, piece: bytes) -> None:
        file = self._file
        if file is None or self._is_cut:
            self._is_cut = True
        else:
            fits = file.tell() + len(piece) <= self._max_bytes
            self._is_cut = not (fits and self._told(lambda: file.write(piece)))

    def _close(self) -> None:
        file = self._file
        if file is not None and self._told(file.close):
            self._path = f"{FOLDER}/{file.final_name}"

    @staticmethod
    def _told(act: Callable[[], object]) -> bool:
        """Whether something could be done in the workspace."""
        with contextlib.suppress(WorkspaceError):  # the note in the result says so
            act()
            return True
        return False


def _prune(workspace: Workspace) -> None:
    with contextlib.suppress(WorkspaceError):
        files = [entry for entry in workspace.list(FOLDER) if not entry.is_folder]
        files.sort(key=lambda entry: entry.modified_at)
        for entry in files[: max(len(files) - MAX_FILES + 1, 0)]:
            workspace.remove(entry.path)
