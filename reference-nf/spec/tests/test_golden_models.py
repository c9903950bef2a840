# SPDX-License-Identifier: BSD-3-Clause
"""Every execution model and variant: equal to the spec with all roles in turn on one lcore; with an lcore
each, the same packets, except for the order between flows."""

from collections import Counter, defaultdict
from collections.abc import Iterable
from functools import cache

import golden_packets as packets
import pytest
from _pytest.mark import ParameterSet
from golden_nf import FEW_PATTERNS, Nf
from scapy.layers.inet import IP, UDP
from spec.checksum import ones_complement_sum
from spec.packet import parse

SFC_A = {"chain.stages": "nat,dpi,l3fwd"} | FEW_PATTERNS
MODELS = {
    "pipeline": {"model.model": "pipeline"},
    "pipeline of two": {"model.model": "pipeline", "model.groups": "nat | dpi,l3fwd"},
    "two workers": {"model.workers": "2"},
    "three workers": {"model.workers": "3"},
    "two locked": {"model.workers": "2", "model.state": "locked"},
    "separated": {"model.state": "separated"},
    "separated, two workers": {"model.state": "separated", "model.workers": "2"},
    "separated, three and two": {"model.state": "separated", "model.workers": "3", "model.databases": "2"},
    "flow cache": {"chain.flow_cache": "on"},
    "flow cache, two workers": {"chain.flow_cache": "on", "model.workers": "2"},
    "chained": {"chain.hash": "chained"},
    "rte_hash": {"chain.hash": "rte_hash"},
    "no prefetch": {"chain.prefetch": "off"},
}
ROLES = {"pipeline": 4, "pipeline of two": 3, "two workers": 4, "three workers": 5, "two locked": 4}
ROLES |= {"separated": 5, "separated, two workers": 6, "separated, three and two": 8}
ROLES |= {"flow cache, two workers": 4}
REPEATED = {"pipeline of two", "three workers", "flow cache, two workers", "separated"}
REPEATED |= {"separated, two workers"}
"""Models whose code others meet too, with more or fewer lcores."""
SMALL_RING = {"model.ring": "128"}
"""Room for two batches, so that lcores wait for each other."""

FLOWS, PACKETS = 40, 1200


def each_model(names: Iterable[str]) -> list[ParameterSet]:
    """Parameters of a test; only the nightly tier has repeated models."""
    return [pytest.param(name, marks=[pytest.mark.nightly] * (name in REPEATED)) for name in names]


@pytest.mark.sanitised
@pytest.mark.released
@pytest.mark.parametrize("name", each_model(MODELS))
def test_golden_packets_in_turn(nf: Nf, name: str) -> None:
    nf.assert_as_spec([frame for _, frame in packets.every()], SFC_A | MODELS[name])


def test_most_workers_in_turn(nf: Nf) -> None:
    """More transmit queues than one port has."""
    settings = SMALL_RING | {"chain.stages": "l3fwd", "model.workers": "32"}
    nf.assert_as_spec([frame for _, frame in packets.every()], settings)


@pytest.mark.nightly
@pytest.mark.parametrize("name", MODELS)
@pytest.mark.parametrize("batch", [1, 256])
def test_batch_sizes_in_turn(nf: Nf, name: str, batch: int) -> None:
    settings = SFC_A | MODELS[name] | {"chain.batch": str(batch)}
    nf.assert_as_spec([frame for _, frame in packets.every()], settings)


