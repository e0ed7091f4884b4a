"""LEB128, the variable-length integers of the WebAssembly binary format."""

from wasm_build.errors import BuildError


def read_unsigned(data: bytes, position: int) -> tuple[int, int]:
    """The number at `position`, and the position after it. Raises `BuildError` at the end."""
    value = shift = 0
    while True:
        if position >= len(data):
            raise BuildError("the WebAssembly module ends within a number")
        byte = data[position]
        position += 1
        value |= (byte & 0x7F) << shift
        shift += 7
        if byte < 0x80:
            return value, position


def unsigned(value: int) -> bytes:
    """The shortest encoding of a number that is not negative."""
    if value < 0:
        raise ValueError(f"{value} is negative")
    encoded = bytearray()
    while value >= 0x80:
        encoded.append(value & 0x7F | 0x80)
        value >>= 7
    encoded.append(value)
    return bytes(encoded)


def signed(value: int) -> bytes:
    """The shortest encoding of a number of either sign (bit 6 of the last byte is the sign)."""
    encoded = bytearray()
    while not -64 <= value < 64:
        encoded.append(value & 0x7F | 0x80)
        value >>= 7
    encoded.append(value & 0x7F)
    return bytes(encoded)
