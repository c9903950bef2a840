# SPDX-License-Identifier: BSD-3-Clause
"""What `rx` learns of a packet, once, for every stage: Ethernet, IPv4 (RFC 791, RFC 1812), TCP (RFC 9293),
UDP (RFC 768), ICMP (RFC 792). Offsets and lengths in bytes, numbers in host order."""

import struct
from dataclasses import dataclass
from enum import Enum

from spec.checksum import ones_complement_sum

ETHERNET_BYTES = 14
IPV4_MINIMUM_BYTES = 20
ICMP, TCP, UDP = 1, 6, 17


class Kind(Enum):
    """The first that fits, in the order of docs/behaviour.md."""

    MALFORMED = "malformed"
    VLAN = "vlan"
    IPV6 = "ipv6"
    NOT_IP = "not_ip"
    FRAGMENT = "fragment"
    BAD_L4 = "bad_l4"
    L4 = "l4"
    OTHER = "other"


ETHERTYPES = {0x8100: Kind.VLAN, 0x88A8: Kind.VLAN, 0x86DD: Kind.IPV6, 0x0800: None}


@dataclass(frozen=True, slots=True)
class Packet:
    """A frame and what is known of it; numbers are 0 where the kind has none."""

    frame: bytes
    kind: Kind
    protocol: int = 0
    source: int = 0
    destination: int = 0
    ttl: int = 0
    l4: int = 0  # offset of the layer 4 header in the frame
    end: int = 0  # offset behind the IPv4 packet in the frame; Ethernet padding may follow
    payload: bytes = b""  # of TCP and UDP

    @property
    def ports(self) -> tuple[int, int]:
        """Source and destination port of TCP and UDP."""
        source, destination = struct.unpack_from(">HH", self.frame, self.l4)
        return source, destination


def parse(frame: bytes) -> Packet:
    """Never fails: what is wrong is the packet's kind."""
    if len(frame) < ETHERNET_BYTES:
        return Packet(frame, Kind.MALFORMED)
    kind = ETHERTYPES.get(struct.unpack_from(">H", frame, 12)[0], Kind.NOT_IP)
    if kind is not None:
        return Packet(frame, kind)
    if not _ipv4_header_ok(frame):
        return Packet(frame, Kind.MALFORMED)
    at = ETHERNET_BYTES
    total, _, fragment, ttl, protocol = struct.unpack_from(">HHHBB", frame, at + 2)
    source, destination = struct.unpack_from(">II", frame, at + 12)
    l4, end = at + (frame[at] & 15) * 4, at + total
    kind, payload = Kind.FRAGMENT, b""
    if fragment & 0x3FFF == 0:
        kind, payload = _layer4(frame[l4:end], protocol)
    return Packet(frame, kind, protocol, source, destination, ttl, l4, end, payload)


def _ipv4_header_ok(frame: bytes) -> bool:
    """Version, lengths and header checksum (RFC 1812, section 5.2.2)."""
    held = len(frame) - ETHERNET_BYTES
    if held < IPV4_MINIMUM_BYTES or frame[ETHERNET_BYTES] >> 4 != 4:
        return False
    header = (frame[ETHERNET_BYTES] & 15) * 4
    (total,) = struct.unpack_from(">H", frame, ETHERNET_BYTES + 2)
    if not IPV4_MINIMUM_BYTES <= header <= total <= held:
        return False
    return ones_complement_sum(frame[ETHERNET_BYTES : ETHERNET_BYTES + header]) == 0xFFFF


def _layer4(segment: bytes, protocol: int) -> tuple[Kind, bytes]:
    """Kind and payload of what is behind a whole IPv4 header."""
    if protocol == TCP:
        header = (segment[12] >> 4) * 4 if len(segment) >= 20 else 0
        return (Kind.L4, segment[header:]) if 20 <= header <= len(segment) else (Kind.BAD_L4, b"")
    if protocol == UDP:
        length = int.from_bytes(segment[4:6], "big") if len(segment) >= 8 else 0
        return (Kind.L4, segment[8:length]) if 8 <= length <= len(segment) else (Kind.BAD_L4, b"")
    if protocol == ICMP:
        return (Kind.L4 if len(segment) >= 8 else Kind.BAD_L4), b""
    return Kind.OTHER, b""


def checksum_ok(packet: Packet) -> bool:
    """Whether the layer 4 checksum verifies; a UDP checksum of 0 means none (RFC 768)."""
    segment = packet.frame[packet.l4 : packet.end]
    if packet.kind is not Kind.L4:
        return packet.kind in (Kind.FRAGMENT, Kind.OTHER)
    if packet.protocol == ICMP:
        return ones_complement_sum(segment) == 0xFFFF
    if packet.protocol == UDP and segment[6:8] == b"\0\0":
        return True
    addresses = packet.frame[ETHERNET_BYTES + 12 : ETHERNET_BYTES + 20]
    pseudo = addresses + struct.pack(">BBH", 0, packet.protocol, len(segment))
    return ones_complement_sum(pseudo + segment) == 0xFFFF