@cache
def numbered() -> list[bytes]:
    """Packets of many flows, each with its flow and its number within the flow at the payload's beginning.
    Half of the packets are of flow 0, between each other one."""
    sent = [(0, number) for number in range(PACKETS // 2)]
    sent += [(1 + number % (FLOWS - 1), number // (FLOWS - 1)) for number in range(PACKETS // 2)]
    sent[::2], sent[1::2] = sent[: PACKETS // 2], sent[PACKETS // 2 :]
    return [
        packets.ether(
            packets.out(src=f"10.10.{flow % 3}.{flow + 1}")
            / UDP(sport=20000 + flow, dport=9)
            / f"{flow} {number} of a flow".encode()
        )
        for flow, number in sent
    ]


def by_flow(frames: list[bytes]) -> dict[int, list[int]]:
    """Numbers in the order in which they left, by flow."""
    found: dict[int, list[int]] = defaultdict(list)
    for frame in frames:
        flow, number, *_ = parse(frame).payload.split()
        found[int(flow)].append(int(number))
    return found


@pytest.mark.parametrize("name", each_model(ROLES))
def test_an_lcore_each_keeps_flows_whole_and_in_order(nf: Nf, name: str) -> None:
    frames = numbered()
    ran = nf.replay(frames, SFC_A | MODELS[name] | SMALL_RING, lcores=ROLES[name])
    assert by_flow(ran.frames) == by_flow(frames)
    outside = defaultdict(set)
    for packet in map(parse, ran.frames):
        outside[packet.source, packet.ports[0]].add(packet.payload.split()[0])
    assert len(outside) == FLOWS  # a mapping for each flow
    assert all(len(flows) == 1 for flows in outside.values())


@pytest.mark.parametrize("name", each_model(ROLES))
def test_an_lcore_each_loses_nothing(nf: Nf, name: str) -> None:
    """Dropped packets are among the others until they are dropped."""
    frames = [frame for _, frame in packets.every()] * 3
    chain = {"chain.stages": "dpi,l3fwd"} | FEW_PATTERNS
    settings = chain | MODELS[name] | SMALL_RING
    if "model.groups" in settings:
        settings["model.groups"] = "dpi | l3fwd"
    roles = ROLES[name] - (name == "pipeline")
    ran = nf.replay(frames, settings, lcores=roles)
    expected = nf.replay(frames, chain)
    assert Counter(ran.frames) == Counter(expected.frames)
    assert ran.outcomes("dpi") == expected.outcomes("dpi")
    assert ran.outcomes("l3fwd") == expected.outcomes("l3fwd")
    assert ran.totals["balanced"]


def test_a_slow_lcore_holds_back_those_before_it(nf: Nf) -> None:
    ran = nf.replay(numbered(), SFC_A | MODELS["pipeline"] | SMALL_RING, lcores=4)
    polls = {role["name"]: role["back_pressure"] for role in ran.totals["roles"]}
    assert polls["nat"] + polls["dpi"] > 0
    assert polls["l3fwd"] == polls["traffic"] == 0


def test_a_flow_keeps_its_worker_however_many_there_are(nf: Nf) -> None:
    """A session for each mapping that the table has room for: none is forgotten while its flow lives."""
    flows = 70_000  # more than [model] sessions otherwise has
    settings = {"chain.stages": "nat", "model.workers": "2", "nat.entries": "80000"}
    frame = packets.ether(packets.out() / UDP(sport=5000, dport=9, chksum=0) / b"many")
    frames = [with_source(frame, 0x0A000000 + number) for number in range(flows)]
    ran = nf.replay(frames * 2, settings)
    assert ran.outcomes("dispatch") == {"new_session": flows, "known_session": flows}
    assert ran.outcomes("nat") == {"translated_out": 2 * flows}
    ends = [frame[26:30] + frame[34:36] for frame in ran.frames]
    assert Counter(Counter(ends).values()) == {2: flows}


def with_source(frame: bytes, address: int) -> bytes:
    """The IPv4 frame from another address, with the right header sum."""
    header = bytearray(frame[14:34])
    header[10:12], header[12:16] = b"\0\0", address.to_bytes(4, "big")
    header[10:12] = (ones_complement_sum(bytes(header)) ^ 0xFFFF).to_bytes(2, "big")
    return frame[:14] + bytes(header) + frame[34:]


def test_answers_find_the_worker_of_their_flow(nf: Nf) -> None:
    """Both directions of a flow reach its instance."""
    out = [packets.ether(packets.out() / UDP(sport=30000 + n, dport=9) / b"q") for n in range(50)]
    for settings in ({"model.workers": "3"}, {"model.state": "separated", "model.databases": "2"}):
        seen = [packets.ip(frame) for frame in nf.replay(out, {"chain.stages": "nat"} | settings).frames]
        answers = [
            packets.ether(IP(src=ip.dst, dst=ip.src) / UDP(sport=ip[UDP].dport, dport=ip[UDP].sport) / b"a")
            for ip in seen
        ]
        ran = nf.replay(out + answers, {"chain.stages": "nat"} | settings)
        assert ran.outcomes("nat") == {"translated_out": 50, "translated_in": 50}
