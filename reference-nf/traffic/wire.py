# SPDX-License-Identifier: BSD-3-Clause
"""Parses a frame of a capture up to its transport: VLAN tags (IEEE 802.1Q), ARP, IPv4 (RFC 791), IPv6
and its extension headers (RFC 8200), fragments. Refuses truncated frames and wrong checksums."""

import struct
from collections import defaultdict
from collections.abc import Iterable
from dataclasses import dataclass, replace
from ipaddress import IPv4Address, IPv6Address

from spec.checksum import ones_complement_sum

MAC_BYTES = 12  # both addresses; VLAN tags or the EtherType follow
ARP, IPV4, IPV6 = 0x0806, 0x0800, 0x86DD
TAGS = {0x8100: "802.1Q", 0x88A8: "802.1ad"}
ICMP, TCP, UDP, ICMPV6 = 1, 6, 17, 58
HOP_BY_HOP, ROUTING, FRAGMENT, DESTINATION = 0, 43, 44, 60
EXTENSIONS = {HOP_BY_HOP: "hop-by-hop", ROUTING: "routing", DESTINATION: "destination options"}
MORE_FRAGMENTS = 0x2000  # of the IPv4 header's word of flags and offset

Address = IPv4Address | IPv6Address
Whole = tuple[Address, Address, int]  # of a datagram in fragments: source, destination, identification


class WireError(ValueError):
    """A mistake in a frame."""


@dataclass(frozen=True, slots=True)
class Fragment:
    """A part of the datagram `whole`, from `offset` bytes on."""

    whole: Whole
    offset: int
    more: bool


@dataclass(frozen=True, slots=True)
class Wire:
    """A frame; addresses are None for ARP. `final` is the destination of a routing header."""

    size: int
    tags: tuple[str, ...]
    source: Address | None = None
    destination: Address | None = None
    final: Address | None = None
    extensions: tuple[str, ...] = ()
    fragment: Fragment | None = None
    protocol: int = 0
    segment: bytes = b""

    @property
    def payload(self) -> bytes:
        """Payload of TCP and UDP; empty for a fragment, which may lack the header."""
        if self.fragment is not None or self.protocol not in (TCP, UDP):
            return b""
        return self.segment[8 if self.protocol == UDP else (self.segment[12] >> 4) * 4 :]


def decode(frame: bytes) -> Wire:
    """The frame's headers up to the transport's."""
    try:
        return _decode(frame)
    except (struct.error, IndexError):
        raise WireError(f"{len(frame)} bytes end within a header") from None


def _decode(frame: bytes) -> Wire:
    at, tags = MAC_BYTES, []
    (ether_type,) = struct.unpack_from(">H", frame, at)
    while ether_type in TAGS:
        tags.append(TAGS[ether_type])
        at += 4
        (ether_type,) = struct.unpack_from(">H", frame, at)
    link = Wire(len(frame), tuple(tags))
    if ether_type == ARP:
        return link
    if ether_type == IPV4:
        return _ipv4(link, frame[at + 2 :])
    if ether_type == IPV6:
        return _ipv6(link, frame[at + 2 :])
    raise WireError(f"EtherType {ether_type:#06x}, not ARP, IPv4 or IPv6")


def _ipv4(link: Wire, packet: bytes) -> Wire:
    header = (packet[0] & 15) * 4
    total, identifier, place, _, protocol = struct.unpack_from(">HHHBB", packet, 2)
    if packet[0] >> 4 != 4 or not 20 <= header <= total <= len(packet):
        raise WireError(f"IPv4 header {header}, total length {total}, in the frame {len(packet)}")
    if ones_complement_sum(packet[:header]) != 0xFFFF:
        raise WireError("wrong IPv4 header checksum")
    source, destination = IPv4Address(packet[12:16]), IPv4Address(packet[16:20])
    offset, more = (place & 0x1FFF) * 8, bool(place & MORE_FRAGMENTS)
    fragment = Fragment((source, destination, identifier), offset, more) if more or offset else None
    return replace(link, source=source, destination=destination, final=destination, fragment=fragment,
                   protocol=protocol, segment=packet[header:total])  # fmt: skip


