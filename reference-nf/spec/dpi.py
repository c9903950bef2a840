# SPDX-License-Identifier: BSD-3-Clause
"""DPI: rules on addresses and ports, and patterns in the layer 4 payload. Matching rules decide and are
charged. DSCP is that of RFC 2474."""

import re
from collections.abc import Sequence
from dataclasses import asdict, dataclass, field
from ipaddress import IPv4Network, IPv6Network, ip_network
from pathlib import Path

from spec.checksum import update
from spec.packet import ETHERNET_BYTES, IPV6_BYTES, TCP, UDP, Kind, Packet
from spec.services import Shaper
from spec.stage import Drop, Pass, Result, with_bytes

ACTIONS = ("", "pass", "mark", "drop")  # by rising severity
PROTOCOLS = {"tcp": (TCP,), "udp": (UDP,), "any": (TCP, UDP)}
ANY_PORT = range(0x10000)
IP_CHECKSUM = ETHERNET_BYTES + 10
SYN_AT, SYN = 13, 0x02

Network = IPv4Network | IPv6Network | None  # None: any, of both versions
Flow = tuple[int, int, int, int, int]


@dataclass(frozen=True)
class Ends:
    """A rule's layer 3 and layer 4 part."""

    protocols: tuple[int, ...]
    source: Network
    source_ports: range
    destination: Network
    destination_ports: range

    def fit(self, packet: Packet) -> bool:
        """Whether a TCP or UDP packet has such ends."""
        source_port, destination_port = packet.ports
        source, destination = _addresses(packet)
        return (
            packet.protocol in self.protocols
            and source_port in self.source_ports
            and destination_port in self.destination_ports
            and _in_network(source, packet.version, self.source)
            and _in_network(destination, packet.version, self.destination)
        )


def _addresses(packet: Packet) -> tuple[int, int]:
    """Reads the current ends, because an earlier stage may have changed them."""
    at, size = (ETHERNET_BYTES + 12, 4) if packet.version == 4 else (ETHERNET_BYTES + 8, 16)
    source, destination = packet.frame[at : at + size], packet.frame[at + size : at + 2 * size]
    return int.from_bytes(source, "big"), int.from_bytes(destination, "big")


def _ip_bytes(packet: Packet) -> int:
    word = ETHERNET_BYTES + (2 if packet.version == 4 else 4)
    size = int.from_bytes(packet.frame[word : word + 2], "big")
    return size if packet.version == 4 else size + IPV6_BYTES


def _in_network(address: int, version: int, network: Network) -> bool:
    if network is None:
        return True
    return version == network.version and address & int(network.netmask) == int(network.network_address)


@dataclass(frozen=True)
class Rule:
    """One line of a file, with ends, a pattern, or both."""

    id: str
    action: str
    pattern: re.Pattern[bytes] | None
    ends: Ends | None = None


@dataclass
class Count:
    """What matched a rule, and the part that was charged to it; bytes from the IP header on."""

    packets: int = 0
    bytes: int = 0
    charged_packets: int = 0
    charged_bytes: int = 0


@dataclass
class Verdict:
    """The result of a flow's inspected packets."""

    inspected: int = 0
    rules: set[int] = field(default_factory=set)  # the first of each packet
    severity: int = 0


def _lines(path: Path) -> list[str]:
    text = path.read_text(encoding="ascii")
    return [line for line in text.splitlines() if line.strip() and not line.startswith("#")]


def _action(path: Path, name: str, action: str) -> str:
    if action not in ACTIONS[1:]:
        raise ValueError(f"{path}: action `{action}` of rule {name}, not one of {', '.join(ACTIONS[1:])}")
    return action


def read_patterns(path: Path) -> list[Rule]:
    """`id action pattern`, the pattern to the end of the line; `#` begins a comment line."""
    rules = []
    for line in _lines(path):
        name, action, pattern = line.split(maxsplit=2)
        rules.append(Rule(name, _action(path, name, action), re.compile(pattern.encode())))
    return rules


def read_rules(path: Path) -> list[Rule]:
    """`id action protocol source ports destination ports [pattern]`, likewise."""
    rules = []
    for line in _lines(path):
        name, action, protocol, source, source_ports, destination, rest = line.split(maxsplit=6)
        destination_ports, _, pattern = rest.partition(" ")
        ends = Ends(
            PROTOCOLS[protocol],
            _network(source),
            _ports(source_ports),
            _network(destination),
            _ports(destination_ports),
        )
        compiled = re.compile(pattern.lstrip().encode()) if pattern.strip() else None
        rules.append(Rule(name, _action(path, name, action), compiled, ends))
    return rules


def _network(text: str) -> Network:
    return None if text == "any" else ip_network(text)


def _ports(text: str) -> range:
    if text == "any":
        return ANY_PORT
    first, _, last = text.partition("-")
    return range(int(first), int(last or first) + 1)


