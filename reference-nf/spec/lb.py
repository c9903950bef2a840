# SPDX-License-Identifier: BSD-3-Clause
"""LB: TCP and UDP over IPv4 to several back ends. New connections are hashed, existing ones keep their back
end."""

from collections import OrderedDict
from dataclasses import dataclass, field, replace
from pathlib import Path

from spec import maglev
from spec.checksum import update
from spec.icmp_error import End, carried, is_error, rewrite_address, rewrite_carried
from spec.packet import ETHERNET_BYTES, ICMP, TCP, UDP, Kind, Packet
from spec.stage import Drop, Pass, Result, with_bytes
from spec.tcp import ACK, RST, SYN, Connection, flags

IP_CHECKSUM = ETHERNET_BYTES + 10
SOURCE, DESTINATION = ETHERNET_BYTES + 12, ETHERNET_BYTES + 16
L4_CHECKSUM = {TCP: 16, UDP: 6}
NS_PER_S = 1_000_000_000
PROTOCOLS = {"tcp": TCP, "udp": UDP}
STATES = ("up", "drain", "down")


@dataclass
class Service:
    """Back ends by address and port: weight and state."""

    backends: dict[tuple[int, int], tuple[int, str]] = field(default_factory=dict)


def read_services(path: Path) -> dict[End, Service]:
    """`service <address>:<port> tcp|udp`, then its `backend <address>:<port> <weight> [drain|down]`."""
    services: dict[End, Service] = {}
    service = None
    for line in path.read_text(encoding="ascii").splitlines():
        words = line.split("#")[0].split()
        if not words:
            continue
        if words[0] == "service":
            service = services[(PROTOCOLS[words[2]], *_end(words[1]))] = Service()
        elif words[0] == "backend" and service is not None:
            state = words[3] if len(words) > 3 else "up"
            if state not in STATES:
                raise ValueError(f"{path}: state `{state}` is none of {', '.join(STATES)}")
            service.backends[_end(words[1])] = int(words[2]), state
        else:
            raise ValueError(f"{path}: `{line}` is neither service nor backend")
    return services


def _end(text: str) -> tuple[int, int]:
    address, port = text.split(":")
    return int.from_bytes(bytes(int(byte) for byte in address.split(".")), "big"), int(port)


@dataclass(frozen=True)
class LbConfig:
    """Section [lb]. Timeouts in seconds, by the age of a connection."""

    services: dict[End, Service]
    maglev_size: int
    entries: int
    any_opens: bool
    timeouts_s: dict[str, int]  # of tcp, tcp_opening, tcp_closing, udp, in the order of expiry


@dataclass(frozen=True, slots=True)
class Flow:
    """A connection's three ends."""

    client: End
    service: End
    backend: End


