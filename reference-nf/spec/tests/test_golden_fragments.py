# SPDX-License-Identifier: BSD-3-Clause
"""Fragments through the real NF: put together on the receiving lcore of every execution model."""

import random
import struct

import golden_packets as packets
import pytest
from golden_nf import FEW_PATTERNS, Nf
from golden_nf import ONE_OF_EACH_MODEL as MODELS
from scapy.layers.inet import ICMP, TCP, UDP, fragment
from scapy.layers.inet6 import (
    ICMPv6EchoRequest,
    IPv6ExtHdrDestOpt,
    IPv6ExtHdrFragment,
    IPv6ExtHdrHopByHop,
    IPv6ExtHdrRouting,
)
from scapy.layers.l2 import Ether
from scapy.packet import Packet, Raw
from spec.fragments import MTU, REFUSALS

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


def parts6(
    number: int, layer: Packet, size: int, length: int, before: tuple[Packet, ...] = ()
) -> list[bytes]:
    """The frames of an IPv6 datagram with so many bytes behind `layer`, in parts with so many bytes of data,
    with these headers before the fragment header."""
    whole = bytes(packets.out6() / layer / bytes(n * number & 255 for n in range(length)))
    frames = []
    for at in range(40, len(whole), size):
        packet = packets.out6()
        for header in before:
            packet /= header
        more = at + size < len(whole)
        packet /= IPv6ExtHdrFragment(nh=whole[6], id=number, offset=(at - 40) // 8, m=more)
        frames.append(packets.ether(packet / Raw(whole[at : at + size])))
    return frames


def padding(kind: type[Packet], size: int) -> Packet:
    """An extension header of this size, which is all padding of one byte."""
    return kind(len=size // 8 - 1, autopad=0, options=[Raw(bytes(size - 2))])


def whole_and_odd6() -> list[list[bytes]]:
    """The same of IPv6: datagrams that come out first, then others."""
    udp, tcp = UDP(sport=4000, dport=80), TCP(sport=4001, dport=80, flags="A")
    on_the_way = (IPv6ExtHdrHopByHop(), IPv6ExtHdrDestOpt(), IPv6ExtHdrRouting(addresses=["2001:db8::5"]))
    taken = parts6(111, tcp, 1000, 1900)
    goes = [
        parts6(101, udp, 1448, 1500),
        parts6(102, udp, 1448, 4000),
        parts6(103, tcp, 1448, 9000),
        parts6(104, tcp, 8, 40),
        parts6(105, ICMPv6EchoRequest(), 800, 2000),
        parts6(106, IPv6ExtHdrDestOpt() / udp, 1000, 3000),
        parts6(107, udp, 1000, 3000, on_the_way),
        parts6(108, udp, 1000, 3000, (padding(IPv6ExtHdrDestOpt, 304),)),
        parts6(109, udp, 1448, 1000),  # atomic
        parts6(110, udp, 1800, 1700, on_the_way),  # atomic, and longer than an MTU
        [taken[0], *parts6(111, udp, 1448, 77), *taken[1:]],  # atomic, with an identification that is in use
        parts6(112, udp, 1000, 1600)[:1] + parts6(112, udp, 1000, 1600, on_the_way)[1:],
        [frame + bytes(6) for frame in parts6(113, udp, 200, 500)],
        [frame + bytes(6) for frame in parts6(114, udp, 200, 50)],
    ]
    gap, twice, overlap, uneven, empty, late, end = (parts6(n, udp, 600, 2000) for n in range(121, 128))
    overlap[1] = parts6(123, udp, 608, 2000)[1]
    uneven[1] = changed(uneven[1], drop=3)
    empty[1] = changed(empty[1], drop=600)
    end[-1] = changed(end[-1], place=0xFFF8)
    return [
        *goes,
        parts6(120, udp, 200, 2000),
        parts6(119, udp, 1448, 9300),
        parts6(118, udp, 1000, 7900, (padding(IPv6ExtHdrHopByHop, 504),)),  # in too many parts when it leaves
        gap[:1] + gap[2:],
        [*twice, *twice[1:2]],
        [twice[0]],
        overlap,
        uneven,
        empty,
        late[1:],
        end,
        [packets.ether(packets.out6() / udp / bytes(1700))],  # whole, and longer than an MTU
    ]


def changed(frame: bytes, drop: int = 0, place: int | None = None) -> bytes:
    """The fragment without its last bytes, or with another offset and flag."""
    (length,) = struct.unpack_from(">H", frame, 18)
    if place is not None:
        frame = frame[:56] + struct.pack(">H", place) + frame[58:]
    return frame[:18] + struct.pack(">H", length - drop) + frame[20 : len(frame) - drop]


def shuffled(seed: int) -> list[bytes]:
    """All of them, fragments between each other's, and other packets between those."""
    source = random.Random(seed)
    frames = [frame for parts in whole_and_odd() + whole_and_odd6() for frame in parts]
    source.shuffle(frames)
    others = [packets.ether(packets.out() / UDP(sport=4000, dport=80) / b"GET /") for _ in range(20)]
    others += [frame for _, frame in [*packets.odd(), *packets.ipv6()]]
    for frame in others:
        frames.insert(source.randrange(len(frames)), frame)
    return frames


@pytest.mark.sanitised
@pytest.mark.parametrize(
    "name", [pytest.param(name, marks=[pytest.mark.nightly] * (name == "two workers")) for name in MODELS]
)
def test_in_every_model(nf: Nf, name: str) -> None:
    """The same packets leave, whatever lcore their flow is on: the ports of all fragments are known."""
    frames = [frame for parts in whole_and_odd() + whole_and_odd6() for frame in parts] + shuffled(len(name))
    both = nf.run_as_spec(frames, CHAIN | MODELS[name])
    assert both.chain.arrival.reassembly is not None
    found = both.ran.totals["fragments"]
    assert both.ran.totals["in"] == len(frames)
    assert both.ran.outcomes("rx")["gathered"] == found["received"] - found["datagrams"]
    assert found.pop("added") == len(both.ran.frames) - both.ran.totals["sent"]
    assert found == both.chain.arrival.reassembly.report()
    assert found["datagrams"] >= 9 + 17
    assert "fragment" not in both.ran.outcomes("nat")
    assert all(len(frame) <= MTU + 14 for frame in both.ran.frames)


@pytest.mark.parametrize("seed", [1, *(pytest.param(n, marks=pytest.mark.nightly) for n in range(2, 12))])
def test_late_and_too_many(nf: Nf, seed: int) -> None:
    settings = CHAIN | SOON | {"chain.batch": "7", "io.fragment_datagrams": "5", "chain.stages": "l3fwd"}
    both = nf.run_as_spec(shuffled(seed) * 2, settings)
    assert both.chain.arrival.reassembly is not None
    found = both.ran.totals["fragments"]
    assert {"added": found["added"]} | both.chain.arrival.reassembly.report() == found
    assert found["refused"]["no_room"] > 0
    assert found["expired"] > 0 or seed != 1


def test_bytes_behind_the_ip_packet_are_not_cut(nf: Nf) -> None:
    """They do not leave in fragments, and a packet that an MTU has room for leaves whole."""
    udp = UDP(sport=4000, dport=80)
    sizes = (1400, 1472, 1473, 1800)
    frames = [packets.ether(packets.out() / udp / bytes(size)).ljust(2000, b"\xee") for size in sizes]
    six = packets.ether(packets.out6() / udp / bytes(1452)).ljust(2000, b"\xee")
    malformed = frames[0][:24] + bytes(2) + frames[0][26:]  # its sum
    settings = CHAIN | {"chain.stages": "nop"}
    both = nf.run_as_spec([*frames, six, malformed], settings)
    assert [len(frame) for frame in both.ran.frames] == [14 + 1428, 1514, 1514, 35, 1514, 14 + 20 + 328, 1514]
    assert both.ran.outcomes("tx")["ring_full"] == 1
    assert not any(b"\xee" in frame for frame in both.ran.frames)


@pytest.mark.sanitised
@pytest.mark.parametrize("stages", ["l3fwd", "nat,dpi,l3fwd"])
def test_each_of_version_6(nf: Nf, stages: str) -> None:
    """Each datagram alone, so that each has the result which its name says."""
    parts = whole_and_odd6()
    both = nf.run_as_spec([frame for frames in parts for frame in frames], CHAIN | {"chain.stages": stages})
    found = both.ran.totals["fragments"]
    assert found["refused"] == {
        "empty": 1,
        "uneven": 1,
        "too_long": len(parts6(119, UDP(), 1448, 9300)) + 1,
        "no_room": 0,
        "contradicts": len(parts6(120, UDP(), 200, 2000)[:8]) + 4,
    }
    assert set(found["refused"]) == set(REFUSALS)
    assert found["atomic"] == 4
    assert found["datagrams"] == 17


def test_what_is_cut_again_keeps_its_identification(nf: Nf) -> None:
    """And the fragment header stands where the source put it."""
    before = (IPv6ExtHdrHopByHop(), IPv6ExtHdrDestOpt(), IPv6ExtHdrRouting(addresses=["2001:db8::5"]))
    frames = parts6(0xABCDE, UDP(sport=1, dport=2), 1000, 4000, before)
    ran = nf.replay(frames, CHAIN | {"chain.stages": "l3fwd"})
    left = [Ether(frame) for frame in ran.frames]
    assert [frame[IPv6ExtHdrFragment].id for frame in left] == [0xABCDE] * len(left)
    assert [bool(frame[IPv6ExtHdrFragment].m) for frame in left] == [True] * (len(left) - 1) + [False]
    data = b"".join(bytes(frame[IPv6ExtHdrFragment].payload) for frame in left)
    assert data == b"".join(bytes(Ether(frame)[IPv6ExtHdrFragment].payload) for frame in frames)
    assert all(isinstance(frame[IPv6ExtHdrRouting].payload, IPv6ExtHdrFragment) for frame in left)


def test_an_lcore_each(nf: Nf) -> None:
    """The fragments of each datagram arrive with many others, and each comes out once."""
    talks = [parts_of(n, UDP(sport=4000 + n % 9, dport=9), 1480, 3000) for n in range(1, 200)]
    frames = [frame for parts in talks for frame in parts]
    settings = CHAIN | {"chain.stages": "nat,l3fwd", "model.workers": "2", "model.state": "separated"}
    ran = nf.replay(frames, settings, lcores=6)
    assert ran.totals["fragments"]["datagrams"] == len(talks)
    assert len(ran.frames) == len(frames)
    assert sorted({Ether(frame)["IP"].id for frame in ran.frames}) == list(range(1, 200))
