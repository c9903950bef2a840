# SPDX-License-Identifier: BSD-3-Clause
"""OPENFLOW: the pipeline of an OpenFlow 1.3 switch (ONF TS-006, section 5): flow tables, instructions, the
action set, groups and meters, as a file of rules describes them."""

from collections import Counter
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field, replace
from ipaddress import IPv4Address, ip_network
from pathlib import Path

from spec.checksum import update
from spec.l3fwd import mix64
from spec.packet import ETHERNET_BYTES, TCP, UDP, Kind, Packet
from spec.stage import Drop, Pass, Result, with_bytes

IPV4, IPV6 = 0x0800, 0x86DD
IP_CHECKSUM, TTL, HOP_LIMIT = ETHERNET_BYTES + 10, ETHERNET_BYTES + 8, ETHERNET_BYTES + 7
IPV4_ADDRESSES = {"ipv4_src": ETHERNET_BYTES + 12, "ipv4_dst": ETHERNET_BYTES + 16}
IPV6_ADDRESSES = {"ipv6_src": ETHERNET_BYTES + 8, "ipv6_dst": ETHERNET_BYTES + 24}
MACS = {"eth_dst": 0, "eth_src": 6}
TRANSPORT_CHECKSUM = {TCP: 16, UDP: 6}
BITS = {"eth_dst": 48, "eth_src": 48, "ipv4_src": 32, "ipv4_dst": 32, "ipv6_src": 128, "ipv6_dst": 128}
WHOLE = (1 << 64) - 1
ACTION_ORDER = ("dec_ttl", "eth_dst", "eth_src", "ip_dscp", "ipv4_src", "ipv4_dst")
NS_PER_S = 1_000_000_000

ROUTER_MAC, NEIGHBOUR_MAC, HOP_PORTS = 0x02000000FF00, 0x020000010000, 4
STEP, FIRST_BYTE, FIRST_BYTES = 2654435761, 11, 213
LENGTHS = (
    *((1, 12), (4, 14), (30, 16), (45, 17), (75, 18), (130, 19)),
    *((210, 20), (270, 21), (360, 22), (440, 23), (994, 24), (1000, 28)),
)

ActionSet = dict[str, int]


@dataclass(frozen=True)
class Instructions:
    """What an entry has done, in the order in which it is done."""

    meter: int | None = None
    apply: tuple[tuple[str, int], ...] = ()
    clear: bool = False
    write: Mapping[str, int] = field(default_factory=dict)
    metadata: tuple[int, int] = (0, 0)
    goto: int | None = None


@dataclass(frozen=True)
class Entry:
    """A flow entry; `match` is a list of field, value and mask."""

    priority: int
    match: tuple[tuple[str, int, int], ...]
    instructions: Instructions


@dataclass
class Meter:
    """A token bucket of one instance, in packets or bits times 10^9 so that everything is whole."""

    by_packets: bool
    rate: int
    burst: int
    remark: int
    tokens: int = 0
    filled_ns: int = 0
    within: int = 0
    beyond: int = 0

    def take(self, size: int, now_ns: int) -> bool:
        """Whether a packet of this size is within the rate; what is beyond takes no tokens."""
        full = self.burst * (1 if self.by_packets else 1000) * NS_PER_S
        per_ns = self.rate * (1 if self.by_packets else 1000)
        self.tokens = min(full, self.tokens + max(0, now_ns - self.filled_ns) * per_ns)
        self.filled_ns = max(now_ns, self.filled_ns)
        cost = (1 if self.by_packets else size * 8) * NS_PER_S
        good = cost <= self.tokens
        self.tokens -= cost if good else 0
        self.within += good
        self.beyond += not good
        return good


