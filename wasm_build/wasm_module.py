"""A WebAssembly module as a list of sections, with the few of them that a build edits.

Reads and writes exports, globals, memory limits and data segments; everything else stays as bytes.
Binary format: WebAssembly Core Specification, chapter 5. Numbers are LEB128 there: `leb128`.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

from wasm_build.errors import BuildError
from wasm_build.leb128 import read_unsigned, signed, unsigned

HEADER = b"\0asm\1\0\0\0"
CUSTOM, MEMORY, GLOBAL, EXPORT, START, DATA, DATA_COUNT = 0, 5, 6, 7, 8, 11, 12
FUNCTION_KIND, TABLE_KIND, MEMORY_KIND, GLOBAL_KIND = range(4)
I32 = 0x7F
_I32_CONST, _END = 0x41, 0x0B
PAGE = 65536


@dataclass(frozen=True, slots=True)
class Export:
    """What the outside sees under `name`; `index` counts within the kind, imports first."""

    name: str
    kind: int
    index: int


@dataclass(frozen=True, slots=True)
class Global:
    """A global variable; `initial` is its constant expression, end byte included."""

    value_type: int
    is_mutable: bool
    initial: bytes


@dataclass(frozen=True, slots=True)
class Segment:
    """Bytes that stand in memory from `offset` on before anything runs."""

    offset: int
    data: bytes


@dataclass(frozen=True, slots=True)
class Module:
    """A module; immutable, every edit gives another one."""

    sections: tuple[tuple[int, bytes], ...]

    @classmethod
    def parse(cls, binary: bytes) -> "Module":
        """Raises `BuildError` if `binary` is not a core module of version 1."""
        if binary[:8] != HEADER:
            raise BuildError("not a WebAssembly module of version 1")
        sections, position = [], 8
        while position < len(binary):
            identifier = binary[position]
            size, start = read_unsigned(binary, position + 1)
            position = start + size
            if position > len(binary):
                raise BuildError("the WebAssembly module is cut off")
            sections.append((identifier, binary[start:position]))
        return cls(tuple(sections))

    def encode(self) -> bytes:
        """The module as a file holds it."""
        parts = [HEADER]
        for identifier, payload in self.sections:
            parts += [bytes([identifier]), unsigned(len(payload)), payload]
        return b"".join(parts)

    def section(self, identifier: int) -> bytes:
        """The payload of the only section of this kind. Raises `BuildError` without one."""
        for found, payload in self.sections:
            if found == identifier:
                return payload
        raise BuildError(f"the WebAssembly module has no section {identifier}")

    def without(self, *identifiers: int) -> "Module":
        """The module less all sections of these kinds."""
        return replace(
            self, sections=tuple(part for part in self.sections if part[0] not in identifiers)
        )

    def exports(self) -> list[Export]:
        """In the order of the file."""
        payload = self.section(EXPORT)
        count, position = read_unsigned(payload, 0)
        exports = []
        for _ in range(count):
            size, start = read_unsigned(payload, position)
            name = payload[start : start + size].decode()
            kind = payload[start + size]
            index, position = read_unsigned(payload, start + size + 1)
            exports.append(Export(name, kind, index))
        return exports

    def with_exports(self, exports: Iterable[Export]) -> "Module":
        """The module with these exports only."""
        entries = []
        for export in exports:
            name = export.name.encode()
            entries.append(
                unsigned(len(name)) + name + bytes([export.kind]) + unsigned(export.index)
            )
        return self._with(EXPORT, _vector(entries))

    def keeping_exports(self, names: Sequence[str]) -> "Module":
        """The module that exports `names`, in that order. Raises `BuildError` if one is missing."""
        by_name = {export.name: export for export in self.exports()}
        missing = [name for name in names if name not in by_name]
        if missing:
            raise BuildError(f"the compiled module does not export {', '.join(missing)}")
        return self.with_exports(by_name[name] for name in names)

    def globals(self) -> list[Global]:
        """The module's own globals. Raises `BuildError` if one is not an i32 constant."""
        payload = self.section(GLOBAL)
        count, position = read_unsigned(payload, 0)
        found = []
        for _ in range(count):
            value_type, mutability = payload[position : position + 2]
            start = position + 2
            if value_type != I32 or payload[start] != _I32_CONST:
                raise BuildError("the compiled module has a global that is not an i32 constant")
            _, end = read_unsigned(payload, start + 1)
            position = end + 1
            found.append(Global(value_type, bool(mutability), payload[start:position]))
        return found

    def with_globals(self, values: Iterable[Global]) -> "Module":
        """The module with these globals in the place of its own."""
        entries = [bytes([each.value_type, each.is_mutable]) + each.initial for each in values]
        return self._with(GLOBAL, _vector(entries))

    def with_memory_pages(self, pages: int) -> "Module":
        """The module with a memory that starts at `pages` of 64 KiB; a maximum stays."""
        payload = self.section(MEMORY)
        if payload[0] != 1 or payload[1] not in {0, 1}:
            raise BuildError("the compiled module does not have one plain 32-bit memory")
        _, position = read_unsigned(payload, 2)
        return self._with(MEMORY, payload[:2] + unsigned(pages) + payload[position:])

    def with_segments(self, segments: Sequence[Segment]) -> "Module":
        """The module with this memory content, and no other."""
        entries = [
            b"\0" + i32_const(each.offset) + unsigned(len(each.data)) + each.data
            for each in segments
        ]
        module = self._with(DATA, _vector(entries))
        if any(identifier == DATA_COUNT for identifier, _ in self.sections):
            module = module._with(DATA_COUNT, unsigned(len(segments)))
        return module

    def _with(self, identifier: int, payload: bytes) -> "Module":
        self.section(identifier)
        return replace(
            self,
            sections=tuple(
                (found, payload if found == identifier else old) for found, old in self.sections
            ),
        )


def i32_const(value: int) -> bytes:
    """The constant expression of a 32-bit value, given signed or unsigned."""
    as_signed = value - (1 << 32) if value >= 1 << 31 else value
    return bytes([_I32_CONST]) + signed(as_signed) + bytes([_END])


def _vector(entries: Sequence[bytes]) -> bytes:
    return unsigned(len(entries)) + b"".join(entries)
