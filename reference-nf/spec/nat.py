# SPDX-License-Identifier: BSD-3-Clause
"""NAT44: traditional NAPT (RFC 3022) with endpoint-independent mapping (RFC 4787, RFC 5382, RFC 5508)."""

import struct
from collections import OrderedDict, deque
from dataclasses import dataclass
from ipaddress import IPv4Network

from spec.checksum import update
from spec.icmp_error import (
    ECHO_REPLY,
    ECHO_REQUEST,
    L4_CHECKSUM,
    Carried,
    End,
    carried,
    is_error,
    rewrite_address,
    rewrite_carried,
)
from spec.packet import ETHERNET_BYTES, ICMP, TCP, UDP, Kind, Packet
from spec.stage import Drop, Pass, Result, with_bytes
from spec.tcp import Connection, flags

IP_CHECKSUM = ETHERNET_BYTES + 10
SOURCE, DESTINATION = ETHERNET_BYTES + 12, ETHERNET_BYTES + 16
NS_PER_S = 1_000_000_000
UNCHANGED = (Kind.VLAN, Kind.NOT_IP)
REFUSED = {
    Kind.MALFORMED: "malformed",
    Kind.BAD_L4: "malformed",
    Kind.FRAGMENT: "fragment",
    Kind.OTHER: "unsupported_protocol",
}


@dataclass(frozen=True)
class NatConfig:
    """Section [nat], and the inside prefix of [network]. Timeouts in seconds."""

    inside: IPv4Network
    pool: IPv4Network
    port_min: int
    port_max: int
    entries: int
    timeouts_s: dict[int, int]  # by protocol; of TCP the established connections'
    tcp_transitory_timeout_s: int = 240