class Lb:
    """Stage `lb`: connections, found from both sides, in order of last use. Instances divide the entries."""

    name = "lb"

    def __init__(self, config: LbConfig, index: int = 0, count: int = 1) -> None:
        self.config = config
        self.entries = config.entries * (index + 1) // count - config.entries * index // count
        self.addresses = {address for _, address, _ in config.services}
        self.tables = {
            end: maglev.table(
                config.maglev_size,
                [(*at, weight) for at, (weight, state) in service.backends.items() if state == "up"],
            )
            for end, service in config.services.items()
        }
        self.by_client: dict[tuple[End, End], Flow] = {}  # client, service
        self.by_backend: dict[tuple[End, End], Flow] = {}  # back end, client
        self.tcp: dict[Flow, Connection] = {}
        self.used: dict[str, OrderedDict[Flow, int]] = {age: OrderedDict() for age in config.timeouts_s}

    def owner(self, packet: Packet, count: int) -> End | int | None:
        """The client's end, in both directions; a packet to no service may be a reply."""
        del count
        if packet.version != 4 or packet.kind is not Kind.L4:
            return None
        if packet.protocol == ICMP:
            inner = carried(packet) if is_error(packet) else ""
            if isinstance(inner, str) or inner.protocol == ICMP:
                return None
            return inner.destination if packet.destination in self.addresses else inner.source
        receiver = (packet.protocol, packet.destination, packet.ports[1])
        return (packet.protocol, packet.source, packet.ports[0]) if receiver in self.tables else receiver

    def begin_batch(self, now_ns: int) -> None:
        """Removes the connections whose idle time is over."""
        for age, used in self.used.items():
            while used:
                flow, last_s = next(iter(used.items()))
                if last_s + 1 + self.config.timeouts_s[age] > now_ns // NS_PER_S:
                    break
                self._close(flow)

    def process(self, packet: Packet, now_ns: int) -> Result:
        """Rewrites one packet of a service, passes others unchanged, or returns the outcome that ends it."""
        if packet.version == 6 or packet.kind in (Kind.VLAN, Kind.NOT_IP):
            return Pass("no_service", packet)
        if packet.kind is Kind.MALFORMED:
            return Drop("malformed")
        if packet.kind is not Kind.L4 or packet.protocol == ICMP:
            return self._without_ports(packet)
        source, destination = packet.ports
        sender = (packet.protocol, packet.source, source)
        receiver = (packet.protocol, packet.destination, destination)
        if receiver in self.config.services:
            return self._from_client(packet, sender, receiver, now_ns)
        flow = self.by_backend.get((sender, receiver))
        if flow is None:
            return Pass("no_service", packet)
        self._follow(flow, packet, "in", now_ns)
        return Pass("replied", _rewrite(packet, SOURCE, 0, flow.service))

    def _without_ports(self, packet: Packet) -> Result:
        if packet.kind is Kind.L4 and is_error(packet):
            return self._error(packet)
        refused = {Kind.FRAGMENT: "fragment", Kind.BAD_L4: "malformed"}
        if packet.destination in self.addresses and packet.kind in refused:
            return Drop(refused[packet.kind])
        return Pass("no_service", packet)

    def _error(self, packet: Packet) -> Result:
        """An ICMP error about a connection, from either side; the connection does not change (RFC 5508,
        REQ-6)."""
        inner = carried(packet)
        if isinstance(inner, str) or inner.protocol == ICMP:
            return Pass("no_service", packet)
        if packet.destination in self.addresses:
            flow = self.by_client.get((inner.destination, inner.source))
            if flow is None:
                return Pass("no_service", packet)
            packet = rewrite_carried(packet, inner, True, flow.backend)
            return Pass("icmp_error", rewrite_address(packet, DESTINATION, flow.backend[1]))
        flow = self.by_backend.get((inner.destination, inner.source))
        if flow is None:
            return Pass("no_service", packet)
        from_backend = packet.source == flow.backend[1]
        packet = rewrite_carried(packet, inner, False, flow.service)
        return Pass(
            "icmp_error", rewrite_address(packet, SOURCE, flow.service[1]) if from_backend else packet
        )

    def _from_client(self, packet: Packet, client: End, service: End, now_ns: int) -> Result:
        flow, outcome = self.by_client.get((client, service)), "forwarded"
        if flow is not None and self._is_over(flow, packet):
            self._close(flow)
            flow = None
        if flow is None:
            opened = self._open(packet, client, service, now_ns)
            if isinstance(opened, str):
                return Drop(opened)
            flow, outcome = opened, "opened"
        else:
            self._follow(flow, packet, "out", now_ns)
        return Pass(outcome, _rewrite(packet, DESTINATION, 2, flow.backend))

    def _is_over(self, flow: Flow, packet: Packet) -> bool:
        """Whether the connection is closed and the client starts again."""
        begins = packet.protocol == TCP and flags(packet) & (SYN | ACK | RST) == SYN
        return begins and self.tcp[flow].phase == "closed"

    def _opens(self, packet: Packet) -> bool:
        if packet.protocol != TCP:
            return True
        if self.config.any_opens:
            return not flags(packet) & RST
        return flags(packet) & (SYN | ACK | RST) == SYN

    def _open(self, packet: Packet, client: End, service: End, now_ns: int) -> Flow | str:
        """A new connection, or the outcome if none can be made."""
        if not self._opens(packet):
            return "not_opening"
        table = self.tables[service]
        if not table:
            return "no_backend"
        chosen = table[maglev.slot(len(table), packet.protocol, client[1:], service[1:])]
        flow = Flow(client, service, (packet.protocol, *chosen))
        if len(self.by_client) >= self.entries:
            return "table_full"
        if (flow.backend, client) in self.by_backend:
            return "end_taken"
        self.by_client[client, service] = self.by_backend[flow.backend, client] = flow
        if packet.protocol == TCP:
            self.tcp[flow] = Connection(flags(packet))
        self._use(flow, now_ns)
        return flow

    def _close(self, flow: Flow) -> None:
        del self.used[self._age(flow)][flow]
        self.tcp.pop(flow, None)
        del self.by_client[flow.client, flow.service]
        del self.by_backend[flow.backend, flow.client]

    def _age(self, flow: Flow) -> str:
        if flow not in self.tcp:
            return "udp"
        return {"opening": "tcp_opening", "established": "tcp", "closed": "tcp_closing"}[self.tcp[flow].phase]

    def _use(self, flow: Flow, now_ns: int) -> None:
        """Notes the use to the second: the first one in a second makes the connection the most recent."""
        used, now_s = self.used[self._age(flow)], now_ns // NS_PER_S
        if used.get(flow) != now_s:
            used[flow] = now_s
            used.move_to_end(flow)

    def _follow(self, flow: Flow, packet: Packet, way: str, now_ns: int) -> None:
        was = self._age(flow)
        if flow in self.tcp:
            self.tcp[flow].follow(flags(packet), way, bool(packet.payload))
        if self._age(flow) != was:
            del self.used[was][flow]
        self._use(flow, now_ns)


def _rewrite(packet: Packet, address_at: int, port_at: int, end: End) -> Packet:
    """Writes address and port of `end` and updates the checksums by RFC 1624."""
    frame, l4 = packet.frame, packet.l4
    address, port = end[1].to_bytes(4, "big"), end[2].to_bytes(2, "big")
    old_address, old_port = frame[address_at : address_at + 4], frame[l4 + port_at : l4 + port_at + 2]
    ip_sum = update(_word(frame, IP_CHECKSUM), old_address, address).to_bytes(2, "big")
    changes = [(address_at, address), (l4 + port_at, port), (IP_CHECKSUM, ip_sum)]
    l4_at = l4 + L4_CHECKSUM[packet.protocol]
    if packet.protocol == TCP or _word(frame, l4_at) != 0:
        l4_sum = update(_word(frame, l4_at), old_address + old_port, address + port)
        if packet.protocol == UDP and l4_sum == 0:
            l4_sum = 0xFFFF
        changes.append((l4_at, l4_sum.to_bytes(2, "big")))
    changed = with_bytes(packet, *changes)
    if address_at == SOURCE:
        return replace(changed, source=end[1])
    return replace(changed, destination=end[1])


def _word(frame: bytes, at: int) -> int:
    return int.from_bytes(frame[at : at + 2], "big")
