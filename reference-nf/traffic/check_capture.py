# SPDX-License-Identifier: BSD-3-Clause
"""Checks captures for replay: lengths, checksums, addresses, that each holds what it is for; prints their contents.

    python3 reference-nf/traffic/check_capture.py [CAPTURE...]

Without arguments, those beside it. Exit code 1 names the first bad packet, or what is missing. Only the standard
library and spec/ beside it.
"""

import re
import struct
import sys
from collections import Counter
from collections.abc import Iterable
from ipaddress import IPv4Network, IPv6Network
from pathlib import Path

HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent))

from spec.pcap import PcapError, read_pcap
from traffic.contents import PAYLOADS, ROWS
from traffic.wire import ICMP, ICMPV6, TCP, UDP, Address, Wire, WireError, check_transport, decode, reassemble

CLIENTS = (IPv4Network("10.10.0.0/16"), IPv6Network("2001:db8:10::/48"))
SERVERS = (IPv4Network("192.0.2.0/24"), IPv4Network("198.51.100.0/24"), IPv6Network("2001:db8:20::/48"))
MAX_FRAME_BYTES = 1514  # Ethernet header and an MTU of 1500; a VLAN tag comes on top
TAG_BYTES = 4
MAX_FILE_BYTES = 300_000
PORT_NAMES = {7: "echo", 53: "DNS", 80: "HTTP", 443: "TLS", 5060: "SIP", 5201: "iperf3", 6000: "RTP", 8080: "HTTP"}
ECHO_TYPES = {ICMP: (8, 0), ICMPV6: (128, 129)}  # RFC 792, RFC 4443
# What hosts of a link say about it, from and to addresses of the link: RFC 4861, RFC 3810
ON_LINK = {135: "neighbour discovery", 136: "neighbour discovery", 143: "multicast report"}

Network = IPv4Network | IPv6Network


class CaptureError(Exception):
    """What is wrong with a capture, for a person."""


def within(address: Address, networks: Iterable[Network]) -> bool:
    """Whether one of the networks has the address."""
    return any(address in network for network in networks)


def on_link(whole: Wire) -> bool:
    """ARP, and what ICMPv6 has instead."""
    return whole.source is None or (whole.protocol == ICMPV6 and whole.segment[0] in ON_LINK)


def check(wire: Wire, whole: Wire) -> None:
    """Raises WireError for a frame that is too long or not between a client and a server, or a wrong checksum."""
    room = MAX_FRAME_BYTES + TAG_BYTES * len(wire.tags)
    if wire.size > room:
        raise WireError(f"{wire.size} bytes, more than {room}: an offload was on")
    if wire.source is None or wire.destination is None:
        return
    check_transport(whole)
    ends = wire.source, wire.destination
    clients, servers = (sum(within(end, networks) for end in ends) for networks in (CLIENTS, SERVERS))
    if (clients, servers) != (1, 1) and not on_link(whole):
        raise WireError(f"{ends[0]} to {ends[1]} is not between a client and a server")


def ports(whole: Wire) -> tuple[int, ...]:
    """Source and destination port of TCP and UDP, the identifier of an echo."""
    if whole.protocol in (TCP, UDP):
        return struct.unpack_from(">HH", whole.segment)
    return struct.unpack_from(">H", whole.segment, 4)


def name(whole: Wire) -> str:
    """Application and transport of a datagram."""
    if whole.source is None:
        return "ARP"
    if whole.protocol in (ICMP, ICMPV6):
        protocol = "ICMP" if whole.protocol == ICMP else "ICMPv6"
        kind = whole.segment[0]
        other = ON_LINK.get(kind, f"type {kind}") if whole.protocol == ICMPV6 else f"type {kind}"
        return f"{protocol} {'echo' if kind in ECHO_TYPES[whole.protocol] else other}"
    transport = "TCP" if whole.protocol == TCP else "UDP"
    names = [PORT_NAMES[port] for port in ports(whole) if port in PORT_NAMES]
    return f"{names[0]} over {transport}" if names else transport


