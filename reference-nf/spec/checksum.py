# SPDX-License-Identifier: BSD-3-Clause
"""The Internet checksum (RFC 1071) and its incremental update (RFC 1624)."""

import struct


def ones_complement_sum(data: bytes) -> int:
    """16-bit one's complement sum of `data`, an odd last byte padded with zero (RFC 1071, section 1)."""
    if len(data) % 2:
        data += b"\0"
    total = sum(struct.unpack(f">{len(data) // 2}H", data))
    while total >> 16:
        total = (total & 0xFFFF) + (total >> 16)
    return int(total)


def checksum(data: bytes) -> int:
    """The checksum to put into a header whose checksum field is zero."""
    return ~ones_complement_sum(data) & 0xFFFF


def update(old_checksum: int, old: bytes, new: bytes) -> int:
    """HC' = ~(~HC + ~m + m') of RFC 1624, equation 3; `old` and `new` have the same even length."""
    inverted = bytes(byte ^ 0xFF for byte in old)
    words = (~old_checksum & 0xFFFF).to_bytes(2, "big") + inverted + new
    return ~ones_complement_sum(words) & 0xFFFF
