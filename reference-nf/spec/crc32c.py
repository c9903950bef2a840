# SPDX-License-Identifier: BSD-3-Clause
"""The hash that distributes flows: CRC32C (Castagnoli; RFC 3720, appendix B.4) as the processor's instruction
computes it, without inversions."""

POLYNOMIAL = 0x82F63B78  # reflected


def _table() -> list[int]:
    table = []
    for byte in range(256):
        crc = byte
        for _ in range(8):
            crc = crc >> 1 ^ (POLYNOMIAL if crc & 1 else 0)
        table.append(crc)
    return table


TABLE = _table()


def crc32c(data: bytes, seed: int = 0) -> int:
    """32 bits over the bytes, starting with `seed`."""
    crc = seed
    for byte in data:
        crc = crc >> 8 ^ TABLE[(crc ^ byte) & 0xFF]
    return crc