class Nat:
    """Stage `nat`: mappings in both directions, least recently used first, and free ports.

    Several instances divide the entries and every pool address's ports.
    """

    name = "nat"

    def __init__(self, config: NatConfig, index: int = 0, count: int = 1) -> None:
        self.config, self.index, self.count = config, index, count
        self.entries = _part(config.entries, index + 1, count) - _part(config.entries, index, count)
        self.outside_of: dict[End, End] = {}
        self.inside_of: dict[End, End] = {}
        self.connections: dict[End, Connection] = {}  # of TCP, by inside end
        # inside end -> second of last use, least recently used first, by protocol and whether transitory
        self.used: dict[tuple[int, bool], OrderedDict[End, int]] = {
            age: OrderedDict() for age in ((TCP, False), (TCP, True), (UDP, False), (ICMP, False))
        }
        self.free_ports: dict[tuple[int, int], deque[int]] = {}  # by protocol and pool address

    def begin_batch(self, now_ns: int) -> None:
        """Removes the mappings whose idle time is over."""
        for (protocol, transitory), used in self.used.items():
            seconds = self.config.tcp_transitory_timeout_s if transitory else self.config.timeouts_s[protocol]
            while used:
                inside, last_s = next(iter(used.items()))
                if last_s + 1 + seconds > now_ns // NS_PER_S:
                    break
                del used[inside]
                self.connections.pop(inside, None)
                outside = self.outside_of.pop(inside)
                del self.inside_of[outside]
                self.free_ports[outside[0], outside[1]].append(outside[2])

    def process(self, packet: Packet, now_ns: int) -> Result:
        """Translates one packet, or returns the outcome that ends it."""
        if packet.version == 6 or packet.kind in UNCHANGED:
            return Pass("not_ipv4", packet)
        if packet.kind in REFUSED:
            return Drop(REFUSED[packet.kind])
        if is_error(packet):
            return self._error(packet)
        outbound = self._is_inside(packet.source)
        if packet.protocol == ICMP and packet.frame[packet.l4] != (ECHO_REQUEST if outbound else ECHO_REPLY):
            return Drop("unsupported_protocol")
        if outbound and self._is_pool(packet.destination):
            return self._hairpin(packet, now_ns)
        return self._outbound(packet, now_ns) if outbound else self._inbound(packet, now_ns)

    def owner(self, packet: Packet, count: int) -> End | int | None:
        """The packet's owner, out of `count` instances: an inside end, or the instance that has its port."""
        if packet.version != 4 or packet.kind is not Kind.L4:
            return None
        inside = self._is_inside(packet.source)
        if is_error(packet):
            inner = carried(packet)
            if isinstance(inner, str):
                return None
            return inner.destination if inside else self._instance(inner.source[2], count)
        if packet.protocol == ICMP and packet.frame[packet.l4] != (ECHO_REQUEST if inside else ECHO_REPLY):
            return None
        at = 4 if packet.protocol == ICMP else 0 if inside else 2
        port = _word(packet.frame, packet.l4 + at)
        if inside:
            return packet.protocol, packet.source, port
        return self._instance(port, count) if self._is_pool(packet.destination) else None

    def _ports(self, index: int, count: int) -> range:
        """The ports of an instance."""
        first, size = self.config.port_min, self.config.port_max - self.config.port_min + 1
        return range(first + _part(size, index, count), first + _part(size, index + 1, count))

    def _instance(self, port: int, count: int) -> int | None:
        """The instance that has the port; None: no instance."""
        return next((index for index in range(count) if port in self._ports(index, count)), None)

    def _not_here(self, port: int) -> str:
        """The outcome if a pool address's port has no mapping."""
        return "no_mapping" if self._instance(port, self.count) in (None, self.index) else "hairpin_elsewhere"

    def _is_inside(self, address: int) -> bool:
        return address & int(self.config.inside.netmask) == int(self.config.inside.network_address)

    def _is_pool(self, address: int) -> bool:
        return address & int(self.config.pool.netmask) == int(self.config.pool.network_address)

    def _pool_address(self, inside: int) -> int:
        """The pool address, always the same for an inside address (RFC 4787, REQ-2)."""
        return int(self.config.pool.network_address) + inside % self.config.pool.num_addresses

    def _outbound(self, packet: Packet, now_ns: int) -> Result:
        at = 4 if packet.protocol == ICMP else 0
        port = struct.unpack_from(">H", packet.frame, packet.l4 + at)[0]
        inside = (packet.protocol, packet.source, port)
        outside = self.outside_of.get(inside)
        if outside is None:
            opened = self._open(inside, packet, now_ns)
            if isinstance(opened, str):
                return Drop(opened)
            outside = opened
        else:
            self._follow(inside, packet, "out", now_ns)
            self._use(inside, now_ns)
        return Pass("translated_out", _rewrite(packet, SOURCE, outside, at))

    def _inbound(self, packet: Packet, now_ns: int) -> Result:
        at = {ICMP: 4}.get(packet.protocol, 2)
        port = struct.unpack_from(">H", packet.frame, packet.l4 + at)[0]
        inside = self.inside_of.get((packet.protocol, packet.destination, port))
        if inside is None:
            return Drop("no_mapping")
        self._follow(inside, packet, "in", now_ns)
        return Pass("translated_in", _rewrite(packet, DESTINATION, inside, at))

    def _hairpin(self, packet: Packet, now_ns: int) -> Result:
        """From inside to inside, with both ends as seen from outside (RFC 4787, REQ-9). Queries have no far
        end's port."""
        destination = (packet.protocol, packet.destination, packet.ports[1])
        if packet.protocol == ICMP:
            return Drop("no_mapping")
        if destination not in self.inside_of:
            return Drop(self._not_here(destination[2]))
        gone_out = self._outbound(packet, now_ns)
        if isinstance(gone_out, Drop):
            return gone_out
        come_in = self._inbound(gone_out.packet, now_ns)
        assert isinstance(come_in, Pass)
        return Pass("hairpinned", come_in.packet)

    def _error(self, packet: Packet) -> Result:
        """An ICMP error and its quoted packet (RFC 5508, REQ-3 to REQ-7); mappings do not change."""
        inner = carried(packet)
        if isinstance(inner, str):
            return Drop(inner)
        from_inside = self._is_inside(packet.source)
        if inner.protocol == ICMP and inner.query != (ECHO_REPLY if from_inside else ECHO_REQUEST):
            return Drop("unsupported_protocol")
        goes_in = not from_inside or self._is_pool(packet.destination)
        if goes_in and packet.destination != inner.source[1]:
            return Drop("no_mapping")
        if goes_in and inner.source not in self.inside_of:
            return Drop(self._not_here(inner.source[2]))
        if from_inside:
            if inner.destination not in self.outside_of:
                return Drop("no_mapping")
            packet = self._error_out(packet, inner)
        if goes_in:
            inside = self.inside_of[inner.source]
            packet = rewrite_carried(packet, inner, True, inside)
            packet = rewrite_address(packet, DESTINATION, inside[1])
        return Pass("icmp_error", packet)

    def _error_out(self, packet: Packet, inner: Carried) -> Packet:
        """An error from an inside host or router: its pool address becomes the source (REQ-5)."""
        packet = rewrite_carried(packet, inner, False, self.outside_of[inner.destination])
        return rewrite_address(packet, SOURCE, self._pool_address(packet.source))

    def _open(self, inside: End, packet: Packet, now_ns: int) -> End | str:
        """A new mapping's outside end, or the outcome if none can be made."""
        if len(self.outside_of) >= self.entries:
            return "table_full"
        pool_address = self._pool_address(inside[1])
        key = inside[0], pool_address
        if key not in self.free_ports:
            self.free_ports[key] = deque(self._ports(self.index, self.count))
        if not self.free_ports[key]:
            return "no_port"
        outside = (*key, self.free_ports[key].popleft())
        self.outside_of[inside], self.inside_of[outside] = outside, inside
        if packet.protocol == TCP:
            self.connections[inside] = Connection(flags(packet))
        self._use(inside, now_ns)
        return outside

    def _age(self, inside: End) -> tuple[int, bool]:
        connection = self.connections.get(inside)
        return inside[0], connection is not None and connection.transitory

    def _use(self, inside: End, now_ns: int) -> None:
        """Notes the use to the second: the first one in a second makes the mapping the most recent."""
        used, now_s = self.used[self._age(inside)], now_ns // NS_PER_S
        if used.get(inside) != now_s:
            used[inside] = now_s
            used.move_to_end(inside)

    def _follow(self, inside: End, packet: Packet, way: str, now_ns: int) -> None:
        """Follows TCP's phase. If this changes the idle time, it starts again."""
        connection = self.connections.get(inside)
        if connection is None:
            return
        was = self._age(inside)
        connection.follow(flags(packet), way, bool(packet.payload))
        if self._age(inside) != was:
            del self.used[was][inside]
            self._use(inside, now_ns)


def _part(whole: int, index: int, count: int) -> int:
    """Where an instance's part begins when `count` instances divide items."""
    return whole * index // count


def _rewrite(packet: Packet, address_at: int, end: End, port_at: int) -> Packet:
    """Writes address and port of `end` and updates the checksums by RFC 1624."""
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