@dataclass
class Pipeline:
    """What a file of rules says."""

    tables: dict[int, list[Entry]] = field(default_factory=dict)
    groups: dict[int, ActionSet] = field(default_factory=dict)
    meters: dict[int, Meter] = field(default_factory=dict)

    def add(self, table: int, entry: Entry) -> None:
        """Behind the entries of its priority that there are."""
        self.tables.setdefault(table, []).append(entry)

    def sort(self) -> None:
        """Entries by falling priority."""
        for entries in self.tables.values():
            entries.sort(key=lambda entry: -entry.priority)

    def generate(self, prefixes: int, table: int, seed: int, hops: int) -> None:
        """The entries of `prefixes_generated` (docs/behaviour.md), to the first `hops` groups."""
        start = mix64(seed)
        count = Counter[int]()
        for number in range(prefixes):
            random = mix64(start + number)
            length = next(length for below, length in LENGTHS if random % 1000 < below)
            places = FIRST_BYTES << (length - 8)
            place = ((start >> 40) + count[length] * STEP) % places
            count[length] += 1
            address = (FIRST_BYTE << 24) + (place << (32 - length))
            match = (("eth_type", IPV4, 0xFFFF), ("ipv4_dst", address, _prefix_mask(length, 32)))
            write = {"group": 1 + (random >> 32) % hops}
            self.add(table, Entry(length, match, Instructions(write=write)))


def generate_hops(count: int) -> dict[int, ActionSet]:
    """The groups of `next_hops_generated`."""
    return {
        hop: {
            "dec_ttl": 0,
            "eth_dst": NEIGHBOUR_MAC + hop,
            "eth_src": ROUTER_MAC,
            "output": 1 + hop % HOP_PORTS,
        }
        for hop in range(1, count + 1)
    }


def read_rules(path: Path, pipeline: Pipeline) -> None:
    """Adds what the file at `path` says."""
    for line in path.read_text(encoding="ascii").splitlines():
        match line.split("#")[0].split():
            case []:
                pass
            case ["flow", table, priority, match, *instructions]:
                pipeline.add(int(table), Entry(int(priority), _match(match), _instructions(instructions)))
            case ["group", group, "indirect", actions]:
                pipeline.groups[int(group)] = dict(_actions(actions))
            case ["meter", meter, unit, rate, "burst", burst, "drop"]:
                pipeline.meters[int(meter)] = Meter(unit == "pps", int(rate), int(burst), 0)
            case ["meter", meter, unit, rate, "burst", burst, "remark", level]:
                pipeline.meters[int(meter)] = Meter(unit == "pps", int(rate), int(burst), int(level))
            case _:
                raise ValueError(f"{path}: `{line}` is neither flow, group nor meter")


def _prefix_mask(length: int, bits: int) -> int:
    return (1 << bits) - (1 << (bits - length))


def _value(name: str, text: str) -> int:
    if name in MACS:
        return int(text.replace(":", ""), 16)
    if name in IPV4_ADDRESSES:
        return int(IPv4Address(text))
    if name in IPV6_ADDRESSES:
        return int(ip_network(text).network_address)
    return int(text, 0)


def _match(text: str) -> tuple[tuple[str, int, int], ...]:
    if text == "any":
        return ()
    return tuple(_field(*part.split("=", 1)) for part in text.split(","))


def _field(name: str, text: str) -> tuple[str, int, int]:
    value, _, mask = text.partition("/")
    whole = (1 << BITS[name]) - 1 if name in BITS else WHOLE
    if not mask:
        return name, _value(name, value), whole
    if name in (*IPV4_ADDRESSES, *IPV6_ADDRESSES) and mask.isdigit():
        return name, _value(name, value), _prefix_mask(int(mask), BITS[name])
    return name, _value(name, value), _value(name, mask)


def _actions(text: str) -> list[tuple[str, int]]:
    pairs = (part.partition("=") for part in text.split(","))
    return [(name, _value(name, value) if value else 0) for name, _, value in pairs]


def _instructions(words: Iterable[str]) -> Instructions:
    found = Instructions()
    for word in words:
        if word.startswith("meter="):
            found = replace(found, meter=int(word[6:]))
        elif word.startswith("apply:"):
            found = replace(found, apply=tuple(_actions(word[6:])))
        elif word == "clear":
            found = replace(found, clear=True)
        elif word.startswith("write:"):
            found = replace(found, write=dict(_actions(word[6:])))
        elif word.startswith("metadata="):
            value, _, mask = word[9:].partition("/")
            found = replace(found, metadata=(int(value, 0), int(mask, 0) if mask else WHOLE))
        elif word.startswith("goto="):
            found = replace(found, goto=int(word[5:]))
        elif word != "drop":
            raise ValueError(f"`{word}` is no instruction")
    return found


class UnfitError(Exception):
    """An action on what the packet does not have. The argument is the outcome."""


