# SPDX-License-Identifier: BSD-3-Clause
"""Fragments of IP datagrams (RFC 791; RFC 8200, 4.5; RFC 5722; RFC 6946): put together before the chain, cut
again behind it."""

import struct
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

from spec.checksum import checksum
from spec.packet import (
    AUTHENTICATION,
    DESTINATION_OPTIONS,
    ETHERNET_BYTES,
    FRAGMENT_HEADER,
    HOP_BY_HOP,
    IPV6_BYTES,
    ROUTING,
    Kind,
    Packet,
    parse,
)

DONT_FRAGMENT, MORE_FRAGMENTS, OFFSET = 0x4000, 0x2000, 0x1FFF
MTU = 1500
LONGEST_FRAME = 9216
LONGEST_LENGTH = 65535  # that an IP header can tell
MIDDLE_PARTS = 6  # of a datagram, in addition to the first and the last
PARTS = MIDDLE_PARTS + 2
FRAGMENT_BYTES = 8  # of the fragment header
REFUSALS = ("empty", "uneven", "too_long", "no_room", "contradicts")

Key = tuple[bytes, bytes]  # addresses, identification


@dataclass(frozen=True, slots=True)
class Fragment:
    """head: the frame up to the data, without a fragment header; limit: the longest data of its datagram."""

    key: Key
    head: bytes
    offset: int
    more: bool
    data: bytes
    limit: int

    @property
    def atomic(self) -> bool:
        """Whether it is all of a datagram of version 6, which is not to wait for others (RFC 6946)."""
        return self.offset == 0 and not self.more

    @property
    def unfit(self) -> str | None:
        """Why it fits into no datagram."""
        if not self.data:
            return "empty"
        if self.more and len(self.data) % 8:
            return "uneven"
        return "too_long" if self.offset + len(self.data) > self.limit else None


@dataclass
class Waiting:
    """The fragments of a datagram so far, by offset."""

    since_ns: int
    first: Fragment | None = None
    size: int | None = None  # of the whole payload, once the last fragment is there
    parts: list[tuple[int, bytes]] = field(default_factory=list)
    middle: int = 0

    @property
    def collected(self) -> int:
        return sum(len(data) for _, data in self.parts)


class Reassembly:
    """What the receiving lcore does with fragments, and sending ones with what is too long."""

    def __init__(self, datagrams: int, timeout_ns: int) -> None:
        self.room, self.timeout_ns = datagrams, timeout_ns
        self.waiting: dict[Key, Waiting] = {}
        self.received = self.merged = self.expired = self.datagrams = self.atomic = 0
        self.refused = Counter(dict.fromkeys(REFUSALS, 0))
        self.identifications: dict[bytes, bytes] = {}

    def gather(self, frames: Iterable[bytes], now_ns: int) -> list[bytes]:
        """The packets of a batch: whole datagrams stand where the fragment that completed them stood."""
        for key, waiting in list(self.waiting.items()):
            if waiting.since_ns + self.timeout_ns < now_ns:
                self.expired += len(self.waiting.pop(key).parts)
        results = (self._take(frame, now_ns) for frame in frames)
        return [frame for frame in results if frame is not None]

    def cut(self, frame: bytes) -> Sequence[bytes]:
        """The frames in which a packet leaves; none if it cannot be cut. Of version 6 only what came in
        fragments has an identification, which the stages do not see."""
        return cut(frame, identification=self.identifications.get(_lasting(frame)))

    def report(self) -> dict[str, object]:
        """The counts as in the totals line."""
        held = sum(len(waiting.parts) for waiting in self.waiting.values())
        names = ("received", "merged", "datagrams", "atomic", "expired")
        counts = {name: getattr(self, name) for name in names}
        return counts | {"held": held, "refused": dict(self.refused)}

    def _take(self, frame: bytes, now_ns: int) -> bytes | None:
        packet = parse(frame)
        if packet.kind is not Kind.FRAGMENT:
            return frame
        self.received += 1
        one = _split_v4(packet) if packet.version == 4 else _split_v6(packet)
        if one.atomic:
            self.atomic += 1
            return self._made(one, one.data, 1)
        if one.unfit:
            self._refuse(one.unfit, 1)
            return None
        if one.key not in self.waiting and len(self.waiting) >= self.room:
            self._refuse("no_room", 1)
            return None
        return self._join(one, self.waiting.setdefault(one.key, Waiting(now_ns)))

    def _join(self, one: Fragment, waiting: Waiting) -> bytes | None:
        if not _add(waiting, one):
            del self.waiting[one.key]
            self._refuse("contradicts", len(waiting.parts) + 1)
            return None
        if waiting.size is None or waiting.collected < waiting.size:
            return None
        del self.waiting[one.key]
        payload = _payload(waiting)
        if payload is None or waiting.first is None:
            self._refuse("contradicts", len(waiting.parts))
            return None
        return self._made(waiting.first, payload, len(waiting.parts))

    def _made(self, first: Fragment, payload: bytes, parts: int) -> bytes | None:
        if len(first.head) + len(payload) > LONGEST_FRAME:
            self._refuse("too_long", parts)
            return None
        self.merged += parts
        self.datagrams += 1
        frame = _with_lengths(first.head, payload)
        if frame[ETHERNET_BYTES] >> 4 == 6:
            self.identifications[_lasting(frame)] = first.key[1]
        return frame

    def _refuse(self, why: str, fragments: int) -> None:
        self.refused[why] += fragments


