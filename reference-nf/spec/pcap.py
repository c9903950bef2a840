# SPDX-License-Identifier: BSD-3-Clause
"""Reads and writes classic capture files (libpcap 2.4, Ethernet), the form the NF replays and dumps."""

import struct
from collections.abc import Iterable
from pathlib import Path

MAGICS = {0xA1B2C3D4: "<", 0xA1B23C4D: "<", 0xD4C3B2A1: ">", 0x4D3CB2A1: ">"}
LINK_ETHERNET = 1
GLOBAL_HEADER_BYTES = 24
RECORD_HEADER_BYTES = 16


class PcapError(ValueError):
    """The file is not a whole capture of Ethernet frames."""


def read_pcap(path: Path) -> list[bytes]:
    """The frames of a capture, in order, as captured (which may be shorter than on the wire)."""
    data = path.read_bytes()
    if len(data) < GLOBAL_HEADER_BYTES:
        raise PcapError(f"{path}: {len(data)} bytes, no capture header")
    (magic,) = struct.unpack_from("<I", data)
    if magic not in MAGICS:
        raise PcapError(f"{path}: not a classic capture (magic {magic:08x}); pcapng is not read")
    order = MAGICS[magic]
    (link,) = struct.unpack_from(order + "I", data, 20)
    if link != LINK_ETHERNET:
        raise PcapError(f"{path}: link type {link}, expected Ethernet")
    frames, at = [], GLOBAL_HEADER_BYTES
    while at < len(data):
        if at + RECORD_HEADER_BYTES > len(data):
            raise PcapError(f"{path}: the last record's header is truncated")
        (captured,) = struct.unpack_from(order + "I", data, at + 8)
        at += RECORD_HEADER_BYTES
        if at + captured > len(data):
            raise PcapError(f"{path}: the last record is truncated")
        frames.append(data[at : at + captured])
        at += captured
    return frames


def write_pcap(path: Path, frames: Iterable[bytes]) -> None:
    """Writes the frames with time stamps of one microsecond apart, starting at 0."""
    parts = [struct.pack("<IHHiIII", 0xA1B2C3D4, 2, 4, 0, 0, 262144, LINK_ETHERNET)]
    for number, frame in enumerate(frames):
        parts.append(struct.pack("<IIII", number // 10**6, number % 10**6, len(frame), len(frame)))
        parts.append(frame)
    path.write_bytes(b"".join(parts))