def row(wire: Wire, whole: Wire) -> str:
    """The row of the table that a frame is counted in."""
    version = ("IPv6",) if wire.source is not None and wire.source.version == 6 else ()
    part = ("fragment",) if wire.fragment is not None else ()
    return ", ".join((name(whole), *version, *whole.extensions, *part, *wire.tags))


def read(path: Path) -> list[tuple[Wire, Wire]]:
    """Each frame and the datagram it is, or is part of; CaptureError names the first bad packet."""
    pairs, number = [], 0
    try:
        wires = []
        for number, frame in enumerate(read_pcap(path), 1):
            wires.append(decode(frame))
        number = 0
        wholes = reassemble(wires)
        for number, wire in enumerate(wires, 1):
            whole = wholes[wire.fragment.whole] if wire.fragment is not None else wire
            check(wire, whole)
            pairs.append((wire, whole))
    except (PcapError, WireError) as wrong:
        raise CaptureError(f"{path}: packet {number}: {wrong}" if number else f"{path}: {wrong}") from None
    return pairs


def missing(capture: str, pairs: list[tuple[Wire, Wire]]) -> list[str]:
    """What the capture of this name is for and is not in it."""
    rows = {row(wire, whole) for wire, whole in pairs}
    payloads = [wire.payload for wire, _ in pairs]
    kinds = PAYLOADS.get(capture, {}).items()
    absent = [kind for kind, expression in kinds if not any(re.search(expression, each) for each in payloads)]
    return sorted(ROWS.get(capture, set()) - rows) + absent


def table(pairs: list[tuple[Wire, Wire]]) -> str:
    """Packets and bytes of each row, the most first, and of all."""
    packets, sizes = Counter[str](), Counter[str]()
    for wire, whole in pairs:
        packets[row(wire, whole)] += 1
        sizes[row(wire, whole)] += wire.size
    lines = [f"| {each} | {count} | {sizes[each]} |" for each, count in packets.most_common()]
    heading = "| protocol | packets | bytes |\n| --- | ---: | ---: |"
    return "\n".join((heading, *lines, f"| all | {len(pairs)} | {sizes.total()} |"))


def summary(pairs: list[tuple[Wire, Wire]]) -> str:
    """Flows of the clients, and the transports' shares of all bytes."""
    sent = [
        (wire, whole)
        for wire, whole in pairs
        if wire.source is not None and within(wire.source, CLIENTS) and not on_link(whole)
    ]
    flows = {(wire.tags, whole.protocol, whole.source, whole.final, *ports(whole)) for wire, whole in sent}
    total = sum(wire.size for wire, _ in pairs)
    shares = {
        "TCP": lambda whole: whole.protocol == TCP,
        "HTTP": lambda whole: name(whole) == "HTTP over TCP",
        "UDP": lambda whole: whole.protocol == UDP,
    }
    parts = [
        f"{label} {sum(wire.size for wire, whole in pairs if has(whole)) / total:.0%}"
        for label, has in shares.items()
    ]
    return (
        f"{len(sent)} packets from clients in {len(flows)} flows, all checksums valid. "
        f"Of the bytes: {parts[0]} ({parts[1]}), {parts[2]}."
    )


def describe(path: Path) -> str:
    """The capture's table and summary, as in README.md; CaptureError when it is not fit for replay."""
    pairs = read(path)
    if not pairs or path.stat().st_size > MAX_FILE_BYTES:
        raise CaptureError(f"{path}: empty, or more than {MAX_FILE_BYTES} bytes")
    if absent := missing(path.stem, pairs):
        raise CaptureError(f"{path}: not in it: {'; '.join(absent)}; the session for it went wrong")
    return f"{table(pairs)}\n\n{summary(pairs)}"


def main(paths: list[Path]) -> int:
    """Describes every capture; 1 at the first that is not fit."""
    try:
        for path in paths:
            print(f"`{path.name}`\n\n{describe(path)}\n")
    except CaptureError as wrong:
        print(wrong, file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main([Path(word) for word in sys.argv[1:]] or sorted(HERE.glob("*.pcap"))))