def _split_v4(packet: Packet) -> Fragment:
    """Without the frame's padding."""
    frame = packet.frame
    ip = frame[ETHERNET_BYTES:]
    (word,) = struct.unpack_from(">H", ip, 6)
    head, data = frame[: packet.l4], frame[packet.l4 : packet.end]
    limit = LONGEST_LENGTH - (len(head) - ETHERNET_BYTES)
    more = bool(word & MORE_FRAGMENTS)
    return Fragment((ip[12:20], ip[4:6]), head, (word & OFFSET) * 8, more, data, limit)


def _split_v6(packet: Packet) -> Fragment:
    """Likewise; the header before the fragment header names the one behind it (RFC 8200, 4.5)."""
    frame, at = packet.frame, packet.l4
    following, _, word = struct.unpack_from(">BBH", frame, at)
    head = bytearray(frame[:at])
    head[_named_at(frame, at)] = following
    data = frame[at + FRAGMENT_BYTES : packet.end]
    limit = LONGEST_LENGTH - (at - ETHERNET_BYTES - IPV6_BYTES)
    addresses = frame[ETHERNET_BYTES + 8 : ETHERNET_BYTES + IPV6_BYTES]
    key = (addresses, frame[at + 4 : at + 8])
    return Fragment(key, bytes(head), word & ~7, bool(word & 1), data, limit)


def _headers(frame: bytes) -> Iterable[tuple[int, int, int]]:
    """Of an IPv6 frame's whole extension headers: kind, where that is named, where the header ends."""
    named, at = ETHERNET_BYTES + 6, ETHERNET_BYTES + IPV6_BYTES
    while frame[named] in (HOP_BY_HOP, ROUTING, DESTINATION_OPTIONS, AUTHENTICATION) and at + 8 <= len(frame):
        kind, units = frame[named], frame[at + 1]
        end = at + ((units + 2) * 4 if kind == AUTHENTICATION else (units + 1) * 8)
        if end > len(frame):
            return
        yield kind, named, end
        named, at = at, end


def _named_at(frame: bytes, at: int) -> int:
    """Where the header at this place is named: in the one before it."""
    before, end = ETHERNET_BYTES + 6, ETHERNET_BYTES + IPV6_BYTES
    for _, _, following in _headers(frame):
        if end == at:
            break
        before, end = end, following
    return before


def _add(waiting: Waiting, one: Fragment) -> bool:
    """False: a second first or last fragment, or one too many between them."""
    if one.offset == 0:
        fits, waiting.first = waiting.first is None, waiting.first or one
    elif not one.more:
        fits, waiting.size = waiting.size is None, one.offset + len(one.data)
    else:
        waiting.middle += 1
        fits = waiting.middle <= MIDDLE_PARTS
    if fits:
        waiting.parts.append((one.offset, one.data))
    return fits


