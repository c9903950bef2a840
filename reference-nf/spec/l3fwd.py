# SPDX-License-Identifier: BSD-3-Clause
"""L3FWD: longest prefix match, TTL, checksum and MAC addresses of an IPv4 router (RFC 1812)."""

from dataclasses import dataclass, field
from ipaddress import IPv4Network
from pathlib import Path

from spec.checksum import update
from spec.packet import ETHERNET_BYTES, Kind, Packet
from spec.stage import Drop, Pass, Result, with_bytes

SOURCE_MAC = bytes.fromhex("02000000ff00")
TTL, IP_CHECKSUM = ETHERNET_BYTES + 8, ETHERNET_BYTES + 10
UNFORWARDABLE = (Kind.VLAN, Kind.NOT_IP, Kind.MALFORMED)


@dataclass
class Routes:
    """Next hop by prefix length and prefix; MAC address by next hop."""

    next_hops: dict[int, bytes] = field(default_factory=dict)
    prefixes: dict[tuple[int, int], int] = field(default_factory=dict)  # (length, prefix) -> next hop

    def add(self, network: IPv4Network, next_hop: int) -> None:
        """A later route of the same prefix and length replaces an earlier one."""
        self.prefixes[network.prefixlen, int(network.network_address)] = next_hop

    def lookup(self, address: int) -> int | None:
        """The longest prefix's next hop."""
        for length in range(32, -1, -1):
            found = self.prefixes.get((length, address >> (32 - length) << (32 - length)))
            if found is not None:
                return found
        return None


def read_routes(path: Path) -> Routes:
    """Lines `next_hop <id> <MAC>` and `route <prefix>/<length> <id>`; `#` begins a comment line."""
    routes = Routes()
    for line in path.read_text(encoding="ascii").splitlines():
        words = line.split()
        if not words or words[0].startswith("#"):
            continue
        if words[0] == "next_hop":
            routes.next_hops[int(words[1])] = bytes.fromhex(words[2].replace(":", ""))
        elif words[0] == "route":
            routes.add(IPv4Network(words[1]), int(words[2]))
        else:
            raise ValueError(f"{path}: `{line}` is neither next_hop nor route")
    return routes


class L3fwd:
    """Stage `l3fwd`."""

    name = "l3fwd"

    def __init__(self, routes: Routes) -> None:
        self.routes = routes

    def begin_batch(self, now_ns: int) -> None:
        """Nothing."""

    def process(self, packet: Packet, now_ns: int) -> Result:
        """Forwards one packet by the destination it has now, which NAT may have changed."""
        del now_ns
        if packet.version == 6:
            return Drop("ipv6")
        if packet.kind in UNFORWARDABLE:
            return Drop(packet.kind.value)
        ttl = packet.frame[TTL]
        if ttl <= 1:
            return Drop("ttl_expired")
        destination = int.from_bytes(packet.frame[ETHERNET_BYTES + 16 : ETHERNET_BYTES + 20], "big")
        next_hop = self.routes.lookup(destination)
        if next_hop is None:
            return Drop("no_route")
        old = packet.frame[TTL : TTL + 2]
        new = bytes([ttl - 1, old[1]])
        old_sum = int.from_bytes(packet.frame[IP_CHECKSUM : IP_CHECKSUM + 2], "big")
        new_sum = update(old_sum, old, new).to_bytes(2, "big")
        macs = self.routes.next_hops[next_hop] + SOURCE_MAC
        return Pass("forwarded", with_bytes(packet, (0, macs), (TTL, new), (IP_CHECKSUM, new_sum)))
