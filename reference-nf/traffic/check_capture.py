# SPDX-License-Identifier: BSD-3-Clause
"""Checks a capture for replay: lengths, checksums, addresses; prints its counts by protocol.

    python3 reference-nf/traffic/check_capture.py [CAPTURE]

Exit code 1 names the first bad packet. Only the standard library and spec/ beside it.
"""

import sys
from collections import Counter
from ipaddress import IPv4Address, IPv4Network
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from spec.packet import ICMP, TCP, UDP, Kind, Packet, checksum_ok, parse
from spec.pcap import read_pcap

CLIENTS = IPv4Network("10.10.0.0/16")
SERVERS = (IPv4Network("192.0.2.0/24"), IPv4Network("198.51.100.0/24"))
MAX_FRAME_BYTES = 1514  # Ethernet header and an MTU of 1500
MAX_FILE_BYTES = 600_000
PORT_NAMES = {80: "HTTP", 8080: "HTTP", 443: "TLS", 53: "DNS"}


def problem(packet: Packet) -> str | None:
    """What is wrong with one packet of the capture, or None."""
    if len(packet.frame) > MAX_FRAME_BYTES:
        return f"{len(packet.frame)} bytes, more than {MAX_FRAME_BYTES}: an offload was on"
    if packet.kind is not Kind.L4:
        return f"{packet.kind.value}, not a whole TCP, UDP or ICMP packet over IPv4"
    if not checksum_ok(packet):
        return "a checksum is wrong: an offload was on"
    ends = IPv4Address(packet.source), IPv4Address(packet.destination)
    client = [end for end in ends if end in CLIENTS]
    server = [end for end in ends if any(end in net for net in SERVERS)]
    if len(client) != 1 or len(server) != 1:
        return f"{ends[0]} to {ends[1]} is not between a client and a server"
    return None


def row(packet: Packet) -> str:
    """The row of the table a packet is counted in."""
    if packet.protocol == ICMP:
        return "ICMP echo"
    transport = {TCP: "TCP", UDP: "UDP"}[packet.protocol]
    names = [PORT_NAMES[port] for port in packet.ports if port in PORT_NAMES]
    return f"{names[0]} over {transport}" if names else transport


def flow(packet: Packet) -> tuple[int, ...]:
    """Protocol, addresses and ports, or the identifier of an ICMP echo."""
    addresses = packet.protocol, packet.source, packet.destination
    if packet.protocol == ICMP:
        return *addresses, int.from_bytes(packet.frame[packet.l4 + 4 : packet.l4 + 6], "big")
    return *addresses, *packet.ports


def main(path: Path) -> int:
    """Checks every packet of the capture at `path`; 0 when all are good."""
    packets = [parse(frame) for frame in read_pcap(path)]
    for number, packet in enumerate(packets, 1):
        wrong = problem(packet)
        if wrong is not None:
            print(f"{path}: packet {number}: {wrong}", file=sys.stderr)
            return 1
    if not packets or path.stat().st_size > MAX_FILE_BYTES:
        print(f"{path}: empty, or more than {MAX_FILE_BYTES} bytes", file=sys.stderr)
        return 1
    counts = Counter(row(packet) for packet in packets)
    sizes = Counter[str]()
    for packet in packets:
        sizes[row(packet)] += len(packet.frame)
    print("| protocol | packets | bytes |\n| --- | ---: | ---: |")
    for name, count in counts.most_common():
        print(f"| {name} | {count} | {sizes[name]} |")
    print(f"| all | {len(packets)} | {sizes.total()} |")
    sent = [packet for packet in packets if IPv4Address(packet.source) in CLIENTS]
    print(f"\n{len(sent)} packets from clients in {len(set(map(flow, sent)))} flows, all checksums valid.")
    return 0


if __name__ == "__main__":
    sys.exit(main(Path(sys.argv[1]) if len(sys.argv) > 1 else Path(__file__).with_name("mixed.pcap")))
