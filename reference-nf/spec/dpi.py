# SPDX-License-Identifier: BSD-3-Clause
"""DPI: every rule is searched in the layer 4 payload; what matches decides. DSCP is that of RFC 2474."""

import re
from collections import Counter
from dataclasses import dataclass
from pathlib import Path

from spec.checksum import update
from spec.packet import ETHERNET_BYTES, ICMP, Kind, Packet
from spec.stage import Drop, Pass, Result, with_bytes

ACTIONS = ("pass", "mark", "drop")
IP_CHECKSUM = ETHERNET_BYTES + 10


@dataclass(frozen=True)
class Rule:
    """One line of the pattern file."""

    id: str
    action: str
    pattern: re.Pattern[bytes]


def read_rules(path: Path) -> list[Rule]:
    """`id action pattern`, the pattern to the end of the line; `#` begins a comment line."""
    rules = []
    for line in path.read_text(encoding="ascii").splitlines():
        if not line.strip() or line.startswith("#"):
            continue
        name, action, pattern = line.split(maxsplit=2)
        if action not in ACTIONS:
            raise ValueError(f"{path}: action `{action}` of rule {name}, not one of {', '.join(ACTIONS)}")
        rules.append(Rule(name, action, re.compile(pattern.encode())))
    return rules


class Dpi:
    """Stage `dpi`. `matches` counts packets by rule id."""

    name = "dpi"

    def __init__(self, rules: list[Rule], mark_dscp: int) -> None:
        self.rules = rules
        self.mark_dscp = mark_dscp
        self.matches = Counter[str]()

    def begin_batch(self, now_ns: int) -> None:
        """Nothing."""

    def process(self, packet: Packet, now_ns: int) -> Result:
        """Searches the packet's payload."""
        del now_ns
        if packet.version != 4 or packet.kind is not Kind.L4 or packet.protocol == ICMP:
            return Pass("not_inspected", packet)
        if not packet.payload:
            return Pass("no_payload", packet)
        matching = [rule for rule in self.rules if rule.pattern.search(packet.payload)]
        self.matches.update(rule.id for rule in matching)
        actions = {rule.action for rule in matching}
        if "drop" in actions:
            return Drop("dropped")
        if "mark" in actions:
            return Pass("marked", self._mark(packet))
        return Pass("matched" if matching else "no_match", packet)

    def _mark(self, packet: Packet) -> Packet:
        """Writes the DSCP; ECN, the two low bits of the octet, stays (RFC 3168)."""
        at = ETHERNET_BYTES
        old = packet.frame[at : at + 2]
        new = bytes([self.mark_dscp << 2 | old[1] & 3])
        old_sum = int.from_bytes(packet.frame[IP_CHECKSUM : IP_CHECKSUM + 2], "big")
        new_sum = update(old_sum, old, old[:1] + new).to_bytes(2, "big")
        return with_bytes(packet, (at + 1, new), (IP_CHECKSUM, new_sum))
