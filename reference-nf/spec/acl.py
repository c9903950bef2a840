# SPDX-License-Identifier: BSD-3-Clause
"""ACL: the matching rule with the highest priority decides, by protocol, addresses and ports."""

from collections import Counter
from dataclasses import dataclass
from ipaddress import ip_network
from pathlib import Path

from spec.l3fwd import mix64
from spec.packet import ETHERNET_BYTES, ICMP, ICMPV6, TCP, UDP, Kind, Packet
from spec.stage import Drop, Pass, Result

PROTOCOLS = {"tcp": TCP, "udp": UDP, "icmp": ICMP, "icmpv6": ICMPV6}
REFUSED = {
    Kind.MALFORMED: "malformed",
    Kind.BAD_L4: "malformed",
    Kind.FRAGMENT: "fragment",
    Kind.VLAN: "vlan",
    Kind.NOT_IP: "not_ip",
}
ANY_PORT = range(65536)
ADDRESS_BITS = {4: 32, 6: 128}
# Source and destination as now in the frame, because an earlier stage may have rewritten them.
ADDRESSES = {
    4: (slice(ETHERNET_BYTES + 12, ETHERNET_BYTES + 16), slice(ETHERNET_BYTES + 16, ETHERNET_BYTES + 20)),
    6: (slice(ETHERNET_BYTES + 8, ETHERNET_BYTES + 24), slice(ETHERNET_BYTES + 24, ETHERNET_BYTES + 40)),
}
SOURCE_LENGTHS = (0, 0, 0, 0, 8, 12, 16, 16, 20, 22, 24, 24, 24, 28, 32, 32)
DESTINATION_LENGTHS = (8, 12, 16, 16, 16, 20, 20, 22, 24, 24, 24, 24, 28, 28, 32, 32)


@dataclass(frozen=True)
class Prefix:
    """The first `length` bits of an address; `version` 0 is any address."""

    version: int
    length: int
    address: int

    def holds(self, version: int, address: int) -> bool:
        """Whether an address is in the prefix."""
        if self.version == 0:
            return True
        return (
            self.version == version and (address ^ self.address) >> (ADDRESS_BITS[version] - self.length) == 0
        )


@dataclass(frozen=True)
class Rule:
    """A line of the rules file, or a generated one. `protocol` None is any."""

    name: str
    permit: bool
    protocol: int | None
    source: Prefix
    source_ports: range
    destination: Prefix
    destination_ports: range

    def fits(self, packet: Packet, source: int, destination: int) -> bool:
        """Whether the rule matches the packet, which has these addresses."""
        if self.protocol is not None and self.protocol != packet.protocol:
            return False
        if not self.source.holds(packet.version, source):
            return False
        if not self.destination.holds(packet.version, destination):
            return False
        if packet.kind is not Kind.L4 or packet.protocol not in (TCP, UDP):
            return True
        source_port, destination_port = packet.ports
        return source_port in self.source_ports and destination_port in self.destination_ports


def read_rules(path: Path) -> list[Rule]:
    """The rules of a file, highest priority first."""
    rules: dict[int, Rule] = {}
    for line in path.read_text(encoding="ascii").splitlines():
        words = line.split("#")[0].split()
        if not words:
            continue
        action, priority, protocol, source, source_ports, destination, destination_ports = words
        if int(priority) in rules:
            raise ValueError(f"{path}: two rules of priority {priority}")
        rules[int(priority)] = Rule(
            priority,
            {"permit": True, "deny": False}[action],
            None if protocol == "any" else PROTOCOLS.get(protocol) or int(protocol),
            _prefix(source),
            _ports(source_ports),
            _prefix(destination),
            _ports(destination_ports),
        )
    return [rules[priority] for priority in sorted(rules, reverse=True)]


def _prefix(text: str) -> Prefix:
    if text == "any":
        return Prefix(0, 0, 0)
    network = ip_network(text)
    return Prefix(network.version, network.prefixlen, int(network.network_address))


def _ports(text: str) -> range:
    if text == "any":
        return ANY_PORT
    first, _, last = text.partition("-")
    return range(int(first), int(last or first) + 1)


def generate_rules(count: int, seed: int) -> list[Rule]:
    """The rules of `rules_generated` and `rules_seed`, the highest first (docs/behaviour.md)."""
    start = mix64(seed)
    return [
        _generated(number, *(mix64(start + 4 * number + part) for part in range(4)))
        for number in range(count)
    ]


def _generated(number: int, a: int, b: int, c: int, d: int) -> Rule:
    version = 6 if (a >> 2) % 4 == 0 else 4
    protocol = (None, UDP, TCP, TCP)[(a >> 4) % 4]
    source_ports, destination_ports = ANY_PORT, ANY_PORT
    if protocol is not None:
        port = d >> 3 & 0xFFFF
        if d % 8 >= 3:
            destination_ports = range(port, (port if d % 8 < 7 else min(port + 1024, 65535)) + 1)
        if (a >> 14) % 4 == 0:
            source_ports = range(1024, 65536)
    return Rule(
        f"generated_{number + 1}",
        a % 4 != 0,
        protocol,
        _generated_prefix(version, SOURCE_LENGTHS[(a >> 6) % 16], b),
        source_ports,
        _generated_prefix(version, DESTINATION_LENGTHS[(a >> 10) % 16], c),
        destination_ports,
    )


def _generated_prefix(version: int, length: int, random: int) -> Prefix:
    if version == 6:
        address = (0x2A00 << 48 | random & 0xFFFFFFFFFFFF) << 64
        length = length + 16 if length else 0
    else:
        address = (11 + (random >> 32) % 213) << 24 | random & 0xFFFFFF
    free = ADDRESS_BITS[version] - length
    return Prefix(version, length, address >> free << free)


class Acl:
    """Stage `acl`. `decided` counts packets by the rule that decided, or `default`."""

    name = "acl"

    def __init__(self, rules: list[Rule], permit_default: bool) -> None:
        self.rules = rules
        self.permit_default = permit_default
        self.decided = Counter[str]()

    def begin_batch(self, now_ns: int) -> None:
        """Nothing."""

    def process(self, packet: Packet, now_ns: int) -> Result:
        """Decides one packet."""
        del now_ns
        if packet.kind in REFUSED:
            return Drop(REFUSED[packet.kind])
        source, destination = (int.from_bytes(packet.frame[at], "big") for at in ADDRESSES[packet.version])
        rule = next((rule for rule in self.rules if rule.fits(packet, source, destination)), None)
        self.decided[rule.name if rule else "default"] += 1
        permit = rule.permit if rule else self.permit_default
        outcome = ("" if rule else "default_") + ("permitted" if permit else "denied")
        return Pass(outcome, packet) if permit else Drop(outcome)
