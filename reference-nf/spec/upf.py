# SPDX-License-Identifier: BSD-3-Clause
"""The user plane of 5G: tunnels' ends, packet detection, QoS, usage, forwarding (3GPP TS 29.244, 5.2)."""

from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from ipaddress import IPv4Address, IPv4Network, IPv6Address, IPv6Network, ip_network
from pathlib import Path

from spec import gtpu
from spec.dpi import Rule
from spec.l3fwd import mix64
from spec.packet import ETHERNET_BYTES, TCP, UDP, Kind, Packet, parse
from spec.stage import Drop, Pass, Result

ACCESS, CORE, OWN = "access", "core", "own"
UPLINK, DOWNLINK = 0, 1
UNITS_PER_BYTE = 8_000_000
LEAST_BURST_BYTES = 2000
NS_PER_MS = 1_000_000
ANY_PORT = range(0x10000)
ETHER_TYPES = {4: b"\x08\x00", 6: b"\x86\xdd"}
UNFIT = {Kind.MALFORMED: "malformed", Kind.VLAN: "vlan", Kind.NOT_IP: "not_ip"}
ENDS = {"drop": "dropped", "buffer": "not_kept"}


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
            _inside(address, network) and (port in wanted if port is not None else wanted == ANY_PORT)
            for address, port, (network, wanted) in zip(addresses(packet), ports, ends, strict=True)
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
    match_qfi: int = 0
    far: Far = field(default_factory=lambda: Far("drop"))
    qers: list[Qer] = field(default_factory=list)
    urrs: list[Urr] = field(default_factory=list)

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


Key = tuple[str, int | bytes]


@dataclass
class UserPlane:
    """What the stages of one chain share."""

    n3: bytes
    rules: dict[Key, list[Pdr]]
    policies: list[Rule]
    burst_ms: int
    counted: Counter[str] = field(default_factory=Counter)
    usage: Counter[str] = field(default_factory=Counter)


def read_sessions(path: Path) -> dict[Key, list[Pdr]]:
    """The file's PDRs by what packets find them by, in the order in which they are looked at."""
    found: dict[Key, list[Pdr]] = {}
    sessions: list[list[list[str]]] = []
    for line in path.read_text(encoding="ascii").splitlines():
        words = line.split("#")[0].split()
        if words == ["session"]:
            sessions.append([])
        elif words:
            sessions[-1].append(words)
    for lines in sessions:
        for pdr in sorted(_session(lines), key=lambda pdr: (pdr.precedence, pdr.number)):
            for key in _keys(pdr):
                found.setdefault(key, []).append(pdr)
    return found


def _keys(pdr: Pdr) -> list[Key]:
    if pdr.side == ACCESS:
        return [("teid", pdr.teid)]
    return [("ue", ue.packed[:8]) for ue in pdr.ues]


def _session(lines: list[list[str]]) -> list[Pdr]:
    fars = {int(words[1]): _far(words[2:]) for words in lines if words[0] == "far"}
    qers = {int(words[1]): _qer(words[2:]) for words in lines if words[0] == "qer"}
    urrs = {int(words[1]): _urr(words[2:]) for words in lines if words[0] == "urr"}
    return [_pdr(words[1:], fars, qers, urrs) for words in lines if words[0] == "pdr"]


def _far(words: list[str]) -> Far:
    if words[0] != "access":
        return Far(words[0])
    return Far("access", int(words[1], 0), IPv4Address(words[2]).packed)


def _qer(words: list[str]) -> Qer:
    qer = Qer()
    while words:
        if words[0] == "qfi":
            qer.qfi, words = int(words[1]), words[2:]
        elif words[0] == "gate":
            qer.open, words = [word == "open" for word in words[1:3]], words[3:]
        else:
            qer.kbit, words = [int(word) for word in words[1:3]], words[3:]
    return qer


def _urr(words: list[str]) -> Urr:
    urr = Urr()
    while words:
        if words[0] == "quota":
            urr.quota, words = int(words[1]), words[2:]
        else:
            urr.threshold[words[1]], words = int(words[2]), words[3:]
    urr.due = dict(urr.threshold)
    return urr


