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

from spec.packet import ICMP, TCP, UDP, Ipv4, ParseError, checksum_ok, parse
from spec.pcap import read_pcap

CLIENTS = IPv4Network("10.10.0.0/16")
SERVERS = (IPv4Network("192.0.2.0/24"), IPv4Network("198.51.100.0/24"))
MAX_FRAME_BYTES = 1514  # Ethernet header and an MTU of 1500
MAX_FILE_BYTES = 600_000
PORT_NAMES = {80: "HTTP", 8080: "HTTP", 443: "TLS", 53: "DNS"}


def problem(frame: bytes) -> str | None:
    """What is wrong with one frame of the capture, or None."""
    if len(frame) > MAX_FRAME_BYTES:
        return f"{len(frame)} bytes, more than {MAX_FRAME_BYTES}: an offload was on"
    try:
        packet = parse(frame)
    except ParseError as error:
        return str(error)
    if not checksum_ok(packet):
        return "a checksum is wrong: an offload was on"
    ends = IPv4Address(packet.source), IPv4Address(packet.destination)
    client = [end for end in ends if end in CLIENTS]
    server = [end for end in ends if any(end in net for net in SERVERS)]
    if len(client) != 1 or len(server) != 1:
        return f"{ends[0]} to {ends[1]} is not between a client and a server"
    return None


def kind(packet: Ipv4) -> str:
    """The row of the table a packet is counted in."""
    if packet.protocol == ICMP:
        return "ICMP echo"
    name = {TCP: "TCP", UDP: "UDP"}.get(packet.protocol, "other")
    for port in (packet.destination_port, packet.source_port):
        if port in PORT_NAMES:
            return f"{PORT_NAMES[port]} over {name}"
    return name


def main(path: Path) -> int:
    """Checks every packet of the capture at `path`; 0 when all are good."""
    frames = read_pcap(path)
    packets, sizes, flows = Counter[str](), Counter[str](), set()
    clients_send = 0
    for number, frame in enumerate(frames, 1):
        wrong = problem(frame)
        if wrong is not None:
            print(f"{path}: packet {number}: {wrong}", file=sys.stderr)
            return 1
        packet = parse(frame)
        packets[kind(packet)] += 1
        sizes[kind(packet)] += len(frame)
        if IPv4Address(packet.source) in CLIENTS:
            clients_send += 1
            flows.add(packet.flow)
    if not frames or path.stat().st_size > MAX_FILE_BYTES:
        print(f"{path}: empty, or more than {MAX_FILE_BYTES} bytes", file=sys.stderr)
        return 1
    print("| protocol | packets | bytes |\n| --- | ---: | ---: |")
    for name, count in packets.most_common():
        print(f"| {name} | {count} | {sizes[name]} |")
    print(f"| all | {len(frames)} | {sum(sizes.values())} |")
    print(f"\n{clients_send} packets from clients in {len(flows)} flows, all checksums valid.")
    return 0


if __name__ == "__main__":
    sys.exit(main(Path(sys.argv[1]) if len(sys.argv) > 1 else Path(__file__).with_name("mixed.pcap")))
