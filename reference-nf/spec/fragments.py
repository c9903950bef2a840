# SPDX-License-Identifier: BSD-3-Clause
"""Fragments of IPv4 datagrams (RFC 791): put together before the chain, cut again behind it."""

import struct
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

from spec.checksum import checksum
from spec.packet import ETHERNET_BYTES, Kind, parse

DONT_FRAGMENT, MORE_FRAGMENTS, OFFSET = 0x4000, 0x2000, 0x1FFF
MTU = 1500
LONGEST_FRAME = 9216
MIDDLE_PARTS = 6  # of a datagram, in addition to the first and the last

Key = tuple[bytes, int]  # addresses, identification


@dataclass
class Waiting:
    """The fragments of a datagram so far, by offset."""

    since_ns: int
    first: bytes = b""  # frame
    size: int | None = None  # of the whole payload, once the last fragment is there
    parts: list[tuple[int, bytes]] = field(default_factory=list)
    middle: int = 0

    @property
    def collected(self) -> int:
        return sum(len(data) for _, data in self.parts)


class Reassembly:
    """What the receiving lcore does with fragments."""

    def __init__(self, datagrams: int, timeout_ns: int) -> None:
        self.room, self.timeout_ns = datagrams, timeout_ns
        self.waiting: dict[Key, Waiting] = {}
        self.received = self.merged = self.expired = self.refused = self.datagrams = 0

    def gather(self, frames: Iterable[bytes], now_ns: int) -> list[bytes]:
        """The packets of a batch: whole datagrams stand where the fragment that completed them stood."""
        for key, waiting in list(self.waiting.items()):
            if waiting.since_ns + self.timeout_ns < now_ns:
                self.expired += len(self.waiting.pop(key).parts)
        results = (self._take(frame, now_ns) for frame in frames)
        return [frame for frame in results if frame is not None]

    def report(self) -> dict[str, int]:
        """The counts as in the totals line."""
        held = sum(len(waiting.parts) for waiting in self.waiting.values())
        names = ("received", "merged", "datagrams", "expired", "refused")
        return {name: getattr(self, name) for name in names} | {"held": held}

    def _take(self, frame: bytes, now_ns: int) -> bytes | None:
        packet = parse(frame)
        if packet.version != 4 or packet.kind is not Kind.FRAGMENT:
            return frame
        self.received += 1
        header, data = _split(frame)
        key = (header[12:20], int.from_bytes(header[4:6], "big"))
        known = key in self.waiting
        if not data or (not known and len(self.waiting) >= self.room):
            self.refused += 1
            return None
        waiting = self.waiting.setdefault(key, Waiting(now_ns))
        if not _add(waiting, frame, header, data):
            self.refused += len(self.waiting.pop(key).parts) + 1
            return None
        if waiting.size is None or waiting.collected < waiting.size:
            return None
        del self.waiting[key]
        whole = _whole(waiting)
        if whole is None or len(whole) > LONGEST_FRAME:
            self.refused += len(waiting.parts)
            return None
        self.merged += len(waiting.parts)
        self.datagrams += 1
        return whole


def _split(frame: bytes) -> tuple[bytes, bytes]:
    """Header and payload of the datagram in a frame, without the frame's padding."""
    ip = frame[ETHERNET_BYTES:]
    header = (ip[0] & 15) * 4
    return ip[:header], ip[header : int.from_bytes(ip[2:4], "big")]


def _add(waiting: Waiting, frame: bytes, header: bytes, data: bytes) -> bool:
    """False: a second first or last fragment, or one too many between them."""
    word = int.from_bytes(header[6:8], "big")
    offset = (word & OFFSET) * 8
    if offset == 0:
        fits, waiting.first = not waiting.first, waiting.first or frame
    elif not word & MORE_FRAGMENTS:
        fits, waiting.size = waiting.size is None, offset + len(data)
    else:
        waiting.middle += 1
        fits = waiting.middle <= MIDDLE_PARTS
    if fits:
        waiting.parts.append((offset, data))
    return fits


def _whole(waiting: Waiting) -> bytes | None:
    """The frame of the datagram; None if its parts overlap or leave a gap."""
    payload = b""
    for offset, data in sorted(waiting.parts):
        if offset != len(payload):
            return None
        payload += data
    if len(payload) != waiting.size:
        return None
    header, _ = _split(waiting.first)
    unbroken = int.from_bytes(header[6:8], "big") & DONT_FRAGMENT
    return waiting.first[:ETHERNET_BYTES] + _header(header, len(payload), unbroken) + payload


def _header(header: bytes, payload: int, word: int) -> bytes:
    """The header for so many bytes, with this word of flags and offset, and its sum."""
    made = bytearray(header)
    struct.pack_into(">H", made, 2, len(header) + payload)
    struct.pack_into(">H", made, 6, word)
    struct.pack_into(">H", made, 10, 0)
    struct.pack_into(">H", made, 10, checksum(bytes(made)))
    return bytes(made)


def cut(frame: bytes, mtu: int = MTU) -> Sequence[bytes]:
    """The frames in which a datagram leaves: as it is, or in parts of the MTU."""
    if len(frame) <= ETHERNET_BYTES + mtu:
        return [frame]
    header, payload = _split(frame)
    unbroken = int.from_bytes(header[6:8], "big") & DONT_FRAGMENT
    size = (mtu - len(header)) // 8 * 8
    parts = []
    for at in range(0, len(payload), size):
        data = payload[at : at + size]
        more = MORE_FRAGMENTS if at + size < len(payload) else 0
        word = unbroken | more | at // 8
        parts.append(frame[:ETHERNET_BYTES] + _header(header, len(data), word) + data)
    return parts
