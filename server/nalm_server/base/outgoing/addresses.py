# SPDX-License-Identifier: Apache-2.0
"""Which IP addresses are public and which are internal (IANA special-purpose registries)."""

from __future__ import annotations

from collections.abc import Iterator
from ipaddress import IPv4Address, IPv6Address, ip_network

Address = IPv4Address | IPv6Address

NAT64 = ip_network("64:ff9b::/96")
"""RFC 6052: the last 32 bits are the IPv4 address."""
COMPATIBLE = ip_network("::/96")
"""RFC 4291, deprecated: the same."""
INSIDE = (
    ip_network("64:ff9b:1::/48"),  # RFC 8215: translation within one network
    ip_network("100.64.0.0/10"),  # RFC 6598: carriers' own, and one cloud's metadata
    ip_network("192.0.0.0/24"),  # RFC 6890: protocol assignments, and one cloud's metadata
    ip_network("fec0::/10"),  # RFC 3879: site-local, deprecated
    ip_network("168.63.129.16/32"),  # Azure's host, inside every one of its networks
)


def is_world(address: Address) -> bool:
    """True if the address, and each address embedded in it, is reachable from the whole internet."""
    return all(_global(one) for one in (address, *_wrapped(address)))


def _global(address: Address) -> bool:
    if isinstance(address, IPv6Address) and _last_32(address) is not None:
        return True  # the embedded address decides
    return address.is_global and not address.is_multicast and not any(address in one for one in INSIDE)


def _last_32(address: IPv6Address) -> IPv4Address | None:
    if address.ipv4_mapped is not None:
        return address.ipv4_mapped
    if address in NAT64 or (address in COMPATIBLE and int(address) > 1):
        return IPv4Address(int(address) & 0xFFFFFFFF)
    return None


def _wrapped(address: Address) -> Iterator[IPv4Address]:
    """IPv4 addresses that a gateway or the kernel derives from an IPv6 one."""
    if isinstance(address, IPv4Address):
        return
    if (last := _last_32(address)) is not None:
        yield last
    if address.sixtofour is not None:
        yield address.sixtofour
    if address.teredo is not None:
        yield from address.teredo
