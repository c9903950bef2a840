# SPDX-License-Identifier: BSD-3-Clause
"""What the traffic generator must send: sizes and their mix, stamps, shares of flows. See docs/traffic.md."""

import struct
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise

from spec.checksum import checksum, ones_complement_sum

STAMP = struct.Struct(">BBIIQ")
STAMP_MARK = 0xA7
REPLY = 1 << 31
FRAME_CHECK_BYTES = 4
IP_AT, UDP_AT, PAYLOAD_AT = 14, 34, 42

# Bytes of a frame with its check sequence, and its share. IMIX: IP packets of 40, 576, 1500 bytes, 7:4:1
SIZES = (64, 128, 256, 512, 1024, 1500, 1518)
MIXES = {str(size): {size: 1} for size in SIZES} | {"imix": {64: 7, 594: 4, 1518: 1}}


MIXED_TYPES = (0x88B5, 0x0800, 0x86DD)
"""EtherTypes of profile mix, in turn."""
UDP6_AT, STAMPED6_BYTES = 54, 80


@dataclass(frozen=True)
class Mixed:
    """A packet of profile mix: addresses of the layer that forwards it, and its stamp if it has room."""

    ether_type: int
    source: bytes
    destination: bytes
    stamp: tuple[int, int, int, int, int] | None


def read_mixed(frame: bytes) -> Mixed:
    """Parses the packet; of IPv6 with UDP if a stamp has room behind it, else without a next header."""
    ether_type = int.from_bytes(frame[12:14])
    if ether_type == 0x0800:
        packet = read_stamped(frame)
        stamp = STAMP.unpack(frame[-STAMP.size :])
        return Mixed(ether_type, packet.source[0], packet.destination[0], stamp)
    if ether_type == 0x88B5:
        return Mixed(ether_type, frame[6:12], frame[:6], STAMP.unpack(frame[-STAMP.size :]))
    assert ether_type == 0x86DD and frame[14:18] == b"\x60\0\0\0"
    source, destination, datagram = frame[22:38], frame[38:54], frame[UDP6_AT:]
    assert int.from_bytes(frame[18:20]) == len(datagram)
    if len(frame) < STAMPED6_BYTES:
        assert frame[20] == 59
        return Mixed(ether_type, source, destination, None)
    assert frame[20] == 17 and int.from_bytes(datagram[4:6]) == len(datagram)
    pseudo = frame[22:54] + len(datagram).to_bytes(4) + b"\0\0\0\x11"
    assert datagram[6:8] != b"\0\0" and ones_complement_sum(pseudo + datagram) == 0xFFFF
    return Mixed(ether_type, source, destination, STAMP.unpack(frame[-STAMP.size :]))


@dataclass(frozen=True)
class Stamped:
    """A generated packet as on the wire."""

    source: tuple[bytes, int]
    destination: tuple[bytes, int]
    generation: int
    flow: int
    reply: bool
    sequence: int
    time: int

    @property
    def stream(self) -> tuple[int, int, bool]:
        """The stream of a sequence number."""
        return self.flow, self.generation, self.reply


def read_stamped(frame: bytes) -> Stamped:
    """Parses the packet if it is IPv4 and UDP with right lengths and checksums and a stamp at its payload's
    end."""
    header, datagram = frame[IP_AT:UDP_AT], frame[UDP_AT:]
    assert frame[12:14] == b"\x08\x00" and header[0] == 0x45 and header[9] == 17
    assert checksum(header) == 0
    assert struct.unpack_from(">H", header, 2)[0] == len(frame) - IP_AT
    assert struct.unpack_from(">H", datagram, 4)[0] == len(datagram)
    pseudo = header[12:20] + b"\0\x11" + len(datagram).to_bytes(2, "big")
    assert datagram[6:8] != b"\0\0" and ones_complement_sum(pseudo + datagram) == 0xFFFF
    mark, generation, flow, sequence, time = STAMP.unpack(frame[-STAMP.size :])
    assert mark == STAMP_MARK and len(frame) >= PAYLOAD_AT + STAMP.size
    source_port, destination_port = struct.unpack_from(">HH", datagram)
    return Stamped(
        (header[12:16], source_port),
        (header[16:20], destination_port),
        generation,
        flow & ~REPLY,
        bool(flow & REPLY),
        sequence,
        time,
    )


def broken_streams(packets: Iterable[Stamped]) -> Iterator[tuple[int, int, bool]]:
    """Streams in which a sequence number does not follow the previous one."""
    numbers: dict[tuple[int, int, bool], list[int]] = {}
    for packet in packets:
        numbers.setdefault(packet.stream, []).append(packet.sequence)
    for stream, seen in numbers.items():
        if any(later != earlier + 1 for earlier, later in pairwise(seen)):
            yield stream


def sizes(frames: Iterable[bytes]) -> Counter[int]:
    """Packets by bytes of the frame with its check sequence."""
    return Counter(len(frame) + FRAME_CHECK_BYTES for frame in frames)


def zipf_shares(flows: int, exponent: float) -> Sequence[float]:
    """Each flow's share of all packets, the largest first."""
    weights = [(rank + 1) ** -exponent for rank in range(flows)]
    return [weight / sum(weights) for weight in weights]