def _mended(packet: Packet, at: int, old: bytes, new: bytes) -> tuple[int, bytes]:
    held = int.from_bytes(packet.frame[at : at + 2], "big")
    return at, update(held, old, new).to_bytes(2, "big")


def _decrement_ttl(packet: Packet, value: int) -> Packet:
    del value
    if packet.version == 0:
        raise UnfitError("unfit")
    at = TTL if packet.version == 4 else HOP_LIMIT
    if packet.frame[at] <= 1:
        raise UnfitError("ttl_expired")
    if packet.version == 6:
        return with_bytes(packet, (at, bytes([packet.frame[at] - 1])))
    old = packet.frame[at : at + 2]
    new = bytes([old[0] - 1, old[1]])
    return with_bytes(packet, (at, new), _mended(packet, IP_CHECKSUM, old, new))


def _dscp(packet: Packet) -> int:
    if packet.version == 4:
        return packet.frame[ETHERNET_BYTES + 1] >> 2
    return int.from_bytes(packet.frame[ETHERNET_BYTES : ETHERNET_BYTES + 2], "big") >> 6 & 63


def _set_dscp(packet: Packet, value: int) -> Packet:
    at = ETHERNET_BYTES
    old = packet.frame[at : at + 2]
    if packet.version == 0:
        raise UnfitError("unfit")
    if packet.version == 6:
        word = int.from_bytes(old, "big") & ~(63 << 6) | value << 6
        return with_bytes(packet, (at, word.to_bytes(2, "big")))
    new = bytes([old[0], value << 2 | old[1] & 3])
    return with_bytes(packet, (at, new), _mended(packet, IP_CHECKSUM, old, new))


def _set_address(name: str) -> Callable[[Packet, int], Packet]:
    at = IPV4_ADDRESSES[name]

    def change(packet: Packet, value: int) -> Packet:
        if packet.version != 4 or packet.kind in (Kind.FRAGMENT, Kind.BAD_L4):
            raise UnfitError("unfit")
        old, new = packet.frame[at : at + 4], value.to_bytes(4, "big")
        changes = [(at, new), _mended(packet, IP_CHECKSUM, old, new)]
        if packet.kind is Kind.L4 and packet.protocol in TRANSPORT_CHECKSUM:
            where = packet.l4 + TRANSPORT_CHECKSUM[packet.protocol]
            where, check = _mended(packet, where, old, new)
            none = packet.protocol == UDP and packet.frame[where : where + 2] == b"\0\0"
            if packet.protocol == UDP and check == b"\0\0":
                check = b"\xff\xff"
            changes += [] if none else [(where, check)]
        return with_bytes(packet, *changes)

    return change


def _set_mac(name: str) -> Callable[[Packet, int], Packet]:
    return lambda packet, value: with_bytes(packet, (MACS[name], value.to_bytes(6, "big")))


CHANGES: Mapping[str, Callable[[Packet, int], Packet]] = {
    "dec_ttl": _decrement_ttl,
    "eth_dst": _set_mac("eth_dst"),
    "eth_src": _set_mac("eth_src"),
    "ip_dscp": _set_dscp,
    "ipv4_src": _set_address("ipv4_src"),
    "ipv4_dst": _set_address("ipv4_dst"),
}


def remarked(dscp: int, levels: int) -> int:
    """The assured forwarding class of RFC 2597 with a higher drop precedence; others stay."""
    forwarding_class, precedence = dscp >> 3, dscp >> 1 & 3
    if not 1 <= forwarding_class <= 4 or precedence == 0 or dscp & 1:
        return dscp
    return forwarding_class << 3 | min(3, precedence + levels) << 1


def field_of(packet: Packet, name: str, metadata: int) -> int | None:
    """What the packet has of a field; None: it has none."""
    match name:
        case "in_port":
            return 1
        case "metadata":
            return metadata
        case "eth_dst" | "eth_src":
            at, size = MACS[name], 6
        case "eth_type":
            at, size = 12, 2
        case _:
            return _ip_field(packet, name)
    return int.from_bytes(packet.frame[at : at + size], "big")