def _pdr(words: list[str], fars: dict[int, Far], qers: dict[int, Qer], urrs: dict[int, Urr]) -> Pdr:
    pdr = Pdr(int(words[0]), int(words[1]), words[2])
    words = words[3:]
    if pdr.side == ACCESS:
        pdr.teid, words = int(words[0], 0), words[1:]
    take: dict[str, Callable[[str], None]] = {
        "ue": lambda word: pdr.ues.append(IPv6Address(word) if ":" in word else IPv4Address(word)),
        "far": lambda word: setattr(pdr, "far", fars[int(word)]),
        "qer": lambda word: pdr.qers.append(qers[int(word)]),
        "urr": lambda word: pdr.urrs.append(urrs[int(word)]),
        "qfi": lambda word: setattr(pdr, "match_qfi", int(word)),
    }
    while words:
        if words[0] == "predefined":
            pdr.predefined, words = True, words[1:]
        elif words[0] == "filter":
            pdr.filter, words = read_filter(" ".join(words[1:])), []
        else:
            take[words[0]](words[1])
            words = words[2:]
    return pdr


class GtpDecap:
    """Stage `gtp_decap`."""

    name = "gtp_decap"

    def __init__(self, plane: UserPlane) -> None:
        self.plane = plane

    def begin_batch(self, now_ns: int) -> None:
        """Nothing."""

    def process(self, packet: Packet, now_ns: int) -> Result:
        """Takes a packet out of its tunnel."""
        del now_ns
        if not self._ends_here(packet):
            return Pass("plain", mark(packet, CORE))
        if packet.kind is not Kind.L4:
            return Drop("fragment" if packet.kind is Kind.FRAGMENT else "malformed")
        if packet.ports[1] != gtpu.PORT:
            return Pass("plain", mark(packet, CORE))
        try:
            return self._receive(packet, gtpu.read_message(packet.payload))
        except gtpu.MalformedError:
            return Drop("malformed")
        except gtpu.UnknownExtensionError:
            return Drop("unknown_extension")

    def _ends_here(self, packet: Packet) -> bool:
        if packet.version != 4 or packet.kind is Kind.MALFORMED or packet.protocol != UDP:
            return False
        return addresses(packet)[1] == self.plane.n3

    @staticmethod
    def _receive(packet: Packet, message: gtpu.Message) -> Result:
        if message.kind == gtpu.ECHO_REQUEST:
            source, destination = addresses(packet)
            response = gtpu.echo_response(message.sequence)
            answer = gtpu.outer(destination, source, gtpu.PORT, packet.ports[0], response)
            return Pass("echo_answered", mark(parse(packet.frame[:ETHERNET_BYTES] + answer), OWN))
        if message.kind != gtpu.G_PDU:
            return Drop("other_message")
        ether_type = ETHER_TYPES.get(message.payload[0] >> 4 if message.payload else 0)
        if ether_type is None:
            return Drop("inner_malformed")
        inner = parse(packet.frame[:12] + ether_type + message.payload)
        if inner.kind is Kind.MALFORMED:
            return Drop("inner_malformed")
        return Pass("decapsulated", mark(inner, ACCESS, message.teid, message.qfi))


class PdrStage:
    """Stage `pdr`."""

    name = "pdr"

    def __init__(self, plane: UserPlane) -> None:
        self.plane = plane

    def begin_batch(self, now_ns: int) -> None:
        """Nothing."""

    def process(self, packet: Packet, now_ns: int) -> Result:
        """Finds the rule that a packet matches."""
        del now_ns
        assert isinstance(packet, Marked)
        if packet.kind in UNFIT:
            return Drop(UNFIT[packet.kind])
        if packet.side == OWN:
            return Pass("own", packet)
        key: Key = ("teid", packet.teid) if packet.side == ACCESS else ("ue", addresses(packet)[1][:8])
        rules = self.plane.rules.get(key)
        if rules is None:
            return Drop("no_session")
        policy = self._policy(packet)
        rule = next((rule for rule in rules if self._fits(rule, packet, policy)), None)
        if rule is None:
            return Drop("no_rule")
        if rule.predefined and policy is not None:
            self.plane.counted[policy.id] += 1
            if policy.action == "drop":
                return Drop("policy_denied")
        return Pass("uplink" if packet.side == ACCESS else "downlink", replace(packet, rule=rule))

    def _policy(self, packet: Marked) -> Rule | None:
        """The first static policy that fits: they are written as uplink packets are seen."""
        if not has_ports(packet):
            return None
        source, destination = addresses(packet)
        ports = packet.frame[packet.l4 : packet.l4 + 4]
        if packet.side == CORE:
            source, destination, ports = destination, source, ports[2:] + ports[:2]
        at = ETHERNET_BYTES + (12 if packet.version == 4 else 8)
        frame = bytearray(packet.frame)
        frame[at : at + 2 * len(source)] = source + destination
        frame[packet.l4 : packet.l4 + 4] = ports
        seen = replace(packet, frame=bytes(frame))
        return next(
            (rule for rule in self.plane.policies if rule.ends is not None and rule.ends.fit(seen)), None
        )

    @staticmethod
    def _fits(rule: Pdr, packet: Marked, policy: Rule | None) -> bool:
        if rule.side == ACCESS and not rule.source_fits(packet):
            return False
        if (rule.predefined and policy is None) or rule.match_qfi not in (0, packet.qfi):
            return False
        return rule.filter is None or rule.filter.fits(packet, rule.side)


