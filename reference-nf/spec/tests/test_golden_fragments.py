# SPDX-License-Identifier: BSD-3-Clause
"""Fragments through the real NF: put together on the receiving lcore of every execution model."""

import random

import golden_packets as packets
import pytest
from golden_nf import FEW_PATTERNS, Nf
from golden_nf import ONE_OF_EACH_MODEL as MODELS
from scapy.layers.inet import ICMP, TCP, UDP, fragment
from scapy.layers.l2 import Ether
from spec.fragments import MTU

REASSEMBLE = {"io.fragments": "reassemble"}
CHAIN = REASSEMBLE | {"chain.stages": "nat,dpi,l3fwd"} | FEW_PATTERNS
SOON = {"io.fragment_timeout_ms": "1", "traffic.ns_per_packet": "10000"}
"""A hundred packets later."""


def parts_of(number: int, layer: object, size: int, length: int, **fields: object) -> list[bytes]:
    """The frames of a datagram of this length, cut into parts of this size."""
    text = (b"GET / HTTP/1.1\r\nHost: www.example.com\r\n\r\n" * 300)[:length]
    datagram = packets.out(id=number, **fields) / layer / text
    parts = fragment(datagram, fragsize=size)
    for part in parts:
        part.flags |= datagram.flags & "DF"
    return [packets.ether(part) for part in parts]


def whole_and_odd() -> list[list[bytes]]:
    """Datagrams, each as its fragments in order."""
    udp, tcp = UDP(sport=4000, dport=80), TCP(sport=4001, dport=80, flags="A")
    talks = [
        parts_of(1, udp, 1480, 1500),
        parts_of(2, udp, 1480, 4000),
        parts_of(3, udp, 504, 3000),
        parts_of(4, tcp, 1480, 9100),
        parts_of(5, tcp, 8, 60),
        parts_of(6, ICMP(), 800, 2000),
        parts_of(7, udp, 1480, 3000, flags="DF"),
        parts_of(8, udp, 1000, 1000),
    ]
    too_many, too_long = parts_of(9, udp, 200, 2000), parts_of(10, udp, 1480, 9300)
    gap, twice, overlap = (parts_of(n, udp, 600, 2000) for n in (11, 12, 13))
    overlap[1] = parts_of(13, udp, 608, 2000)[1]
    padded = [frame + bytes(6) for frame in parts_of(14, udp, 200, 500)]
    return [*talks, too_many, too_long, gap[:1] + gap[2:], [*twice, *twice[1:2]], [twice[0]], overlap, padded]


def shuffled(seed: int) -> list[bytes]:
    """All of them, fragments between each other's, and other packets between those."""
    source = random.Random(seed)
    frames = [frame for parts in whole_and_odd() for frame in parts]
    source.shuffle(frames)
    others = [packets.ether(packets.out() / UDP(sport=4000, dport=80) / b"GET /") for _ in range(20)]
    others += [frame for _, frame in packets.odd()]
    for frame in others:
        frames.insert(source.randrange(len(frames)), frame)
    return frames


@pytest.mark.sanitised
@pytest.mark.parametrize("name", MODELS)
def test_in_every_model(nf: Nf, name: str) -> None:
    """The same packets leave, whatever lcore their flow is on: the ports of all fragments are known."""
    frames = [frame for parts in whole_and_odd() for frame in parts] + shuffled(len(name))
    both = nf.run_as_spec(frames, CHAIN | MODELS[name])
    assert both.chain.arrival.reassembly is not None
    found = both.ran.totals["fragments"]
    assert found.pop("added") == len(both.ran.frames) - both.ran.totals["sent"]
    assert found == both.chain.arrival.reassembly.report()
    assert found["datagrams"] >= 9
    assert "fragment" not in both.ran.outcomes("nat")
    assert all(len(frame) <= MTU + 14 for frame in both.ran.frames)


@pytest.mark.parametrize("seed", [1, *(pytest.param(n, marks=pytest.mark.nightly) for n in range(2, 12))])
def test_late_and_too_many(nf: Nf, seed: int) -> None:
    settings = CHAIN | SOON | {"chain.batch": "7", "io.fragment_datagrams": "5", "chain.stages": "l3fwd"}
    both = nf.run_as_spec(shuffled(seed) * 2, settings)
    assert both.chain.arrival.reassembly is not None
    found = both.ran.totals["fragments"]
    assert {"added": found["added"]} | both.chain.arrival.reassembly.report() == found
    assert found["refused"] > 0
    assert found["expired"] > 0 or seed != 1


def test_an_lcore_each(nf: Nf) -> None:
    """The fragments of each datagram arrive with many others, and each comes out once."""
    talks = [parts_of(n, UDP(sport=4000 + n % 9, dport=9), 1480, 3000) for n in range(1, 200)]
    frames = [frame for parts in talks for frame in parts]
    settings = CHAIN | {"chain.stages": "nat,l3fwd", "model.workers": "2", "model.state": "separated"}
    ran = nf.replay(frames, settings, lcores=6)
    assert ran.totals["fragments"]["datagrams"] == len(talks)
    assert len(ran.frames) == len(frames)
    assert sorted({Ether(frame)["IP"].id for frame in ran.frames}) == list(range(1, 200))
