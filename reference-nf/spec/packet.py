# SPDX-License-Identifier: BSD-3-Clause
"""What every stage knows of a packet: Ethernet (RFC 894), IPv4 (RFC 791), TCP (RFC 9293), UDP (RFC 768),
ICMP (RFC 792). Offsets and lengths in bytes, numbers in host order."""

import struct
from dataclasses import dataclass

from spec.checksum import ones_complement_sum

ETHERNET_BYTES = 14
ETHERTYPE_IPV4 = 0x0800
ICMP, TCP, UDP = 1, 6, 17
L4_MINIMUM_BYTES = {ICMP: 8, TCP: 20, UDP: 8}


class ParseError(ValueError):
    """An IPv4 packet whose lengths contradict each other or the frame: `malformed` everywhere."""


class NotIpv4Error(ValueError):
    """Another EtherType, a VLAN tag among them, or a frame too short to have one."""


@dataclass(frozen=True, slots=True)
class Ipv4:
    """One well-formed IPv4 packet inside its frame."""

    frame: bytes
    ip_header_bytes: int
    total_bytes: int  # IPv4 total length; the frame may be longer (Ethernet padding)
    protocol: int
    source: int
    destination: int
    ttl: int
    is_fragment: bool
    l4: int  # offset of the layer 4 header in the frame
    source_port: int  # 0 where the protocol has none or the header is not here
    destination_port: int
    payload: bytes  # layer 4 payload

    @property
    def flow(self) -> tuple[int, int, int, int, int]:
        """Protocol, addresses and ports."""
        return self.protocol, self.source, self.source_port, self.destination, self.destination_port

    @property
    def end(self) -> int:
        """Offset behind the IPv4 packet in the frame."""
        return ETHERNET_BYTES + self.total_bytes


def parse(frame: bytes) -> Ipv4:
    """Raises NotIpv4Error or ParseError, the latter with what contradicts what."""
    if len(frame) < ETHERNET_BYTES or struct.unpack_from(">H", frame, 12)[0] != ETHERTYPE_IPV4:
        raise NotIpv4Error("not IPv4 directly over Ethernet")
    if len(frame) < ETHERNET_BYTES + 20:
        raise ParseError("the frame ends inside the IPv4 header")
    at = ETHERNET_BYTES
    version, header_bytes = frame[at] >> 4, (frame[at] & 15) * 4
    total, _, fragment = struct.unpack_from(">HHH", frame, at + 2)
    if version != 4:
        raise ParseError(f"IP version {version} in an IPv4 frame")
    if header_bytes < 20 or total < header_bytes or ETHERNET_BYTES + total > len(frame):
        raise ParseError(f"header {header_bytes}, total {total} bytes in a frame of {len(frame)}")
    ttl, protocol = frame[at + 8], frame[at + 9]
    source, destination = struct.unpack_from(">II", frame, at + 12)
    l4, end = at + header_bytes, at + total
    is_fragment = fragment & 0x3FFF != 0
    ports, payload = (0, 0), b""
    if not is_fragment and protocol in L4_MINIMUM_BYTES:
        ports, payload = _layer4(frame, protocol, l4, end)
    return Ipv4(
        frame, header_bytes, total, protocol, source, destination, ttl, is_fragment, l4, *ports, payload
    )


def _layer4(frame: bytes, protocol: int, l4: int, end: int) -> tuple[tuple[int, int], bytes]:
    if end - l4 < L4_MINIMUM_BYTES[protocol]:
        raise ParseError(f"{end - l4} bytes left for a header of protocol {protocol}")
    if protocol == ICMP:
        return (0, 0), frame[l4 + 8 : end]
    ports = struct.unpack_from(">HH", frame, l4)
    if protocol == UDP:
        (length,) = struct.unpack_from(">H", frame, l4 + 4)
        if length < 8 or l4 + length > end:
            raise ParseError(f"UDP length {length} in {end - l4} bytes")
        return ports, frame[l4 + 8 : l4 + length]
    header = (frame[l4 + 12] >> 4) * 4
    if header < 20 or l4 + header > end:
        raise ParseError(f"TCP header of {header} in {end - l4} bytes")
    return ports, frame[l4 + header : end]


def checksum_ok(packet: Ipv4) -> bool:
    """Whether the IPv4 and layer 4 checksums verify; a UDP checksum of 0 means none (RFC 768)."""
    frame, at = packet.frame, ETHERNET_BYTES
    if ones_complement_sum(frame[at : at + packet.ip_header_bytes]) != 0xFFFF:
        return False
    if packet.is_fragment:
        return True
    segment = frame[packet.l4 : packet.end]
    if packet.protocol == ICMP:
        return ones_complement_sum(segment) == 0xFFFF
    if packet.protocol not in (TCP, UDP):
        return True
    if packet.protocol == UDP and segment[6:8] == b"\0\0":
        return True
    pseudo = frame[at + 12 : at + 20] + struct.pack(">BBH", 0, packet.protocol, len(segment))
    return ones_complement_sum(pseudo + segment) == 0xFFFF
