# SPDX-License-Identifier: BSD-3-Clause
"""Ethernet forwarding through the real NF, alone and beside routing, and the edge of a backbone, in every
execution model."""

import random
import struct
from pathlib import Path

import golden_packets as packets
import pytest
from golden_nf import ONE_OF_EACH_MODEL, Nf
from scapy.layers.inet import UDP
from scapy.layers.l2 import Dot1AD, Dot1Q, Ether
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
BRIDGE, GROUP = "02:00:00:ff:00:01", "01:1e:83:00:01:00"
CUSTOMER, BEHIND = "02:00:00:00:20:01", "02:00:00:ff:01:05"
CUSTOMERS = f"""
customer {CUSTOMER} bridge {BEHIND}
customer fe:ff:ff:ff:ff:ff bridge 02:00:00:ff:01:06   # the last address
"""
PBB = {"chain.stages": "pbb", "pbb.vlan": "7"}
PBB_VARIANTS = {
    "chained": {"chain.hash": "chained"},
    "rte_hash": {"chain.hash": "rte_hash"},
    "one by one": {"chain.batch": "1"},
    "flow cache": {"chain.flow_cache": "on"},
    "rss": {"model.workers": "2", "io.offload": "rss"},
    "generated": {"pbb.customers_generated": "1000"},
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


@pytest.fixture
def customers(tmp_path: Path) -> dict[str, str]:
    """Settings with the customers above."""
    path = tmp_path / "customers.txt"
    path.write_text(CUSTOMERS)
    return {"pbb.customers": str(path)}


def in_backbone(frame: bytes, to: str = BRIDGE, service: int = 256, vlan: int = 7, flags: int = 0) -> bytes:
    """The frame as another bridge sends it."""
    addresses = bytes.fromhex((to + "020000ff0109").replace(":", ""))
    return addresses + struct.pack(">HHHI", 0x88A8, vlan, 0x88E7, flags << 24 | service) + frame


def inner(to: str = CUSTOMER) -> bytes:
    return bytes(Ether(src=packets.INSIDE_MAC, dst=to) / packets.out() / UDP(sport=1, dport=9) / b"pbb")


def backbone_frames() -> list[bytes]:
    """All golden packets; frames to each kind of customer; frames of the backbone, right and wrong."""
    to = (CUSTOMER, "fe:ff:ff:ff:ff:ff", "02:00:00:00:20:09", "ff:ff:ff:ff:ff:ff", "01:80:c2:00:00:0f")
    tagged = bytes(
        Ether(src=packets.INSIDE_MAC, dst=CUSTOMER) / Dot1AD(vlan=7) / Raw(b"\x88\xb5" + bytes(46))
    )
    backbone = [
        in_backbone(inner()),
        in_backbone(inner(), GROUP),
        in_backbone(inner(), flags=0xE0),
        in_backbone(inner(), vlan=0xE007),
        in_backbone(inner(), "02:00:00:ff:00:02"),
        in_backbone(inner(), service=257),
        in_backbone(inner(), vlan=8),
        in_backbone(inner())[:35],
        in_backbone(inner())[:36],
        in_backbone(bytes(14)),
    ]
    return [*(frame for _, frame in packets.every()), *map(inner, to), tagged, *backbone]


@pytest.mark.sanitised
@pytest.mark.parametrize(
    "name",
    [*ONE_OF_EACH_MODEL, *(pytest.param(name, marks=pytest.mark.nightly) for name in PBB_VARIANTS)],
)
def test_in_and_out(nf: Nf, customers: dict[str, str], name: str) -> None:
    settings = PBB | customers | (ONE_OF_EACH_MODEL | PBB_VARIANTS)[name]
    expected = nf.assert_as_spec(backbone_frames(), settings)
    assert set(expected.outcomes["pbb"]) == {
        *(
            "encapsulated",
            "flooded",
            "decapsulated",
            "other_service",
            "other_bridge",
            "reserved",
            "malformed",
        ),
    }


@pytest.mark.sanitised
def test_what_comes_out_is_routed(nf: Nf, customers: dict[str, str]) -> None:
    """The stages behind see the packet in the frame that came out."""
    expected = nf.assert_as_spec(backbone_frames(), PBB | customers | {"chain.stages": "pbb,l3fwd"})
    assert expected.outcomes["l3fwd"]["forwarded"] > 0


def test_there_and_back(nf: Nf, customers: dict[str, str]) -> None:
    """What one edge sends, the edge at the other end gives to its customers unchanged."""
    frames = [inner(), inner("ff:ff:ff:ff:ff:ff")]
    sent = nf.replay(frames, PBB | customers).frames
    assert nf.replay(sent, PBB | customers | {"pbb.bridge": BEHIND}).frames == frames
