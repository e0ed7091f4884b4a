"""The plan that lays together what agents write to."""

import struct

from wasm_build.hot_objects import HOT_TOGETHER, encode_plan, object_numbers

PAGE = 4096


def lone_page(number: int) -> bytes:
    return bytes(PAGE - 12) + struct.pack("<III", 0x0A110CE5, number, 48)


def test_a_plan_says_its_mode_and_two_bits_for_each_object() -> None:
    plan = encode_plan(HOT_TOGETHER, {0: 1, 3: 2, 5: 3})
    assert struct.unpack_from("<II", plan) == (HOT_TOGETHER, 0)
    assert plan[8:10] == bytes([0b10_00_00_01, 0b00_00_11_00])
    assert not any(plan[10:])


def test_an_object_beyond_the_plan_is_left_out() -> None:
    assert encode_plan(HOT_TOGETHER, {1 << 40: 1}) == encode_plan(HOT_TOGETHER, {})


def test_objects_are_known_by_the_label_at_the_end_of_their_page() -> None:
    memory = lone_page(7) + bytes(PAGE) + lone_page(9)
    assert list(object_numbers(memory, [0, 1, 2])) == [7, 9]


def test_pages_that_were_added_after_the_image_hold_no_objects_of_it() -> None:
    assert list(object_numbers(lone_page(7), [1, 2])) == []
