# SPDX-License-Identifier: BSD-3-Clause
"""Ethernet. L2FWD: frames by destination address between two ports, with a static filtering database (IEEE
802.1Q). PBB: an edge of a provider backbone bridged network (IEEE 802.1ah)."""

import struct
from dataclasses import dataclass, field
from pathlib import Path

from spec.l3fwd import mix64
from spec.packet import ETHERNET_BYTES, Packet, parse
from spec.stage import Drop, Pass, Result

RESERVED = bytes.fromhex("0180c20000")
"""First five bytes of the addresses that no bridge forwards; the last byte is below 16 (8.6.3)."""

SERVICE_TAG, BACKBONE_TAG = 0x88A8, 0x88E7
HEAD_BYTES = 22  # both addresses, B-TAG, I-TAG up to the customers' addresses
GROUP = bytes.fromhex("011e83")  # the I-SID follows (26.4)
BRIDGES = 64  # that generated customers are behind


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
        stations.forwards[address(words[1])] = words[2] == "forward"
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


@dataclass
class Customers:
    """By address: the bridge behind which a customer is."""

    bridges: dict[bytes, bytes] = field(default_factory=dict)

    def generate(self, count: int, seed: int) -> None:
        """Those of `customers_generated` and `customers_seed`; those of the file stay."""
        for number in range(count):
            bridge = bytes.fromhex("020000ff01") + bytes([number % BRIDGES])
            self.bridges.setdefault(generated_address(seed, number), bridge)


def address(text: str) -> bytes:
    """The bytes of a MAC address."""
    return bytes.fromhex(text.replace(":", ""))


def read_customers(path: Path) -> Customers:
    """Lines `customer <MAC> bridge <MAC>`; `#` begins a comment."""
    customers = Customers()
    for line in path.read_text(encoding="ascii").splitlines():
        words = line.split("#")[0].split()
        if words:
            customers.bridges[address(words[1])] = address(words[3])
    return customers


@dataclass
class Pbb:
    """Stage `pbb`."""

    customers: Customers
    bridge: bytes
    service: int
    vlan: int
    name: str = "pbb"

    @property
    def group(self) -> bytes:
        """The address of all bridges with the service."""
        return GROUP + self.service.to_bytes(3, "big")

    def begin_batch(self, now_ns: int) -> None:
        """Nothing."""

    def process(self, packet: Packet, now_ns: int) -> Result:
        """Into the backbone, or out of it."""
        del now_ns
        frame = packet.frame
        if len(frame) < ETHERNET_BYTES:
            return Drop("malformed")
        if len(frame) >= 18 and frame[12:14] == b"\x88\xa8" and frame[16:18] == b"\x88\xe7":
            return self._leave(frame)
        to = frame[:6]
        if to[:5] == RESERVED and to[5] < 16:
            return Drop("reserved")
        known = self.customers.bridges.get(to)
        tags = struct.pack(">HHHI", SERVICE_TAG, self.vlan, BACKBONE_TAG, self.service)
        head = (known or self.group) + self.bridge + tags
        return Pass("encapsulated" if known else "flooded", parse(head + frame))

    def _leave(self, frame: bytes) -> Result:
        if len(frame) < HEAD_BYTES + ETHERNET_BYTES:
            return Drop("malformed")
        (vlan,) = struct.unpack_from(">H", frame, 14)
        if vlan & 0xFFF != self.vlan or int.from_bytes(frame[19:22], "big") != self.service:
            return Drop("other_service")
        if frame[:6] not in (self.bridge, self.group):
            return Drop("other_bridge")
        return Pass("decapsulated", parse(frame[HEAD_BYTES:]))
