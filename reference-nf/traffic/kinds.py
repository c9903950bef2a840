# SPDX-License-Identifier: BSD-3-Clause
"""The name of a packet in the captures' tables: application, transport and headers around them."""

import struct

from traffic.wire import ICMP, ICMPV6, TCP, UDP, Wire

PORT_NAMES = {
    7: "echo",
    53: "DNS",
    80: "HTTP",
    443: "TLS",
    5060: "SIP",
    5201: "iperf3",
    6000: "RTP",
    8080: "HTTP",
}
ICMP_NAMES = {0: "ICMP echo", 8: "ICMP echo"}  # RFC 792
# Messages of hosts on a link, from and to addresses of the link: RFC 4861, RFC 3810
ON_LINK = {135: "neighbour discovery", 136: "neighbour discovery", 143: "multicast listener report"}
ICMPV6_NAMES = {128: "ICMPv6 echo", 129: "ICMPv6 echo", **ON_LINK}  # RFC 4443


def on_link(whole: Wire) -> bool:
    """ARP, and its counterparts of IPv6."""
    return whole.source is None or (whole.protocol == ICMPV6 and whole.segment[0] in ON_LINK)


def ports(whole: Wire) -> tuple[int, ...]:
    """Source and destination port of TCP and UDP, the identifier of an echo."""
    if whole.protocol in (TCP, UDP):
        return struct.unpack_from(">HH", whole.segment)
    return struct.unpack_from(">H", whole.segment, 4)


def name(whole: Wire) -> str:
    """Application and transport of a datagram."""
    if whole.source is None:
        return "ARP"
    if whole.protocol == ICMP:
        return ICMP_NAMES.get(whole.segment[0], f"ICMP type {whole.segment[0]}")
    if whole.protocol == ICMPV6:
        return ICMPV6_NAMES.get(whole.segment[0], f"ICMPv6 type {whole.segment[0]}")
    transport = "TCP" if whole.protocol == TCP else "UDP"
    names = [PORT_NAMES[port] for port in ports(whole) if port in PORT_NAMES]
    return f"{names[0]} over {transport}" if names else transport


def row(wire: Wire, whole: Wire) -> str:
    """The row of the table for a frame; `whole` is its datagram or the one that it is a fragment of."""
    version = ("IPv6",) if wire.source is not None and wire.source.version == 6 else ()
    part = ("fragment",) if wire.fragment is not None else ()
    return ", ".join((name(whole), *version, *whole.extensions, *part, *wire.tags))
