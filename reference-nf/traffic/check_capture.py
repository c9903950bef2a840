# SPDX-License-Identifier: BSD-3-Clause
"""Checks captures for replay: lengths, checksums, addresses, required contents. Describes them.

    python3 reference-nf/traffic/check_capture.py [CAPTURE...]

Without arguments it checks the captures in its folder. On exit code 1 it prints the first bad packet, or the
missing contents. Needs only the standard library and spec/.
"""

import re
import sys
from collections import Counter
from collections.abc import Iterable
from ipaddress import IPv4Network, IPv6Network
from pathlib import Path

HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent))

from spec.pcap import PcapError, read_pcap  # noqa: E402
from traffic.contents import PAYLOADS, ROWS  # noqa: E402
from traffic.kinds import name, on_link, ports, row  # noqa: E402
from traffic.wire import TCP, UDP, Address, Wire, WireError, check_transport, decode, reassemble  # noqa: E402

CLIENTS = (IPv4Network("10.10.0.0/16"), IPv6Network("2001:db8:10::/48"))
SERVERS = (IPv4Network("192.0.2.0/24"), IPv4Network("198.51.100.0/24"), IPv6Network("2001:db8:20::/48"))
MAX_FRAME_BYTES = 1514  # Ethernet header and an MTU of 1500; a VLAN tag comes on top
TAG_BYTES = 4
MAX_FILE_BYTES = 300_000

Pairs = list[tuple[Wire, Wire]]  # each frame, with its datagram or the one that it is a fragment of


class CaptureError(Exception):
    """A mistake in a capture, as a sentence for people."""


def within(address: Address, networks: Iterable[IPv4Network | IPv6Network]) -> bool:
    """Whether one of the networks has the address."""
    return any(address in network for network in networks)


def check(wire: Wire, whole: Wire) -> None:
    """Raises WireError for a frame too long, a wrong checksum, ends that are not a client and a server."""
    room = MAX_FRAME_BYTES + TAG_BYTES * len(wire.tags)
    if wire.size > room:
        raise WireError(f"{wire.size} bytes, more than {room}: offloading was on")
    if wire.source is None or wire.destination is None:
        return
    check_transport(whole)
    ends = wire.source, wire.destination
    clients, servers = (sum(within(end, networks) for end in ends) for networks in (CLIENTS, SERVERS))
    if (clients, servers) != (1, 1) and not on_link(whole):
        raise WireError(f"{ends[0]} to {ends[1]} is not between a client and a server")


def read(path: Path) -> Pairs:
    """The capture's frames, each checked; CaptureError names the first bad one."""
    where = f"{path}"
    wires: list[Wire] = []
    try:
        for number, frame in enumerate(read_pcap(path), 1):
            where = f"{path}: packet {number}"
            wires.append(decode(frame))
        where = f"{path}"
        wholes = reassemble(wires)
        pairs = [(wire, wholes[wire.fragment.whole] if wire.fragment else wire) for wire in wires]
        for number, pair in enumerate(pairs, 1):
            where = f"{path}: packet {number}"
            check(*pair)
    except (PcapError, WireError) as wrong:
        raise CaptureError(f"{where}: {wrong}") from None
    return pairs


def missing(capture: str, pairs: Pairs) -> list[str]:
    """Required contents that the capture lacks."""
    rows = {row(*pair) for pair in pairs}
    payloads = [wire.payload for wire, _ in pairs]
    kinds = PAYLOADS.get(capture, {}).items()
    absent = [kind for kind, expression in kinds if not any(re.search(expression, each) for each in payloads)]
    return sorted(ROWS.get(capture, set()) - rows) + absent


def table(pairs: Pairs) -> str:
    """Packets and bytes of each row, the largest first, and of all."""
    packets, sizes = Counter[str](), Counter[str]()
    for wire, whole in pairs:
        packets[row(wire, whole)] += 1
        sizes[row(wire, whole)] += wire.size
    lines = [f"| {each} | {count} | {sizes[each]} |" for each, count in packets.most_common()]
    heading = "| protocol | packets | bytes |\n| --- | ---: | ---: |"
    return "\n".join((heading, *lines, f"| all | {len(pairs)} | {sizes.total()} |"))


def flows(pairs: Pairs) -> str:
    """Numbers of the clients' packets and flows."""
    sent = [
        whole for wire, whole in pairs if wire.source and within(wire.source, CLIENTS) and not on_link(whole)
    ]
    keys = {(whole.tags, whole.protocol, whole.source, whole.final, *ports(whole)) for whole in sent}
    return f"{len(sent)} packets from clients in {len(keys)} flows, all checksums valid."


def shares(pairs: Pairs) -> str:
    """TCP's, HTTP's and UDP's share of all bytes."""
    sizes = Counter[str]()
    for wire, whole in pairs:
        sizes[{TCP: "TCP", UDP: "UDP"}.get(whole.protocol, "others")] += wire.size
        sizes["HTTP"] += wire.size if name(whole) == "HTTP over TCP" else 0
    total = sum(wire.size for wire, _ in pairs)
    tcp, http, udp = (f"{key} {100 * sizes[key] / total:.0f} %" for key in ("TCP", "HTTP", "UDP"))
    return f"{tcp} ({http}), {udp}"


def describe(path: Path) -> str:
    """The capture's contents as in captures.md; CaptureError if it is not suitable for replay."""
    pairs = read(path)
    if not pairs or path.stat().st_size > MAX_FILE_BYTES:
        raise CaptureError(f"{path}: empty, or more than {MAX_FILE_BYTES} bytes")
    if absent := missing(path.stem, pairs):
        raise CaptureError(f"{path}: missing: {'; '.join(absent)}. Check its session, and record it again")
    return f"{table(pairs)}\n\n{flows(pairs)} Of the bytes: {shares(pairs)}."


def shipped() -> list[Path]:
    """The captures in this file's folder."""
    return sorted(HERE.glob("*.pcap"))


def main(paths: list[Path]) -> int:
    """Describes every capture; returns 1 at the first that is not suitable."""
    try:
        for path in paths:
            print(f"## {path.name}\n\n{describe(path)}\n")
    except CaptureError as wrong:
        print(wrong, file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main([Path(word) for word in sys.argv[1:]] or shipped()))
