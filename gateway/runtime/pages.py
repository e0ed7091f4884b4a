"""Pages of memory: which ones an agent has for itself, and giving back those that it need not have.

All agents share one image; a page becomes an agent's own at the first write to it. CPython writes
much that it takes back, reference counts above all: after a turn a third of an agent's own pages
are again as they are in the image. Linux tells per page, in /proc/self/pagemap, and can be told to
forget a private page and show the image's again. Elsewhere callers estimate.
"""

import ctypes
import os
import sys
from collections.abc import Iterable, Iterator
from itertools import compress, count, groupby
from pathlib import Path
from typing import Final

PAGE_BYTES: Final = os.sysconf("SC_PAGE_SIZE") if hasattr(os, "sysconf") else 4096

_PAGEMAP = Path("/proc/self/pagemap")
_ENTRY_BYTES = 8

# The highest byte of an entry (Documentation/admin-guide/mm/pagemap.rst of the kernel).
_FLAGS_AT = _ENTRY_BYTES - 1 if sys.byteorder == "little" else 0
_PRESENT = 0x80
_SWAPPED = 0x40
_FILE_OR_SHARED = 0x20
_PRIVATE = bytes(
    int(bool(flags & (_PRESENT | _SWAPPED)) and not flags & _FILE_OR_SHARED) for flags in range(256)
)

_MADV_DONTNEED = 4  # Linux, all architectures that wasmtime knows
_ZEROS = ctypes.create_string_buffer(PAGE_BYTES)


def private_pages(address: int, size: int) -> bytes | None:
    """A byte per page of a range, 1 where only this process has it, in RAM or swapped out.

    `address` is at the beginning of a page. None where the system doesn't tell.
    """
    count = -(-size // PAGE_BYTES)
    try:
        with _PAGEMAP.open("rb", buffering=0) as pagemap:
            pagemap.seek(address // PAGE_BYTES * _ENTRY_BYTES)
            entries = pagemap.read(count * _ENTRY_BYTES)
    except OSError:
        return None  # not Linux, or a sandbox that hides it
    if len(entries) < count * _ENTRY_BYTES:
        return None
    return entries[_FLAGS_AT::_ENTRY_BYTES].translate(_PRIVATE)


def private_bytes(address: int, size: int) -> int | None:
    """Bytes in the private pages of a range; None where the system doesn't tell."""
    pages = private_pages(address, size)
    return None if pages is None else pages.count(1) * PAGE_BYTES


class Image:
    """What every agent's memory starts as: `size` bytes at `address`, never written to.

    `owner` is whatever keeps that memory in place. The image must be mapped into agents, as
    wasmtime does where it can lay out a module's data beforehand, and not copied: `is_mapped`.
    """

    def __init__(self, address: int, size: int, owner: object) -> None:
        self._address = address
        self._size = size
        self._owner = owner
        # Content without a private page can only come from a mapping.
        self.is_mapped = private_bytes(address, size) == 0
        if self.is_mapped:
            libc = ctypes.PyDLL(None)  # too short to be worth giving the GIL away
            self._memcmp = libc.memcmp
            self._memcmp.argtypes = (ctypes.c_void_p, ctypes.c_void_p, ctypes.c_size_t)
            self._madvise = libc.madvise
            self._madvise.argtypes = (ctypes.c_void_p, ctypes.c_size_t, ctypes.c_int)

    def give_back(self, address: int, size: int) -> int | None:
        """Drop an agent's private pages that are as in the image, or all zeros beyond it.

        Nothing is lost: the next access finds the same content. No step may run meanwhile. Returns
        the bytes in the private pages that are left; None where the system doesn't tell.
        """
        if not self.is_mapped:
            return private_bytes(address, size)
        pages = private_pages(address, size)
        if pages is None:
            return None
        private = compress(count(), pages)
        given = [number for number in private if self._is_as_before(address, number)]
        for first, length in runs(given):
            self._madvise(address + first * PAGE_BYTES, length * PAGE_BYTES, _MADV_DONTNEED)
        return (pages.count(1) - len(given)) * PAGE_BYTES

    def _is_as_before(self, address: int, number: int) -> bool:
        offset = number * PAGE_BYTES
        before = self._address + offset if offset < self._size else ctypes.addressof(_ZEROS)
        return bool(self._memcmp(address + offset, before, PAGE_BYTES) == 0)


def runs(numbers: Iterable[int]) -> Iterator[tuple[int, int]]:
    """Ascending numbers as (first, count) of those that follow each other."""
    for _, group in groupby(enumerate(numbers), lambda pair: pair[1] - pair[0]):
        members = [number for _, number in group]
        yield members[0], len(members)
