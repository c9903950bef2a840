# SPDX-License-Identifier: BSD-3-Clause
"""The user plane of 5G: tunnels' ends, packet detection, QoS, usage, forwarding (3GPP TS 29.244, 5.2)."""

from collections import Counter
from dataclasses import dataclass, field, replace

from spec import gtpu
from spec.dpi import Rule
from spec.l3fwd import mix64
from spec.packet import ETHERNET_BYTES, UDP, Kind, Packet, parse
from spec.stage import Drop, Pass, Result
from spec.upf_rules import (
    ACCESS,
    CORE,
    DOWNLINK,
    OWN,
    UNITS_PER_BYTE,
    UPLINK,
    Marked,
    Pdr,
    addresses,
    has_ports,
    ip_packet,
    mark,
)
from spec.upf_sessions import Key

ETHER_TYPES = {4: b"\x08\x00", 6: b"\x86\xdd"}
UNFIT = {Kind.MALFORMED: "malformed", Kind.VLAN: "vlan", Kind.NOT_IP: "not_ip"}
ENDS = {"drop": "dropped", "buffer": "not_kept"}


@dataclass
class UserPlane:
    """What the stages of one chain share."""

    n3: bytes
    rules: dict[Key, list[Pdr]]
    policies: list[Rule]
    burst_ms: int
    counted: Counter[str] = field(default_factory=Counter)
    usage: Counter[str] = field(default_factory=Counter)


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
        if (rule.predefined and policy is None) or (rule.match_qfis and packet.qfi not in rule.match_qfis):
            return False
        return rule.filter is None or rule.filter.fits(packet, rule.side)


class RuleStage:
    """A stage that does something by a packet's rule. What the UPF sends itself has none and passes."""

    def __init__(self, plane: UserPlane) -> None:
        self.plane = plane

    def begin_batch(self, now_ns: int) -> None:
        """Nothing."""

    def process(self, packet: Packet, now_ns: int) -> Result:
        """What becomes of a packet."""
        assert isinstance(packet, Marked)
        return Pass("own", packet) if packet.rule is None else self.apply(packet, packet.rule, now_ns)

    def apply(self, packet: Marked, rule: Pdr, now_ns: int) -> Result:
        """What becomes of a packet that has a rule."""
        raise NotImplementedError


class OwnedStage(RuleStage):
    """A stage with credit or counts of sessions: one instance has all of a session's."""

    def owner(self, packet: Packet, count: int) -> int | None:
        """By the subscriber's address, in a tunnel or not: that of IPv4, if its session has one."""
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
        rules = self.plane.rules.get(("ue", address[:8])) if len(address) > 4 else None
        if rules and rules[0].home:
            address = rules[0].home
        return mix64(int.from_bytes(address[:8], "big")) % count


class QerStage(OwnedStage):
    """Stage `qer`."""

    name = "qer"

    def apply(self, packet: Marked, rule: Pdr, now_ns: int) -> Result:
        """Lets a packet pass if gates are open and there is credit."""
        direction = UPLINK if packet.side == ACCESS else DOWNLINK
        cost = len(ip_packet(packet)) * UNITS_PER_BYTE
        limits = []
        for qer in rule.qers:
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


class UrrStage(OwnedStage):
    """Stage `urr`."""

    name = "urr"

    def apply(self, packet: Marked, rule: Pdr, now_ns: int) -> Result:
        """Counts a packet."""
        del now_ns
        if not rule.urrs:
            return Pass("not_counted", packet)
        if any(urr.quota is not None and sum(urr.bytes) >= urr.quota for urr in rule.urrs):
            return Drop("quota_exhausted")
        direction, size = (UPLINK if packet.side == ACCESS else DOWNLINK), len(ip_packet(packet))
        self.plane.usage["reports_due"] += sum(urr.count(direction, size) for urr in rule.urrs)
        self.plane.usage[("uplink_bytes", "downlink_bytes")[direction]] += size
        return Pass("counted", packet)


class FarStage(RuleStage):
    """Stage `far`."""

    name = "far"

    def apply(self, packet: Marked, rule: Pdr, now_ns: int) -> Result:
        """Forwards a packet, or does not."""
        del now_ns
        far = rule.far
        if far.action in ENDS:
            return Drop(ENDS[far.action])
        if far.action == "core":
            return Pass("to_core", packet)
        inside = gtpu.g_pdu(far.teid, rule.qfi, ip_packet(packet))
        tunnel = gtpu.outer(self.plane.n3, far.peer, gtpu.PORT, gtpu.PORT, inside)
        return Pass("to_access", parse(packet.frame[:12] + b"\x08\x00" + tunnel))