def _ipv6(link: Wire, packet: bytes) -> Wire:
    length, protocol = struct.unpack_from(">HB", packet, 4)
    if packet[0] >> 4 != 6 or 40 + length > len(packet):
        raise WireError(f"IPv6 payload length {length}, in the frame {len(packet) - 40}")
    source, destination = IPv6Address(packet[8:24]), IPv6Address(packet[24:40])
    plain = replace(link, source=source, destination=destination, final=destination)
    return behind_extensions(replace(plain, protocol=protocol, segment=packet[40 : 40 + length]))


def behind_extensions(wire: Wire) -> Wire:
    """The same without the segment's IPv6 extension headers, up to a fragment's data."""
    while wire.fragment is None and wire.protocol in (*EXTENSIONS, FRAGMENT):
        header = wire.segment
        if wire.protocol == FRAGMENT:
            following, _, place, identifier = struct.unpack_from(">BBHI", header)
            if wire.source is None or wire.destination is None:
                raise WireError("an IPv6 fragment without addresses")
            fragment = Fragment((wire.source, wire.destination, identifier), place & ~7, bool(place & 1))
            return replace(wire, fragment=fragment, protocol=following, segment=header[8:])
        size = (header[1] + 1) * 8
        if size > len(header):
            raise WireError(f"an extension header of {size} bytes, but {len(header)} are left")
        if wire.protocol == ROUTING and header[3]:  # segments left: the last one is first (RFC 8754)
            wire = replace(wire, final=IPv6Address(header[8:24]))
        extensions = (*wire.extensions, EXTENSIONS[wire.protocol])
        wire = replace(wire, extensions=extensions, protocol=header[0], segment=header[size:])
    return wire


def check_transport(wire: Wire) -> None:
    """Lengths and checksum of a whole TCP, UDP, ICMP or ICMPv6 segment."""
    minimum = {TCP: 20, UDP: 8, ICMP: 8, ICMPV6: 4}.get(wire.protocol)
    if minimum is None or wire.source is None or wire.final is None:
        raise WireError(f"protocol {wire.protocol}, not TCP, UDP, ICMP or ICMPv6")
    segment = wire.segment
    if len(segment) < minimum or (wire.protocol == TCP and not 20 <= (segment[12] >> 4) * 4 <= len(segment)):
        raise WireError(f"a truncated transport header: {len(segment)} bytes")
    if wire.protocol == UDP and int.from_bytes(segment[4:6], "big") != len(segment):
        raise WireError("the UDP length is not the datagram's")
    if wire.protocol == UDP and segment[6:8] == b"\0\0":
        raise WireError("no UDP checksum")
    pseudo = wire.source.packed + wire.final.packed + struct.pack(">II", len(segment), wire.protocol)
    if ones_complement_sum((b"" if wire.protocol == ICMP else pseudo) + segment) != 0xFFFF:
        raise WireError("a wrong transport checksum: offloading was on")


def reassemble(parts: Iterable[Wire]) -> dict[Whole, Wire]:
    """Reassembles the fragments to whole datagrams, without gaps or overlaps."""
    datagrams: dict[Whole, list[tuple[Fragment, Wire]]] = defaultdict(list)
    for part in parts:
        if part.fragment is not None:
            datagrams[part.fragment.whole].append((part.fragment, part))
    return {whole: _join(pieces) for whole, pieces in datagrams.items()}


def _join(pieces: list[tuple[Fragment, Wire]]) -> Wire:
    data = b""
    for number, (fragment, part) in enumerate(sorted(pieces, key=lambda piece: piece[0].offset), 1):
        if fragment.offset != len(data) or fragment.more != (number < len(pieces)):
            raise WireError(f"a fragment of datagram {fragment.whole[2]} is missing, or two overlap")
        data += part.segment
    # In IPv6, destination options after the fragment header are in the fragments' data.
    return behind_extensions(replace(pieces[0][1], fragment=None, segment=data))
