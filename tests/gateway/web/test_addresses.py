"""Which addresses are the public internet."""

from ipaddress import IPv4Address, ip_address

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from gateway.web.addresses import not_public


@pytest.mark.parametrize(
    "address",
    ["8.8.8.8", "93.184.216.34", "192.0.1.1", "2606:2800:220:1:248:1893:25c8:1946",
     "::ffff:8.8.8.8", "64:ff9b::808:808"],
)  # fmt: skip
def test_public_addresses_are_public(address: str) -> None:
    assert not_public(ip_address(address)) is None


@pytest.mark.parametrize(
    "address",
    ["192.0.0.1", "198.18.0.1", "203.0.113.7", "192.0.2.1", "240.0.0.1", "100.127.255.255",
     "64:ff9b::a00:1", "64:ff9b:1::808:808", "2001:db8::1", "2001::1", "2002:808:808::1",
     "3fff::1", "fe80::1", "fec0::1", "ff02::1", "100::1", "::808:808", "4000::1"],
)  # fmt: skip
def test_special_addresses_are_not(address: str) -> None:
    assert not_public(ip_address(address)) is not None


@given(st.ip_addresses(v=4))
def test_an_address_inside_another_is_judged_alike(address: IPv4Address) -> None:
    mapped = ip_address(f"::ffff:{address}")
    translated = ip_address(f"64:ff9b::{int(address) >> 16:x}:{int(address) & 0xFFFF:x}")
    assert not_public(mapped) == not_public(translated) == not_public(address)


@given(st.ip_addresses(v=4))
def test_what_the_standard_library_calls_special_is_never_public(address: IPv4Address) -> None:
    assume(address.is_private or address.is_multicast or address.is_reserved)
    assert not_public(address) is not None
