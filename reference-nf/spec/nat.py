# SPDX-License-Identifier: BSD-3-Clause
"""NAT44: traditional NAPT (RFC 3022) with endpoint-independent mapping (RFC 4787, RFC 5382, RFC 5508)."""

import struct
from collections import OrderedDict, deque
from dataclasses import dataclass
from ipaddress import IPv4Network

from spec.checksum import update
from spec.packet import ETHERNET_BYTES, ICMP, TCP, UDP, Kind, Packet
from spec.stage import Drop, Pass, Result, with_bytes

ECHO_REQUEST, ECHO_REPLY = 8, 0
IP_CHECKSUM = ETHERNET_BYTES + 10
SOURCE, DESTINATION = ETHERNET_BYTES + 12, ETHERNET_BYTES + 16
L4_CHECKSUM = {TCP: 16, UDP: 6, ICMP: 2}
NS_PER_S = 1_000_000_000
UNCHANGED = (Kind.VLAN, Kind.NOT_IP)
REFUSED = {
    Kind.MALFORMED: "malformed",
    Kind.BAD_L4: "malformed",
    Kind.FRAGMENT: "fragment",
    Kind.OTHER: "unsupported_protocol",
}

End = tuple[int, int, int]  # protocol, address, port or ICMP identifier


@dataclass(frozen=True)
class NatConfig:
    """Section [nat], and the inside prefix of [network]. Timeouts in seconds."""

    inside: IPv4Network
    pool: IPv4Network
    port_min: int
    port_max: int
    entries: int
    timeouts_s: dict[int, int]  # by protocol


class Nat:
    """Stage `nat`: its mappings in both directions, oldest use first, and its free ports."""

    name = "nat"

    def __init__(self, config: NatConfig) -> None:
        self.config = config
        self.outside_of: dict[End, End] = {}
        self.inside_of: dict[End, End] = {}
        # inside end -> time of last use in ns, least recently used first, by protocol
        self.used: dict[int, OrderedDict[End, int]] = {
            TCP: OrderedDict(),
            UDP: OrderedDict(),
            ICMP: OrderedDict(),
        }
        self.free_ports: dict[tuple[int, int], deque[int]] = {}  # by protocol and pool address

    def begin_batch(self, now_ns: int) -> None:
        """Removes the mappings that have been idle for their protocol's timeout."""
        for protocol, used in self.used.items():
            timeout_ns = self.config.timeouts_s[protocol] * NS_PER_S
            while used:
                inside, last_ns = next(iter(used.items()))
                if last_ns + timeout_ns > now_ns:
                    break
                del used[inside]
                outside = self.outside_of.pop(inside)
                del self.inside_of[outside]
                self.free_ports[outside[0], outside[1]].append(outside[2])

    def process(self, packet: Packet, now_ns: int) -> Result:
        """Translates one packet, or names why not."""
        if packet.version == 6 or packet.kind in UNCHANGED:
            return Pass("not_ipv4", packet)
        if packet.kind in REFUSED:
            return Drop(REFUSED[packet.kind])
        outbound = packet.source & int(self.config.inside.netmask) == int(self.config.inside.network_address)
        if packet.protocol == ICMP and packet.frame[packet.l4] != (ECHO_REQUEST if outbound else ECHO_REPLY):
            return Drop("unsupported_protocol")
        return self._outbound(packet, now_ns) if outbound else self._inbound(packet)

    def _outbound(self, packet: Packet, now_ns: int) -> Result:
        port = struct.unpack_from(">H", packet.frame, packet.l4 + (4 if packet.protocol == ICMP else 0))[0]
        inside = (packet.protocol, packet.source, port)
        outside = self.outside_of.get(inside) or self._allocate(inside)
        if isinstance(outside, str):
            return Drop(outside)
        self.used[packet.protocol][inside] = now_ns
        self.used[packet.protocol].move_to_end(inside)
        return Pass("translated_out", _rewrite(packet, SOURCE, outside, 4 if packet.protocol == ICMP else 0))

    def _inbound(self, packet: Packet) -> Result:
        at = {ICMP: 4}.get(packet.protocol, 2)
        port = struct.unpack_from(">H", packet.frame, packet.l4 + at)[0]
        inside = self.inside_of.get((packet.protocol, packet.destination, port))
        if inside is None:
            return Drop("no_mapping")
        return Pass("translated_in", _rewrite(packet, DESTINATION, inside, at))

    def _allocate(self, inside: End) -> End | str:
        """A new mapping's outside end, or the outcome that says why there is none."""
        if len(self.outside_of) >= self.config.entries:
            return "table_full"
        protocol, address, _ = inside
        number = address % self.config.pool.num_addresses
        pool_address = int(self.config.pool.network_address) + number
        free = self.free_ports.setdefault(
            (protocol, pool_address), deque(range(self.config.port_min, self.config.port_max + 1))
        )
        if not free:
            return "no_port"
        outside = (protocol, pool_address, free.popleft())
        self.outside_of[inside], self.inside_of[outside] = outside, inside
        return outside


def _rewrite(packet: Packet, address_at: int, end: End, port_at: int) -> Packet:
    """Puts address and port of `end` in place and updates the checksums by RFC 1624."""
    frame, l4 = packet.frame, packet.l4
    protocol, address, port = end
    new_address, new_port = address.to_bytes(4, "big"), port.to_bytes(2, "big")
    old_address, old_port = frame[address_at : address_at + 4], frame[l4 + port_at : l4 + port_at + 2]
    ip_sum = update(_word(frame, IP_CHECKSUM), old_address, new_address)
    changes = [(address_at, new_address), (l4 + port_at, new_port), (IP_CHECKSUM, ip_sum.to_bytes(2, "big"))]
    l4_at = l4 + L4_CHECKSUM[protocol]
    old_sum = _word(frame, l4_at)
    if protocol == ICMP:  # no pseudo-header: only the identifier changes
        changes.append((l4_at, update(old_sum, old_port, new_port).to_bytes(2, "big")))
    elif protocol == TCP or old_sum != 0:
        new_sum = update(old_sum, old_address + old_port, new_address + new_port)
        if protocol == UDP and new_sum == 0:
            new_sum = 0xFFFF
        changes.append((l4_at, new_sum.to_bytes(2, "big")))
    return with_bytes(packet, *changes)


def _word(frame: bytes, at: int) -> int:
    return int.from_bytes(frame[at : at + 2], "big")