class Dpi:
    """Stage `dpi`. `counts` by rule id. `inspect_packets` 0: each packet is decided by itself. `shaper` None:
    there are no services."""

    name = "dpi"

    def __init__(
        self,
        rules: Sequence[Rule],
        mark_dscp: int,
        inspect_packets: int = 0,
        shaper: Shaper | None = None,
    ) -> None:
        self.rules = rules
        self.mark_dscp = mark_dscp
        self.inspect_packets = inspect_packets
        self.shaper = shaper
        self.charged: str | None = None  # the rule of the packet at hand
        self.counts: dict[str, Count] = {}
        self.flows: dict[Flow, Verdict] = {}

    def begin_batch(self, now_ns: int) -> None:
        """Buckets fill with time."""
        if self.shaper is not None:
            self.shaper.fill(now_ns)

    def process(self, packet: Packet, now_ns: int) -> Result:
        """Inspects the packet; what rules let pass has to fit its service's share."""
        del now_ns
        self.charged = None
        result = self._inspect(packet)
        if self.shaper is None or isinstance(result, Drop) or not packet.version:
            return result
        if packet.kind is Kind.MALFORMED:
            return result
        service = self.shaper.service_of(self.charged)
        return result if self.shaper.take(service, _ip_bytes(packet)) else Drop("over_share")

    def _inspect(self, packet: Packet) -> Result:
        """Matches the packet, or applies its flow's verdict."""
        if packet.kind is not Kind.L4 or packet.protocol not in (TCP, UDP):
            return Pass("not_inspected", packet)
        verdict = self._verdict(packet)
        if verdict is not None and verdict.inspected >= self.inspect_packets:
            first = {min(verdict.rules)} if verdict.rules else set[int]()
            self._count(packet, first)
            return self._settle(packet, verdict.severity, "by_flow")
        matching = self._matching(packet)
        self._count(packet, matching)
        severity = max((ACTIONS.index(self.rules[number].action) for number in matching), default=0)
        if verdict is not None and packet.payload:
            verdict.inspected += 1
            verdict.rules |= {min(matching)} if matching else set()
            verdict.severity = max(verdict.severity, severity)
        nothing = "no_match" if packet.payload else "no_payload"
        return self._settle(packet, severity, "matched" if matching else nothing)

    def report(self) -> dict[str, dict[str, int]]:
        """The counts as in the totals line."""
        return {name: asdict(count) for name, count in self.counts.items()}

    def _verdict(self, packet: Packet) -> Verdict | None:
        """The verdict of the packet's flow in its direction; a TCP packet with SYN restarts the flow."""
        if self.inspect_packets == 0 or packet.version != 4:
            return None
        flow = (packet.protocol, *_addresses(packet), *packet.ports)
        if packet.protocol == TCP and packet.frame[packet.l4 + SYN_AT] & SYN:
            self.flows.pop(flow, None)
        return self.flows.setdefault(flow, Verdict())

    def _matching(self, packet: Packet) -> set[int]:
        """Every matching rule with a pattern, and the first matching one without."""
        matching = set()
        for number, rule in enumerate(self.rules):
            fits = rule.ends is None or rule.ends.fit(packet)
            if fits and rule.pattern is not None and rule.pattern.search(packet.payload) and packet.payload:
                matching.add(number)
        without = (n for n, rule in enumerate(self.rules) if rule.pattern is None)
        first = next((n for n in without if (ends := self.rules[n].ends) and ends.fit(packet)), None)
        return matching if first is None else matching | {first}

    def _count(self, packet: Packet, matching: set[int]) -> None:
        size = _ip_bytes(packet)
        for number in matching:
            count = self.counts.setdefault(self.rules[number].id, Count())
            count.packets += 1
            count.bytes += size
            if number == min(matching):
                self.charged = self.rules[number].id
                count.charged_packets += 1
                count.charged_bytes += size

    def _settle(self, packet: Packet, severity: int, otherwise: str) -> Result:
        if ACTIONS[severity] == "drop":
            return Drop("dropped")
        if ACTIONS[severity] == "mark":
            return Pass("marked", self._mark(packet))
        return Pass(otherwise, packet)

    def _mark(self, packet: Packet) -> Packet:
        """Writes the DSCP; ECN, the two low bits of the octet, stays (RFC 3168)."""
        at = ETHERNET_BYTES
        old = packet.frame[at : at + 2]
        if packet.version == 6:  # version 4 bits, traffic class 8, flow label 20 (RFC 8200, section 3)
            word = int.from_bytes(old, "big") & ~0x0FC0 | self.mark_dscp << 6
            return with_bytes(packet, (at, word.to_bytes(2, "big")))
        new = bytes([self.mark_dscp << 2 | old[1] & 3])
        old_sum = int.from_bytes(packet.frame[IP_CHECKSUM : IP_CHECKSUM + 2], "big")
        new_sum = update(old_sum, old, old[:1] + new).to_bytes(2, "big")
        return with_bytes(packet, (at + 1, new), (IP_CHECKSUM, new_sum))
