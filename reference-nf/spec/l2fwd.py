# SPDX-License-Identifier: BSD-3-Clause
"""L2FWD: frames by destination address between two ports, with a static filtering database (IEEE 802.1Q)."""

from dataclasses import dataclass, field
from pathlib import Path

from spec.l3fwd import mix64
from spec.packet import ETHERNET_BYTES, Packet
from spec.stage import Drop, Pass, Result

RESERVED = bytes.fromhex("0180c20000")
"""First five bytes of the addresses that no bridge forwards; the last byte is below 16 (8.6.3)."""


@dataclass
class Stations:
    """By address: whether frames to it are forwarded."""

    forwards: dict[bytes, bool] = field(default_factory=dict)

    def generate(self, count: int, seed: int) -> None:
        """The stations of `stations_generated` and `stations_seed`; those of the file stay."""
        for number in range(count):
            self.forwards.setdefault(generated_address(seed, number), True)


def generated_address(seed: int, number: int) -> bytes:
    """Unicast, locally administered (docs/behaviour.md)."""
    low = mix64(mix64(seed) + number & (1 << 64) - 1).to_bytes(8, "little")
    return bytes([low[0] & 0xFC | 2]) + low[1:6]


def read_stations(path: Path) -> Stations:
    """Lines `station <MAC> forward|filter`; `#` begins a comment."""
    stations = Stations()
    for line in path.read_text(encoding="ascii").splitlines():
        words = line.split("#")[0].split()
        if not words:
            continue
        if words[0] != "station":
            raise ValueError(f"{path}: `{line}` is no station")
        stations.forwards[bytes.fromhex(words[1].replace(":", ""))] = words[2] == "forward"
    return stations


@dataclass
class L2fwd:
    """Stage `l2fwd`."""

    stations: Stations
    floods: bool
    switches_ip: bool
    name: str = "l2fwd"

    def begin_batch(self, now_ns: int) -> None:
        """Nothing."""

    def process(self, packet: Packet, now_ns: int) -> Result:
        """Passes the frame unchanged, or drops it."""
        del now_ns
        if packet.version and not self.switches_ip:
            return Pass("left_to_l3", packet)
        if len(packet.frame) < ETHERNET_BYTES:
            return Drop("malformed")
        to = packet.frame[:6]
        if to[0] & 1:
            reserved = to[:5] == RESERVED and to[5] < 16
            return Drop("reserved") if reserved else Pass("flooded", packet)
        forward = self.stations.forwards.get(to)
        if forward is None:
            return Pass("flooded", packet) if self.floods else Drop("unknown")
        return Pass("forwarded", packet) if forward else Drop("filtered")
