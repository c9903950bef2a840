# SPDX-License-Identifier: BSD-3-Clause
"""Parses a packet as `rx` does, once for every stage: Ethernet, IPv4 (RFC 791, RFC 1812), IPv6 (RFC 8200),
TCP (RFC 9293), UDP (RFC 768), ICMP (RFC 792, RFC 4443). Offsets, lengths in bytes, numbers in host order."""

import struct
from dataclasses import dataclass
from enum import Enum

from spec.checksum import ones_complement_sum

ETHERNET_BYTES = 14
IPV4_MINIMUM_BYTES = 20
IPV6_BYTES = 40
ICMP, TCP, UDP, ICMPV6 = 1, 6, 17, 58
HOP_BY_HOP, ROUTING, FRAGMENT_HEADER, AUTHENTICATION, DESTINATION_OPTIONS = 0, 43, 44, 51, 60
EXTENSIONS_MAX = 8


class Kind(Enum):
    """The kind of a packet: the first that applies, in the order of docs/behaviour.md."""

    MALFORMED = "malformed"
    VLAN = "vlan"
    NOT_IP = "not_ip"
    FRAGMENT = "fragment"
    BAD_L4 = "bad_l4"
    L4 = "l4"
    OTHER = "other"


VLAN_TYPES = (0x8100, 0x88A8)
IPV4_TYPE, IPV6_TYPE = 0x0800, 0x86DD


@dataclass(frozen=True, slots=True)
class Packet:
    """A parsed frame; numbers are 0 if the kind has none."""

    frame: bytes
    kind: Kind
    version: int = 0  # 4, 6; 0: not IP, or in a VLAN
    protocol: int = 0  # of IPv6: after the extension headers
    source: int = 0
    destination: int = 0
    ttl: int = 0
    l4: int = 0  # offset of the layer 4 header in the frame
    end: int = 0  # offset of the IP packet's end in the frame; Ethernet padding may follow
    payload: bytes = b""  # of TCP and UDP

    @property
    def ports(self) -> tuple[int, int]:
        """Source and destination port of TCP and UDP."""
        source, destination = struct.unpack_from(">HH", self.frame, self.l4)
        return source, destination


def parse(frame: bytes) -> Packet:
    """Parses a frame. It never fails: a mistake becomes the packet's kind."""
    if len(frame) < ETHERNET_BYTES:
        return Packet(frame, Kind.MALFORMED)
    (ethertype,) = struct.unpack_from(">H", frame, 12)
    if ethertype in VLAN_TYPES:
        return Packet(frame, Kind.VLAN)
    if ethertype == IPV4_TYPE:
        return _parse_ipv4(frame)
    return _parse_ipv6(frame) if ethertype == IPV6_TYPE else Packet(frame, Kind.NOT_IP)


def _parse_ipv4(frame: bytes) -> Packet:
    if not _ipv4_header_ok(frame):
        return Packet(frame, Kind.MALFORMED, 4)
    at = ETHERNET_BYTES
    total, _, fragment, ttl, protocol = struct.unpack_from(">HHHBB", frame, at + 2)
    source, destination = struct.unpack_from(">II", frame, at + 12)
    l4, end = at + (frame[at] & 15) * 4, at + total
    kind, payload = Kind.FRAGMENT, b""
    if fragment & 0x3FFF == 0:
        kind, payload = _layer4(frame[l4:end], protocol, ICMP)
    return Packet(frame, kind, 4, protocol, source, destination, ttl, l4, end, payload)


def _parse_ipv6(frame: bytes) -> Packet:
    at = ETHERNET_BYTES
    if len(frame) < at + IPV6_BYTES or frame[at] >> 4 != 6:
        return Packet(frame, Kind.MALFORMED, 6)
    length, protocol, hop_limit = struct.unpack_from(">HBB", frame, at + 4)
    end = at + IPV6_BYTES + length
    if end > len(frame):
        return Packet(frame, Kind.MALFORMED, 6)
    source, destination = (int.from_bytes(frame[at + n : at + n + 16], "big") for n in (8, 24))
    protocol, l4, kind = _behind_extensions(frame[:end], protocol)
    payload = b""
    if kind is None:
        kind, payload = _layer4(frame[l4:end], protocol, ICMPV6)
    return Packet(frame, kind, 6, protocol, source, destination, hop_limit, l4, end, payload)


def _behind_extensions(frame: bytes, protocol: int) -> tuple[int, int, Kind | None]:
    """Protocol and offset after the extension headers; a kind if parsing ends there (RFC 8200, 4)."""
    l4 = ETHERNET_BYTES + IPV6_BYTES
    for _ in range(EXTENSIONS_MAX + 1):
        if protocol not in (HOP_BY_HOP, ROUTING, DESTINATION_OPTIONS, AUTHENTICATION, FRAGMENT_HEADER):
            return protocol, l4, None
        if l4 + 8 > len(frame):
            return protocol, l4, Kind.BAD_L4
        if protocol == FRAGMENT_HEADER:
            return protocol, l4, Kind.FRAGMENT
        units = frame[l4 + 1]
        length = (units + 2) * 4 if protocol == AUTHENTICATION else (units + 1) * 8
        if l4 + length > len(frame):
            return protocol, l4, Kind.BAD_L4
        protocol, l4 = frame[l4], l4 + length
    return protocol, l4, Kind.BAD_L4


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


def _layer4(segment: bytes, protocol: int, icmp: int) -> tuple[Kind, bytes]:
    """Kind and payload after whole IP headers; icmp: its number for the IP version."""
    if protocol == TCP:
        header = (segment[12] >> 4) * 4 if len(segment) >= 20 else 0
        return (Kind.L4, segment[header:]) if 20 <= header <= len(segment) else (Kind.BAD_L4, b"")
    if protocol == UDP:
        length = int.from_bytes(segment[4:6], "big") if len(segment) >= 8 else 0
        return (Kind.L4, segment[8:length]) if 8 <= length <= len(segment) else (Kind.BAD_L4, b"")
    if protocol == icmp:
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
