"""Which IP addresses are the public internet. Pure; `guard.py` asks, about names.

What is not known to be public is not: of IPv6 only the global unicast block counts, and of IPv4
all but the special-purpose blocks. Addresses that carry an IPv4 address in them are judged by it.
"""

from ipaddress import IPv4Address, IPv4Network, IPv6Address, IPv6Network

IPAddress = IPv4Address | IPv6Address

# IANA IPv4 Special-Purpose Address Registry (RFC 6890 and later), and multicast.
_NOT_PUBLIC_V4: tuple[tuple[IPv4Network, str], ...] = tuple(
    (IPv4Network(block), what)
    for block, what in (
        ("0.0.0.0/8", "this very machine"),
        ("10.0.0.0/8", "a private network"),
        ("100.64.0.0/10", "a provider's inner network"),  # RFC 6598
        ("127.0.0.0/8", "this very machine"),
        ("169.254.0.0/16", "the local link"),  # clouds serve credentials at 169.254.169.254
        ("172.16.0.0/12", "a private network"),
        ("192.0.0.0/24", "a reserved block"),
        ("192.0.2.0/24", "a block for examples"),
        ("192.88.99.0/24", "a reserved block"),  # RFC 7526: the former 6to4 relays
        ("192.168.0.0/16", "a private network"),
        ("198.18.0.0/15", "a block for measurements"),
        ("198.51.100.0/24", "a block for examples"),
        ("203.0.113.0/24", "a block for examples"),
        ("224.0.0.0/4", "multicast"),
        ("240.0.0.0/4", "a reserved block"),  # 255.255.255.255 too
    )
)

_GLOBAL_UNICAST_V6 = IPv6Network("2000::/3")

# What lies in global unicast and is none: IANA IPv6 Special-Purpose Address Registry. 6to4 and
# Teredo reach IPv4 addresses by a detour that nobody serves any more.
_NOT_PUBLIC_V6: tuple[tuple[IPv6Network, str], ...] = tuple(
    (IPv6Network(block), what)
    for block, what in (
        ("2001::/23", "a reserved block"),  # Teredo, 2001::/32, is in it
        ("2001:db8::/32", "a block for examples"),
        ("2002::/16", "a reserved block"),  # 6to4
        ("3fff::/20", "a block for examples"),  # RFC 9637
    )
)

_NAT64 = IPv6Network("64:ff9b::/96")  # RFC 6052: how networks without IPv4 reach it
_LOW_32_BITS = 0xFFFF_FFFF


def not_public(address: IPAddress) -> str | None:
    """What an address is instead of public, in a few words; None if it is public."""
    inner = _inner_v4(address)
    if inner is not None:
        return next((what for block, what in _NOT_PUBLIC_V4 if inner in block), None)
    if address not in _GLOBAL_UNICAST_V6:
        return "this very machine" if address == IPv6Address("::1") else "no public address"
    return next((what for block, what in _NOT_PUBLIC_V6 if address in block), None)


def _inner_v4(address: IPAddress) -> IPv4Address | None:
    """The IPv4 address that is reached in the end, if it is one."""
    if isinstance(address, IPv4Address):
        return address
    if address in _NAT64:
        return IPv4Address(int(address) & _LOW_32_BITS)
    return address.ipv4_mapped
