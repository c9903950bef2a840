# SPDX-License-Identifier: BSD-3-Clause
"""L3FWD: longest prefix match, TTL, checksum and MAC addresses of a router (RFC 1812, RFC 8200)."""

from dataclasses import dataclass, field
from ipaddress import IPv4Network, IPv6Network, ip_network
from pathlib import Path

from spec.checksum import update
from spec.packet import ETHERNET_BYTES, Kind, Packet
from spec.stage import Drop, Pass, Result, with_bytes

SOURCE_MAC = bytes.fromhex("02000000ff00")
TTL, IP_CHECKSUM, HOP_LIMIT = ETHERNET_BYTES + 8, ETHERNET_BYTES + 10, ETHERNET_BYTES + 7
DESTINATION = {
    4: slice(ETHERNET_BYTES + 16, ETHERNET_BYTES + 20),
    6: slice(ETHERNET_BYTES + 24, ETHERNET_BYTES + 40),
}
ADDRESS_BITS = {4: 32, 6: 128}
UNFORWARDABLE = (Kind.VLAN, Kind.NOT_IP, Kind.MALFORMED)

LENGTHS = ((1, 8), (2, 11), (4, 14), (10, 16), (15, 19), (21, 20), (32, 22), (62, 24), (64, 28))
LENGTHS6 = (
    *((2, 29), (10, 32), (14, 36), (20, 40), (22, 42)),
    *((28, 44), (31, 46), (33, 47), (63, 48), (64, 64)),
)
BLOCKS6 = (0x240, 0x260, 0x280, 0x2A0, 0x2C0)
MASK64 = (1 << 64) - 1


@dataclass
class Routes:
    """Next hop by IP version, prefix length and prefix; MAC address by next hop."""

    next_hops: dict[int, bytes] = field(default_factory=dict)
    prefixes: dict[int, dict[int, dict[int, int]]] = field(default_factory=lambda: {4: {}, 6: {}})

    def add(self, version: int, length: int, address: int, next_hop: int) -> None:
        """Adds a route; it replaces an earlier one with the same prefix and length."""
        self.prefixes[version].setdefault(length, {})[address] = next_hop

    def lookup(self, version: int, address: int) -> int | None:
        """The longest prefix's next hop."""
        bits = ADDRESS_BITS[version]
        for length in sorted(self.prefixes[version], reverse=True):
            found = self.prefixes[version][length].get(address >> (bits - length) << (bits - length))
            if found is not None:
                return found
        return None

    def generate(self, routes: int, routes6: int, seed: int) -> None:
        """The routes of `routes_generated`, `routes6_generated` and `routes_seed` (docs/behaviour.md)."""
        hops = next(count for count in range(257) if count not in self.next_hops)
        start = mix64(seed)
        for number in range(routes):
            random = mix64(start + number)
            length = _length(LENGTHS, random >> 8)
            address = (11 + (random >> 32 & 0xFFFFFFFF) % 213) << 24 | random >> 8 & 0xFFFFFF
            self.add(4, length, address >> (32 - length) << (32 - length), (random >> 48) % hops)
        allocations = routes6 // 8 + 1
        for number in range(routes6):
            random = mix64(start - 1 - number)
            length = _length(LENGTHS6, random >> 58)
            where = mix64(~start + (random >> 32) % allocations)
            allocation = BLOCKS6[where % 5] << 20 | where >> 8 & 0xFFFFF
            high = allocation << 32 | random & 0xFFFFFFFF
            self.add(6, length, high >> (64 - length) << (128 - length), (random >> 48) % hops)


def mix64(number: int) -> int:
    """The finalizer of SplitMix64 (Steele, Lea, Flood 2014)."""
    number = (number + 0x9E3779B97F4A7C15) & MASK64
    number = (number ^ number >> 30) * 0xBF58476D1CE4E5B9 & MASK64
    number = (number ^ number >> 27) * 0x94D049BB133111EB & MASK64
    return number ^ number >> 31


def _length(shares: tuple[tuple[int, int], ...], random: int) -> int:
    return next(length for below, length in shares if random % 64 < below)


def read_routes(path: Path) -> Routes:
    """Lines `next_hop <id> <MAC>` and `route <prefix>/<length> <id>`; `#` begins a comment."""
    routes = Routes()
    for line in path.read_text(encoding="ascii").splitlines():
        words = line.split("#")[0].split()
        if not words:
            continue
        if words[0] == "next_hop":
            routes.next_hops[int(words[1])] = bytes.fromhex(words[2].replace(":", ""))
        elif words[0] == "route":
            network: IPv4Network | IPv6Network = ip_network(words[1])
            routes.add(network.version, network.prefixlen, int(network.network_address), int(words[2]))
        else:
            raise ValueError(f"{path}: `{line}` is neither next_hop nor route")
    return routes


class L3fwd:
    """Stage `l3fwd`."""

    name = "l3fwd"

    def __init__(self, routes: Routes, *, passes_others: bool = False) -> None:
        self.routes = routes
        self.passes_others = passes_others

    def begin_batch(self, now_ns: int) -> None:
        """Nothing."""

    def process(self, packet: Packet, now_ns: int) -> Result:
        """Forwards one packet by its current destination, which NAT may have changed."""
        del now_ns
        if self.passes_others and packet.kind in (Kind.VLAN, Kind.NOT_IP):
            return Pass("not_routed", packet)
        if packet.kind in UNFORWARDABLE:
            return Drop(packet.kind.value)
        if packet.frame[TTL if packet.version == 4 else HOP_LIMIT] <= 1:
            return Drop("ttl_expired")
        destination = int.from_bytes(packet.frame[DESTINATION[packet.version]], "big")
        next_hop = self.routes.lookup(packet.version, destination)
        if next_hop is None:
            return Drop("no_route")
        macs = self.routes.next_hops[next_hop] + SOURCE_MAC
        if packet.version == 6:  # no checksum in its header
            limit = bytes([packet.frame[HOP_LIMIT] - 1])
            return Pass("forwarded", with_bytes(packet, (0, macs), (HOP_LIMIT, limit)))
        old = packet.frame[TTL : TTL + 2]
        new = bytes([old[0] - 1, old[1]])
        old_sum = int.from_bytes(packet.frame[IP_CHECKSUM : IP_CHECKSUM + 2], "big")
        new_sum = update(old_sum, old, new).to_bytes(2, "big")
        return Pass("forwarded", with_bytes(packet, (0, macs), (TTL, new), (IP_CHECKSUM, new_sum)))
