"""How much of an agent's memory is its own: pages it has written to, not those of the image.

Linux tells per page, in /proc/self/pagemap. Elsewhere the caller estimates.
"""

import os
import sys
from pathlib import Path

_PAGEMAP = Path("/proc/self/pagemap")
_ENTRY_BYTES = 8
_PAGE_BYTES = os.sysconf("SC_PAGE_SIZE") if hasattr(os, "sysconf") else 4096

# The highest byte of an entry (Documentation/admin-guide/mm/pagemap.rst of the kernel).
_FLAGS_AT = _ENTRY_BYTES - 1 if sys.byteorder == "little" else 0
_PRESENT = 0x80
_SWAPPED = 0x40
_FILE_OR_SHARED = 0x20
_PRIVATE = bytes(
    int(bool(flags & (_PRESENT | _SWAPPED)) and not flags & _FILE_OR_SHARED) for flags in range(256)
)


def private_bytes(address: int, size: int) -> int | None:
    """Bytes in pages that only this process has, in RAM or swapped out, within a range of memory.

    None where the system doesn't tell.
    """
    first = address // _PAGE_BYTES
    count = -(-(address + size) // _PAGE_BYTES) - first
    try:
        with _PAGEMAP.open("rb", buffering=0) as pagemap:
            pagemap.seek(first * _ENTRY_BYTES)
            entries = pagemap.read(count * _ENTRY_BYTES)
    except OSError:
        return None  # not Linux, or a sandbox that hides it
    if len(entries) < count * _ENTRY_BYTES:
        return None
    return entries[_FLAGS_AT::_ENTRY_BYTES].translate(_PRIVATE).count(1) * _PAGE_BYTES
