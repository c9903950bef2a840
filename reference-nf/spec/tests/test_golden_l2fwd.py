# SPDX-License-Identifier: BSD-3-Clause
"""Ethernet forwarding through the real NF, alone and beside routing, in every execution model."""

import random
from pathlib import Path

import golden_packets as packets
import pytest
from golden_nf import ONE_OF_EACH_MODEL, Nf
from scapy.layers.inet import UDP
from scapy.layers.l2 import Dot1Q, Ether
from scapy.packet import Raw
from spec.l2fwd import generated_address

STATIONS = """
station 02:00:00:00:20:01 forward
station 02:00:00:00:20:02 filter   # on this side
station 00:00:00:00:00:00 filter
station fe:ff:ff:ff:ff:ff forward
"""
ADDRESSES = (
    "02:00:00:00:20:01",
    "02:00:00:00:20:02",
    "02:00:00:00:20:03",
    "00:00:00:00:00:00",
    "fe:ff:ff:ff:ff:ff",
    "ff:ff:ff:ff:ff:ff",
    "01:00:5e:00:00:01",
    "01:80:c2:00:00:00",
    "01:80:c2:00:00:0f",
    "01:80:c2:00:00:10",
    "01:80:c2:00:01:00",
)
BESIDE = {"chain.stages": "l2fwd,l3fwd", "l2fwd.frames": "not_ip", "l3fwd.others": "pass"}
MODELS = ONE_OF_EACH_MODEL | {"flow cache": {"chain.flow_cache": "on"}}
VARIANTS = {
    "chained": {"chain.hash": "chained"},
    "rte_hash": {"chain.hash": "rte_hash"},
    "no prefetch": {"chain.prefetch": "off"},
    "one by one": {"chain.batch": "1"},
}


@pytest.fixture
def stations(tmp_path: Path) -> dict[str, str]:
    """Settings with the stations above."""
    path = tmp_path / "stations.txt"
    path.write_text(STATIONS)
    return {"l2fwd.stations": str(path)}


def frames_to(address: str) -> list[bytes]:
    """Frames of each kind that `rx` distinguishes at this layer."""
    ether = Ether(src=packets.INSIDE_MAC, dst=address)
    udp = UDP(sport=1, dport=9) / b"l2"
    plain = ether / Raw(b"payload")
    plain.type = 0x88B5
    return [
        bytes(plain),
        bytes(ether / packets.out() / udp),
        bytes(ether / packets.out6() / udp),
        bytes(ether / Dot1Q(vlan=7) / packets.out() / udp),
    ]


def every_frame() -> list[bytes]:
    """All golden packets, and frames to each kind of address."""
    return [frame for _, frame in packets.every()] + [f for to in ADDRESSES for f in frames_to(to)]


@pytest.mark.sanitised
@pytest.mark.parametrize(
    "name", [*MODELS, *(pytest.param(name, marks=pytest.mark.nightly) for name in VARIANTS)]
)
def test_beside_routing(nf: Nf, stations: dict[str, str], name: str) -> None:
    """Frames without IP by address, the others by route."""
    expected = nf.assert_as_spec(every_frame(), BESIDE | stations | (MODELS | VARIANTS)[name])
    assert set(expected.outcomes["l2fwd"]) == {
        *("forwarded", "flooded", "left_to_l3", "filtered", "unknown", "reserved", "malformed"),
    }
    assert expected.outcomes["l3fwd"]["not_routed"] > 0


@pytest.mark.sanitised
@pytest.mark.parametrize("unknown", ["flood", "drop"])
def test_alone(nf: Nf, stations: dict[str, str], unknown: str) -> None:
    """Every frame by address, whatever is in it, and unchanged."""
    settings = {"chain.stages": "l2fwd", "l2fwd.unknown": unknown}
    frames = every_frame()
    expected = nf.assert_as_spec(frames, stations | settings)
    assert set(expected.frames) <= set(frames)
    assert ("unknown" in expected.outcomes["l2fwd"]) == (unknown == "drop")


@pytest.mark.parametrize("generated", [1, 5_000, pytest.param(200_000, marks=pytest.mark.nightly)])
def test_tables_of_any_size(nf: Nf, generated: int) -> None:
    """Addresses of stations, and such that differ from one in a bit."""
    dice = random.Random(7)
    frames = []
    for _ in range(1000):
        address = generated_address(3, dice.randrange(generated))
        near = (int.from_bytes(address) ^ 1 << dice.randrange(40)).to_bytes(6)
        frames += [to + bytes(6) + b"\x88\xb5" + bytes(46) for to in (address, near)]
    settings = {
        "chain.stages": "l2fwd",
        "l2fwd.stations_generated": str(generated),
        "l2fwd.stations_seed": "3",
    }
    assert nf.assert_as_spec(frames, settings).outcomes["l2fwd"]["forwarded"] >= 1000
