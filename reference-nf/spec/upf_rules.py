# SPDX-License-Identifier: BSD-3-Clause
"""Rules of the user plane of 5G, and what they look at: PDRs, FARs, QERs, URRs (3GPP TS 29.244, 5.2)."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from ipaddress import IPv4Address, IPv4Network, IPv6Address, IPv6Network, ip_network

from spec.packet import ETHERNET_BYTES, TCP, UDP, Kind, Packet

ACCESS, CORE, OWN = "access", "core", "own"
UPLINK, DOWNLINK = 0, 1
UNITS_PER_BYTE = 8_000_000
LEAST_BURST_BYTES = 2000
NS_PER_MS = 1_000_000
ANY_PORT = range(0x10000)


@dataclass(frozen=True, slots=True)
class Marked(Packet):
    """A packet on its way through the user plane's stages."""

    side: str = CORE
    teid: int = 0
    qfi: int = 0
    rule: "Pdr | None" = None


def mark(packet: Packet, side: str, teid: int = 0, qfi: int = 0) -> Marked:
    """The packet with where it came from."""
    values = {name: getattr(packet, name) for name in Packet.__slots__}
    return Marked(**values, side=side, teid=teid, qfi=qfi)


def addresses(packet: Packet) -> tuple[bytes, bytes]:
    """Source and destination as they stand in the frame."""
    at, size = (ETHERNET_BYTES + 12, 4) if packet.version == 4 else (ETHERNET_BYTES + 8, 16)
    return packet.frame[at : at + size], packet.frame[at + size : at + 2 * size]


def ip_packet(packet: Packet) -> bytes:
    """The IP packet without the frame's padding."""
    return packet.frame[ETHERNET_BYTES : packet.end]


def has_ports(packet: Packet) -> bool:
    """Whether filters find ports in it."""
    return packet.kind is Kind.L4 and packet.protocol in (TCP, UDP)


Network = IPv4Network | IPv6Network | None


@dataclass(frozen=True)
class Filter:
    """`permit out PROTOCOL from ... to ...`, as downlink packets are seen. protocol None: any."""

    protocol: int | None
    source: Network
    source_ports: range
    destination: Network
    destination_ports: range

    def fits(self, packet: Packet, side: str) -> bool:
        """Whether a packet of that side is of the flow: uplink with its ends exchanged."""
        ends = [(self.source, self.source_ports), (self.destination, self.destination_ports)]
        if side == ACCESS:
            ends.reverse()
        if self.protocol not in (None, packet.protocol):
            return False
        ports = packet.ports if has_ports(packet) else (None, None)
        return all(
            _inside(address, network) and (port in expected if port is not None else expected == ANY_PORT)
            for address, port, (network, expected) in zip(addresses(packet), ports, ends, strict=True)
        )


def _inside(address: bytes, network: Network) -> bool:
    if network is None:
        return True
    return len(address) * 8 == network.max_prefixlen and (
        int.from_bytes(address, "big") & int(network.netmask) == int(network.network_address)
    )


def read_filter(text: str) -> Filter:
    """A flow description."""
    words = text.split()
    at = words.index("to", 4)
    return Filter(None if words[2] == "ip" else int(words[2]), *_end(words[4:at]), *_end(words[at + 1 :]))


def _end(words: Sequence[str]) -> tuple[Network, range]:
    first, _, last = words[1].partition("-") if len(words) > 1 else ("0", "", "65535")
    network = None if words[0] in ("any", "assigned") else ip_network(words[0])
    return network, range(int(first), int(last or first) + 1)


@dataclass
class Far:
    """What is done with a packet."""

    action: str  # "drop", "buffer", "core", "access"
    teid: int = 0
    peer: bytes = b""


@dataclass
class Qer:
    """Gates and rates, by direction; None: no limit. Credit in millionths of a bit."""

    open: list[bool] = field(default_factory=lambda: [True, True])
    kbit: list[int | None] = field(default_factory=lambda: [None, None])
    qfi: int = 0
    credit: list[int] = field(default_factory=lambda: [0, 0])
    since: list[int | None] = field(default_factory=lambda: [None, None])

    def fill(self, direction: int, burst_ms: int, now_ns: int) -> None:
        """The bucket at this time; full at the first packet."""
        kbit = self.kbit[direction] or 0
        full = max(kbit * burst_ms * NS_PER_MS, LEAST_BURST_BYTES * UNITS_PER_BYTE)
        since = self.since[direction]
        if since is None:
            self.credit[direction] = full
        else:
            self.credit[direction] = min(full, self.credit[direction] + max(0, now_ns - since) * kbit)
        self.since[direction] = max(now_ns, since or 0)


@dataclass
class Urr:
    """Counts bytes, by direction."""

    threshold: dict[str, int] = field(default_factory=dict)
    quota: int | None = None
    bytes: list[int] = field(default_factory=lambda: [0, 0])
    due: dict[str, int] = field(default_factory=dict)

    def volume(self, name: str) -> int:
        """Bytes so far."""
        return {"uplink": self.bytes[UPLINK], "downlink": self.bytes[DOWNLINK], "total": sum(self.bytes)}[
            name
        ]

    def count(self, direction: int, size: int) -> int:
        """Counts a packet; how many reports are due by it."""
        self.bytes[direction] += size
        reports = 0
        for name in (("uplink", "downlink")[direction], "total"):
            if name in self.due and self.volume(name) >= self.due[name]:
                self.due[name] = self.volume(name) + self.threshold[name]
                reports += 1
        return reports


@dataclass(eq=False)
class Pdr:
    """A rule: which packets, and what happens to them."""

    number: int
    precedence: int
    side: str
    teid: int = 0
    ues: list[IPv4Address | IPv6Address] = field(default_factory=list)
    filter: Filter | None = None
    predefined: bool = False
    match_qfis: set[int] = field(default_factory=set)
    far: Far = field(default_factory=lambda: Far("drop"))
    qers: list[Qer] = field(default_factory=list)
    urrs: list[Urr] = field(default_factory=list)
    home: bytes = b""
    """The IPv4 address of its session, if it has one."""

    def source_fits(self, packet: Packet) -> bool:
        """Whether an uplink packet comes from the subscriber, where that is known."""
        source = addresses(packet)[0]
        return not self.ues or any(
            ue.version == packet.version and ue.packed[:8] == source[:8] for ue in self.ues
        )

    @property
    def qfi(self) -> int:
        """Of the flow, before that of the session."""
        return next((qer.qfi for qer in self.qers if qer.qfi), 0)
