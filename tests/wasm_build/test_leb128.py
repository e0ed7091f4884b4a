"""LEB128: what is written reads back, and the engine reads the same."""

import pytest
from hypothesis import given
from hypothesis import strategies as st
from wasmtime import Engine, Global, Instance, Module, Store, wat2wasm

from wasm_build import wasm_module
from wasm_build.errors import BuildError
from wasm_build.leb128 import read_unsigned, signed, unsigned

ENGINE = Engine()
ONE_GLOBAL = wasm_module.Module.parse(
    bytes(wat2wasm('(module (global (export "g") (mut i32) (i32.const 0)))'))
)


@given(st.integers(min_value=0, max_value=2**64 - 1), st.binary(max_size=3))
def test_an_unsigned_number_reads_back_and_ends_where_it_ended(value: int, after: bytes) -> None:
    encoded = unsigned(value)
    assert read_unsigned(encoded + after, 0) == (value, len(encoded))


@given(st.integers(min_value=0, max_value=2**64 - 1))
def test_an_unsigned_number_is_as_short_as_it_can_be(value: int) -> None:
    assert len(unsigned(value)) == max(1, -(-value.bit_length() // 7))


@pytest.mark.parametrize(
    ("value", "encoded"),
    [
        (0, "00"),
        (63, "3f"),
        (64, "c000"),
        (-1, "7f"),
        (-64, "40"),
        (-65, "bf7f"),
        (-123456, "c0bb78"),
        (2**31 - 1, "ffffffff07"),
        (-(2**31), "8080808078"),
    ],
)
def test_signed_numbers_are_encoded_as_the_specification_says(value: int, encoded: str) -> None:
    assert signed(value).hex() == encoded


@given(st.integers(min_value=0, max_value=2**32 - 1))
def test_the_engine_reads_a_constant_as_it_was_written(value: int) -> None:
    initial = wasm_module.Global(wasm_module.I32, True, wasm_module.i32_const(value))
    binary = ONE_GLOBAL.with_globals([initial]).encode()
    store = Store(ENGINE)
    found = Instance(store, Module(ENGINE, binary), []).exports(store)["g"]
    assert isinstance(found, Global)
    assert found.value(store) & 0xFFFF_FFFF == value


def test_a_number_that_is_cut_off_is_an_error() -> None:
    with pytest.raises(BuildError, match="ends within a number"):
        read_unsigned(b"\x80\x80", 0)


def test_a_negative_number_is_not_unsigned() -> None:
    with pytest.raises(ValueError, match="-1 is negative"):
        unsigned(-1)