def _ip_field(packet: Packet, name: str) -> int | None:
    if name in IPV4_ADDRESSES and packet.version == 4:
        at, size = IPV4_ADDRESSES[name], 4
    elif name in IPV6_ADDRESSES and packet.version == 6:
        at, size = IPV6_ADDRESSES[name], 16
    elif name[:4] in ("tcp_", "udp_") and packet.kind is Kind.L4:
        at, size = packet.l4 + 2 * name.endswith("dst"), 2
    elif name in ("ip_dscp", "ip_proto") and packet.version:
        return _dscp(packet) if name == "ip_dscp" else packet.protocol
    else:
        return None
    return int.from_bytes(packet.frame[at : at + size], "big")


class Openflow:
    """Stage `openflow`. Counts are those of the totals' member `openflow`."""

    name = "openflow"

    def __init__(self, pipeline: Pipeline, count: int) -> None:
        """Of `count` instances each has its part of the meters' rates and bursts."""
        self.tables, self.groups = pipeline.tables, pipeline.groups
        self.meters = {
            meter: replace(m, rate=max(1, m.rate // count), burst=max(1, m.burst // count))
            for meter, m in pipeline.meters.items()
        }
        for meter in self.meters.values():
            meter.tokens = meter.burst * (1 if meter.by_packets else 1000) * NS_PER_S
        self.lookups, self.misses = Counter[int](), Counter[int]()
        self.group_packets, self.ports = Counter[int](), Counter[str]()

    def begin_batch(self, now_ns: int) -> None:
        """Nothing."""

    def report(self) -> dict[str, dict[str, object]]:
        """The totals' member `openflow`."""
        return {
            "tables": {
                str(table): {"lookups": self.lookups[table], "misses": self.misses[table]}
                for table in sorted(self.tables.keys() | self.lookups.keys())
            },
            "groups": {str(group): self.group_packets[group] for group in self.group_packets},
            "meters": {
                str(meter): {"within": m.within, "beyond": m.beyond} for meter, m in self.meters.items()
            },
            "ports": dict(self.ports),
        }

    def process(self, packet: Packet, now_ns: int) -> Result:
        """Takes one packet through the tables, from table 0 on."""
        if packet.kind in (Kind.MALFORMED, Kind.VLAN):
            return Drop(packet.kind.value)
        try:
            return self._through_tables(packet, now_ns)
        except UnfitError as unfit:
            return Drop(str(unfit))

    def _through_tables(self, packet: Packet, now_ns: int) -> Result:
        actions: ActionSet = {}
        metadata = 0
        table: int | None = 0
        while table is not None:
            self.lookups[table] += 1
            instructions = self._look_up(packet, table, metadata)
            if instructions is None:
                self.misses[table] += 1
                return Drop("missed")
            if instructions.meter is not None:
                meter = self.meters[instructions.meter]
                if not meter.take(len(packet.frame), now_ns):
                    if not meter.remark:
                        return Drop("metered")
                    if packet.version and remarked(_dscp(packet), meter.remark) != _dscp(packet):
                        packet = _set_dscp(packet, remarked(_dscp(packet), meter.remark))
            for name, value in instructions.apply:
                packet = CHANGES[name](packet, value)
            if instructions.clear:
                actions = {}
            actions = {**actions, **instructions.write}
            value, mask = instructions.metadata
            metadata = metadata & ~mask | value
            table = instructions.goto
        return self._execute(packet, actions)

    def _look_up(self, packet: Packet, table: int, metadata: int) -> Instructions | None:
        held: dict[str, int | None] = {}
        for entry in self.tables.get(table, []):
            for name, value, mask in entry.match:
                if name not in held:
                    held[name] = field_of(packet, name, metadata)
                found = held[name]
                if found is None or found & mask != value:
                    break
            else:
                return entry.instructions
        return None

    def _execute(self, packet: Packet, actions: ActionSet) -> Result:
        packet = _changed(packet, actions)
        queue = actions.get("queue", 0)
        if "group" in actions:
            self.group_packets[actions["group"]] += 1
            actions = self.groups[actions["group"]]
            packet = _changed(packet, actions)
            queue = actions.get("queue", queue)
        if "output" not in actions:
            return Drop("dropped")
        self.ports[f"{actions['output']}" + (f".{queue}" if queue else "")] += 1
        return Pass("output", packet)


def _changed(packet: Packet, actions: ActionSet) -> Packet:
    for name in ACTION_ORDER:
        if name in actions:
            packet = CHANGES[name](packet, actions[name])
    return packet