def _payload(waiting: Waiting) -> bytes | None:
    """None if the parts overlap (RFC 5722) or leave a gap."""
    payload = b""
    for offset, data in sorted(waiting.parts):
        if offset != len(payload):
            return None
        payload += data
    return payload if len(payload) == waiting.size else None


def _with_lengths(head: bytes, payload: bytes) -> bytes:
    """The frame of a whole datagram."""
    ethernet, ip = head[:ETHERNET_BYTES], head[ETHERNET_BYTES:]
    if ip[0] >> 4 == 4:
        unbroken = int.from_bytes(ip[6:8], "big") & DONT_FRAGMENT
        return ethernet + _header_v4(ip, len(payload), unbroken) + payload
    length = struct.pack(">H", len(ip) - IPV6_BYTES + len(payload))
    return ethernet + ip[:4] + length + ip[6:] + payload


def _header_v4(header: bytes, payload: int, word: int) -> bytes:
    """The header for so many bytes, with this word of flags and offset, and its sum."""
    made = bytearray(header)
    struct.pack_into(">H", made, 2, len(header) + payload)
    struct.pack_into(">H", made, 6, word)
    struct.pack_into(">H", made, 10, 0)
    struct.pack_into(">H", made, 10, checksum(bytes(made)))
    return bytes(made)


def _lasting(frame: bytes) -> bytes:
    """What no stage changes in an IPv6 packet."""
    return frame[ETHERNET_BYTES + 8 :]


def cut(frame: bytes, mtu: int = MTU, identification: bytes | None = None) -> Sequence[bytes]:
    """The frames in which a datagram leaves: as it is, in parts of the MTU, or not at all."""
    if len(frame) <= ETHERNET_BYTES + mtu:
        return [frame]
    packet = parse(frame)
    frame = frame[: packet.end]  # nothing of what is no sound IP packet
    if len(frame) <= ETHERNET_BYTES + mtu:
        return [frame] if frame else []
    if packet.version == 4:
        return _cut_v4(frame, mtu)
    return [] if identification is None else _cut_v6(frame, mtu, identification)


def _cut_v4(frame: bytes, mtu: int) -> Sequence[bytes]:
    ip = frame[ETHERNET_BYTES:]
    size = (ip[0] & 15) * 4
    header, payload = ip[:size], ip[size:]
    word = int.from_bytes(header[6:8], "big") & DONT_FRAGMENT
    return [
        frame[:ETHERNET_BYTES] + _header_v4(header, len(data), word | more * MORE_FRAGMENTS | at // 8) + data
        for at, more, data in _pieces(payload, mtu - len(header))
    ]


def _cut_v6(frame: bytes, mtu: int, identification: bytes) -> Sequence[bytes]:
    """The fragment header stands behind the last header that nodes on the way read (RFC 8200, 4.5)."""
    named, at = ETHERNET_BYTES + 6, ETHERNET_BYTES + IPV6_BYTES
    begins = at
    for kind, _, end in _headers(frame):
        if kind in (HOP_BY_HOP, ROUTING):
            named, at = begins, end
        begins = end
    head = frame[:named] + bytes([FRAGMENT_HEADER]) + frame[named + 1 : at]
    room = mtu - (at - ETHERNET_BYTES) - FRAGMENT_BYTES
    if room < 8 or -(-len(frame[at:]) // (room // 8 * 8)) > PARTS:
        return []
    return [
        _with_lengths(head, struct.pack(">BBH", frame[named], 0, offset | more) + identification + data)
        for offset, more, data in _pieces(frame[at:], room)
    ]


def _pieces(payload: bytes, room: int) -> Iterable[tuple[int, bool, bytes]]:
    """Offset, whether more follows, and data of each part."""
    size = room // 8 * 8
    for at in range(0, len(payload), size):
        yield at, at + size < len(payload), payload[at : at + size]
