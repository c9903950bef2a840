# SPDX-License-Identifier: Apache-2.0
"""UDP packets in Ethernet frames, for generators that send what they are given."""

from __future__ import annotations

import struct
from ipaddress import IPv4Address

CHECK_SEQUENCE = 4
FIRST_PORT, SERVICE_PORT = 1024, 5000
UDP_SOURCE_AT = 14 + 20
"""Offset of the UDP source port, which tells flows apart."""


def udp_frame(source: IPv4Address, destination: IPv4Address, size: int) -> bytes:
    """A frame of `size` bytes with check sequence, which is not included. Its Ethernet addresses are 0, and
    its UDP checksum is not used (0), so that the source port may change."""
    payload = bytes(size - CHECK_SEQUENCE - 14 - 20 - 8)
    udp = struct.pack("!HHHH", FIRST_PORT, SERVICE_PORT, 8 + len(payload), 0) + payload
    head = struct.pack(
        "!BBHHHBBH4s4s", 0x45, 0, 20 + len(udp), 0, 0, 64, 17, 0, source.packed, destination.packed
    )
    head = head[:10] + struct.pack("!H", _checksum(head)) + head[12:]
    return bytes(12) + b"\x08\x00" + head + udp


def _checksum(head: bytes) -> int:
    total: int = sum(struct.unpack(f"!{len(head) // 2}H", head))
    while total >> 16:
        total = (total & 0xFFFF) + (total >> 16)
    return ~total & 0xFFFF