class QerStage:
    """Stage `qer`."""

    name = "qer"

    def __init__(self, plane: UserPlane) -> None:
        self.plane = plane

    def owner(self, packet: Packet, count: int) -> int | None:
        """By the subscriber's address, in a tunnel or not."""
        if packet.version == 0 or packet.kind is Kind.MALFORMED:
            return None
        address = addresses(packet)[1]
        if address == self.plane.n3:
            if packet.kind is not Kind.L4 or packet.protocol != UDP or packet.ports[1] != gtpu.PORT:
                return None
            try:
                message = gtpu.read_message(packet.payload)
            except (gtpu.MalformedError, gtpu.UnknownExtensionError):
                return None
            inner = message.payload
            if message.kind == gtpu.G_PDU and len(inner) >= 20 and inner[0] >> 4 == 4:
                address = inner[12:16]
            elif message.kind == gtpu.G_PDU and len(inner) >= 40 and inner[0] >> 4 == 6:
                address = inner[8:24]
            else:
                return None
        return mix64(int.from_bytes(address[:8], "big")) % count

    def begin_batch(self, now_ns: int) -> None:
        """Nothing."""

    def process(self, packet: Packet, now_ns: int) -> Result:
        """Lets a packet pass if gates are open and there is credit."""
        assert isinstance(packet, Marked)
        if packet.rule is None:
            return Pass("own", packet)
        direction = UPLINK if packet.side == ACCESS else DOWNLINK
        cost = len(ip_packet(packet)) * UNITS_PER_BYTE
        limits = []
        for qer in packet.rule.qers:
            if not qer.open[direction]:
                return Drop("gate_closed")
            if qer.kbit[direction] is None:
                continue
            if qer.kbit[direction] == 0:
                return Drop("rate_exceeded")
            qer.fill(direction, self.plane.burst_ms, now_ns)
            if qer.credit[direction] < cost:
                return Drop("rate_exceeded")
            limits.append(qer)
        for qer in limits:
            qer.credit[direction] -= cost
        return Pass("conformed" if limits else "unlimited", packet)


class UrrStage:
    """Stage `urr`."""

    name = "urr"

    def __init__(self, plane: UserPlane) -> None:
        self.plane = plane

    def begin_batch(self, now_ns: int) -> None:
        """Nothing."""

    def process(self, packet: Packet, now_ns: int) -> Result:
        """Counts a packet."""
        del now_ns
        assert isinstance(packet, Marked)
        if packet.rule is None:
            return Pass("own", packet)
        if not packet.rule.urrs:
            return Pass("not_counted", packet)
        if any(urr.quota is not None and sum(urr.bytes) >= urr.quota for urr in packet.rule.urrs):
            return Drop("quota_exhausted")
        direction, size = (UPLINK if packet.side == ACCESS else DOWNLINK), len(ip_packet(packet))
        self.plane.usage["reports_due"] += sum(urr.count(direction, size) for urr in packet.rule.urrs)
        self.plane.usage[("uplink_bytes", "downlink_bytes")[direction]] += size
        return Pass("counted", packet)


class FarStage:
    """Stage `far`."""

    name = "far"

    def __init__(self, plane: UserPlane) -> None:
        self.plane = plane

    def begin_batch(self, now_ns: int) -> None:
        """Nothing."""

    def process(self, packet: Packet, now_ns: int) -> Result:
        """Forwards a packet, or does not."""
        del now_ns
        assert isinstance(packet, Marked)
        if packet.rule is None:
            return Pass("own", packet)
        far = packet.rule.far
        if far.action in ENDS:
            return Drop(ENDS[far.action])
        if far.action == "core":
            return Pass("to_core", packet)
        inside = gtpu.g_pdu(far.teid, packet.rule.qfi, ip_packet(packet))
        tunnel = gtpu.outer(self.plane.n3, far.peer, gtpu.PORT, gtpu.PORT, inside)
        return Pass("to_access", parse(packet.frame[:12] + b"\x08\x00" + tunnel))
