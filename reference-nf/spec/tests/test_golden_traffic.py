# SPDX-License-Identifier: BSD-3-Clause
"""Packets of the NF's generator and results of its sink, compared with the spec of the traffic."""

import json
import math
import os
import re
import struct
import subprocess
from collections import Counter
from ipaddress import IPv4Address, IPv4Network
from itertools import pairwise
from pathlib import Path
from statistics import fmean, pstdev
from typing import Any

import pytest
from golden_nf import EAL, NF_FOLDER, Nf, lcore_map
from spec.l2fwd import generated_address
from spec.pcap import read_pcap
from spec.traffic import (
    MIXED_TYPES,
    MIXES,
    STAMP,
    STAMP_MARK,
    STAMPED6_BYTES,
    Stamped,
    broken_streams,
    read_mixed,
    read_stamped,
    sizes,
    zipf_shares,
)

CONFIG = NF_FOLDER / "conf" / "sfc_a.conf"
PACKETS = 24000
HTTP = {
    "traffic.profile": "http",
    "traffic.http_capture": str(NF_FOLDER / "traffic" / "http.pcap"),
    "traffic.udp_capture": str(NF_FOLDER / "traffic" / "udp.pcap"),
}
RUN_SECONDS = 120


class Sent:
    """A run's packets, and the traffic's own report."""

    def __init__(
        self,
        nf: Nf,
        folder: Path,
        settings: dict[str, str],
        packets: int = PACKETS,
        *,
        lcores: int = 1,
        config: Path = CONFIG,
    ) -> None:
        self.dump = folder / "out.pcap"
        chain = {"chain.stages": "nop", **settings}
        command = [str(nf.binary), lcore_map(lcores), *EAL, "--", "--config", str(config)]
        command += ["--packets", str(packets), "--dump", str(self.dump)]
        for key, value in chain.items():
            command += ["--set", f"{key}={value}"]
        environment = {**os.environ, **nf.environment}
        done = subprocess.run(
            command, capture_output=True, text=True, check=False, timeout=RUN_SECONDS, env=environment
        )
        assert done.returncode == 0, f"{' '.join(command)}\n{done.stderr}"
        self.totals: dict[str, Any] = json.loads(done.stdout.splitlines()[-1])
        self.traffic: dict[str, Any] = self.totals["traffic"]
        self.frames = read_pcap(self.dump)

    def stamped(self) -> list[Stamped]:
        return [read_stamped(frame) for frame in self.frames]


def made(profile: str, **traffic: object) -> dict[str, str]:
    return {
        "traffic.profile": profile,
        **{f"traffic.{key}": str(value) for key, value in traffic.items()},
    }


@pytest.mark.parametrize(
    "profile",
    [pytest.param(name, marks=[pytest.mark.nightly] * (name not in ("64", "imix"))) for name in MIXES],
)
def test_sizes_and_order(nf: Nf, tmp_path: Path, profile: str) -> None:
    sent = Sent(nf, tmp_path, made(profile, flows=200))
    packets = sent.stamped()
    mix = MIXES[profile]
    each = PACKETS // sum(mix.values())
    assert sizes(sent.frames) == {size: share * each for size, share in mix.items()}
    for reply in (False, True):
        of_direction = [f for f, p in zip(sent.frames, packets, strict=True) if p.reply == reply]
        assert sizes(of_direction) == {size: share * each / 2 for size, share in mix.items()}
    assert {packet.flow for packet in packets} == set(range(200))
    assert not list(broken_streams(packets))
    assert [packet.time for packet in packets] == [100 * number for number in range(PACKETS)]


@pytest.mark.sanitised
def test_account_is_what_was_sent(nf: Nf, tmp_path: Path) -> None:
    sent = Sent(nf, tmp_path, made("imix", reply_percent=20, flows=50))
    for name, reply in (("outbound", False), ("inbound", True)):
        frames = [f for f in sent.frames if read_stamped(f).reply == reply]
        assert sent.traffic[f"{name}_packets"] == len(frames) == PACKETS * (20 if reply else 80) // 100
        assert sent.traffic[f"{name}_bytes"] == sum(map(len, frames))
        assert sent.traffic[f"{name}_size_64"] == sizes(frames)[64]
        assert sent.traffic[f"{name}_size_512_1023"] == sizes(frames)[594]
        assert sent.traffic[f"{name}_size_1024_1518"] == sizes(frames)[1518]
    assert all(re.fullmatch("[a-z0-9_]+", name) for name in sent.traffic), "telemetry leaves out other names"
    assert sent.traffic["received"] == PACKETS
    assert sent.traffic["lost"] == sent.traffic["reordered"] == sent.traffic["duplicates"] == 0


@pytest.mark.parametrize(
    "settings",
    [
        made("64", skew="zipf", new_flows_per_second=500000),
        pytest.param(HTTP, marks=pytest.mark.nightly),
    ],
)
def test_a_seed_repeats_bit_by_bit(nf: Nf, tmp_path: Path, settings: dict[str, str]) -> None:
    whole = {**settings, "chain.stages": "nat,dpi,l3fwd"}
    first = Sent(nf, tmp_path, whole).dump.read_bytes()
    assert Sent(nf, tmp_path, whole).dump.read_bytes() == first
    assert Sent(nf, tmp_path, whole, lcores=2).dump.read_bytes() == first
    assert Sent(nf, tmp_path, {**whole, "model.model": "pipeline"}).dump.read_bytes() == first
    assert Sent(nf, tmp_path, {**whole, "traffic.seed": "2"}).dump.read_bytes() != first


@pytest.mark.parametrize("exponent", [0.8, 1.2])
def test_zipf(nf: Nf, tmp_path: Path, exponent: float) -> None:
    packets = Sent(nf, tmp_path, made("64", flows=300, skew="zipf", zipf_exponent=exponent)).stamped()
    counts = Counter(packet.flow for packet in packets)
    for flow, share in enumerate(zipf_shares(300, exponent)):
        assert abs(counts[flow] - share * PACKETS) < 5 * math.sqrt(share * PACKETS) + 1, flow


def test_uniform(nf: Nf, tmp_path: Path) -> None:
    counts = Counter(p.flow for p in Sent(nf, tmp_path, made("64", flows=300)).stamped())
    assert all(abs(count - PACKETS / 300) < 5 * math.sqrt(PACKETS / 300) for count in counts.values())


def test_new_flows_open_themselves(nf: Nf, tmp_path: Path) -> None:
    """A thousandth of a second of virtual time for every 10,000 packets: 100,000 flows a second are 240."""
    sent = Sent(nf, tmp_path, made("64", flows=64, new_flows_per_second=100000))
    packets = sent.stamped()
    assert sent.traffic["flows_begun"] in (239, 240)
    first: dict[tuple[int, int], Stamped] = {}
    for packet in packets:
        first.setdefault((packet.flow, packet.generation), packet)
    begun = [packet for (_, generation), packet in first.items() if generation > 1]
    assert len(begun) == sent.traffic["flows_begun"]
    assert all(packet.sequence == 0 and not packet.reply for packet in begun)
    assert [packet.flow for packet in begun] == [number % 64 for number in range(len(begun))]
    outbound = [packet for packet in packets if not packet.reply]
    assert len({packet.source for packet in outbound}) == len({packet.stream for packet in outbound})
    assert not list(broken_streams(packets))


@pytest.mark.parametrize(
    "model",
    [{}, {"model.workers": "3"}, pytest.param({"model.model": "pipeline"}, marks=pytest.mark.nightly)],
)
def test_replies_pass_the_nat(nf: Nf, tmp_path: Path, model: dict[str, str]) -> None:
    settings = made("256", flows=500, new_flows_per_second=10000) | model | {"chain.stages": "nat,dpi,l3fwd"}
    sent = Sent(nf, tmp_path, settings)
    pool = IPv4Network("203.0.113.0/28")
    for packet in sent.stamped():
        assert packet.reply or IPv4Address(packet.source[0]) in pool
        assert not packet.reply or IPv4Address(packet.destination[0]) in IPv4Network("10.0.0.0/8")
    assert sent.totals["sent"] == sent.traffic["received"] == PACKETS
    assert sent.traffic["reordered"] == 0
    assert sent.traffic["inbound_packets"] > PACKETS * 0.4


def ports(frame: bytes) -> tuple[int, tuple[int, int]]:
    header_bytes = (frame[14] & 15) * 4
    return frame[23], struct.unpack_from(">HH", frame, 14 + header_bytes)


def test_http_is_four_in_five(nf: Nf, tmp_path: Path) -> None:
    sent = Sent(nf, tmp_path, HTTP)
    kinds: Counter[int] = Counter()
    for number, frame in enumerate(sent.frames):
        protocol, ends = ports(frame)
        kinds[protocol] += 1
        assert protocol == 17 or {80, 8080} & set(ends), number
        assert abs(kinds[17] - (number + 1) / 5) <= 1
    assert kinds == {6: PACKETS * 4 // 5, 17: PACKETS // 5}
    assert sent.traffic["inbound_packets"] > PACKETS * 0.3


TARGETS = [("198.51.100.80", 80), ("198.51.100.81", 8080)]


@pytest.mark.parametrize("settings", [made("64", flows=100), HTTP])
def test_clients_talk_to_targets(nf: Nf, tmp_path: Path, settings: dict[str, str]) -> None:
    targets = {f"{address}:{port}" for address, port in TARGETS}
    sent = Sent(nf, tmp_path, settings | {"traffic.target": ",".join(sorted(targets))})
    clients = IPv4Network("198.18.0.0/15")
    seen: Counter[tuple[bool, str]] = Counter()
    for frame in sent.frames:
        source, destination = IPv4Address(frame[26:30]), IPv4Address(frame[30:34])
        source_port, destination_port = ports(frame)[1]
        outbound = source in clients
        assert outbound != (destination in clients)
        seen[outbound, f"{destination}:{destination_port}" if outbound else f"{source}:{source_port}"] += 1
    assert {target for _, target in seen} == targets
    assert {outbound for outbound, _ in seen} == {True, False}


def test_open_loop_keeps_its_schedule(nf: Nf, tmp_path: Path) -> None:
    """On a busy host, packets that are not sent in time are counted, and the others keep their schedule."""
    rate, packets = 50000, 10000
    sent = Sent(nf, tmp_path, made("64", rate_pps=rate, burst=8, late_after_us=500), packets)
    assert sent.traffic["asked_pps"] == rate
    assert len(sent.frames) + sent.traffic["late"] == packets
    seconds = sent.traffic["duration_ns"] / 1e9
    assert (packets - 8) / rate <= seconds
    assert sent.traffic["achieved_pps"] <= len(sent.frames) / ((packets - 8) / rate) + 1
    assert not list(broken_streams(sent.stamped()))


def test_random_gaps_are_those_of_their_family(nf: Nf, tmp_path: Path) -> None:
    """By the times at which packets were due, which no load of this machine changes."""
    settings = made("64", rate_pps=500000, arrivals="geometric", meter="latency", late_after_us=1000000)
    sent = Sent(nf, tmp_path, settings, 10000)
    due = [STAMP.unpack(frame[-STAMP.size :])[-1] for frame in sent.frames]
    gaps = [later - earlier for earlier, later in pairwise(due)]
    assert len(gaps) == 9999 and min(gaps) >= 0
    steps = 200  # of 10 ns
    assert pstdev(gaps) / fmean(gaps) == pytest.approx(math.sqrt((1 + steps) / steps), rel=0.06)
    none = sum(gap * steps < fmean(gaps) * 10 for gap in gaps)  # up to nine steps
    assert none / len(gaps) == pytest.approx(1 - (steps / (1 + steps)) ** 10, rel=0.25)


def test_a_rate_that_nobody_can_send_is_late(nf: Nf, tmp_path: Path) -> None:
    sent = Sent(nf, tmp_path, made("1500", rate_pps=1000000000, burst=64, late_after_us=0), 100000)
    assert sent.traffic["late"] > 0
    assert len(sent.frames) + sent.traffic["late"] == 100000
    assert sent.traffic["received"] == len(sent.frames)


def test_latency(nf: Nf, tmp_path: Path) -> None:
    settings = made("256", meter="latency", rate_pps=100000, burst=4)
    traffic = Sent(nf, tmp_path, settings, 5000).traffic
    assert traffic["latency_packets"] == traffic["received"] > 0
    points = ("min", "p50", "p99", "p99_9", "max")
    assert sorted(traffic[f"latency_{p}_ns"] for p in points) == [traffic[f"latency_{p}_ns"] for p in points]
    assert traffic["latency_min_ns"] <= traffic["latency_mean_ns"] <= traffic["latency_max_ns"]
    assert 0 < traffic["jitter_mean_ns"] <= traffic["jitter_max_ns"] <= traffic["latency_max_ns"]
    warming = Sent(nf, tmp_path, settings | {"traffic.warm_up_ms": "60000"}, 5000).traffic
    assert warming["received"] > 0
    assert warming["latency_packets"] == 0


@pytest.mark.parametrize("frame_bytes", [64, pytest.param(84, marks=pytest.mark.sanitised), 512])
def test_mix_is_a_third_each(nf: Nf, tmp_path: Path, frame_bytes: int) -> None:
    config = NF_FOLDER / "conf" / "mix.conf"
    settings = {"chain.stages": "nop", "traffic.frame_bytes": str(frame_bytes), "traffic.flows": "300"}
    sent = Sent(nf, tmp_path, settings, config=config)
    packets = [read_mixed(frame) for frame in sent.frames]
    assert sizes(sent.frames) == {frame_bytes: PACKETS}
    assert [packet.ether_type for packet in packets] == [MIXED_TYPES[n % 3] for n in range(PACKETS)]
    assert {packet.destination for packet in packets[::3]} == {generated_address(1, n) for n in range(100)}
    assert all(len({packet.source for packet in packets[kind::3]}) == 100 for kind in range(3))
    following: Counter[int] = Counter()
    for number, packet in enumerate(packets):
        if packet.stamp is None:
            assert number % 3 == 2 and frame_bytes - 4 < STAMPED6_BYTES
            continue
        mark, _, flow, sequence, time = packet.stamp
        assert (mark, flow % 3, time) == (STAMP_MARK, number % 3, 100 * number)
        assert sequence == following[flow]
        following[flow] += 1
    assert sent.traffic["received"] == PACKETS
    assert sent.traffic["damaged"] == sent.traffic["reordered"] == sent.traffic["lost"] == 0


def test_mix_passes_switch_and_router(nf: Nf, tmp_path: Path) -> None:
    sent = Sent(nf, tmp_path, {"chain.stages": "l2fwd,l3fwd"}, config=NF_FOLDER / "conf" / "mix.conf")
    outcomes = {stage["name"]: stage["outcomes"] for stage in sent.totals["stages"]}
    assert outcomes["l2fwd"]["forwarded"] == outcomes["l3fwd"]["not_routed"] == PACKETS // 3
    assert outcomes["l2fwd"]["left_to_l3"] == outcomes["l3fwd"]["forwarded"] == PACKETS * 2 // 3
    hops = Counter((frame[12:14], frame[5]) for frame in sent.frames if frame[12:14] != b"\x88\xb5")
    assert len(hops) == 8, "every next hop, by either version"


TSHARK_OPTIONS = [
    *("-o", "ip.check_checksum:TRUE", "-o", "tcp.check_checksum:TRUE", "-o", "udp.check_checksum:TRUE"),
    # replayed connections begin in the middle and repeat
    *("-o", "tcp.analyze_sequence_numbers:FALSE", "-o", "tcp.desegment_tcp_streams:FALSE"),
]
GOOD = "ip.checksum.status == 1 && (udp.checksum.status == 1 || tcp.checksum.status == 1)"
BAD = "_ws.malformed || ip.checksum.status == 0 || udp.checksum.status == 0 || tcp.checksum.status == 0"
# The payload is noise, whatever protocol its port usually has
NO_APPLICATIONS = ["-d", "udp.port==0-65535,data"]


@pytest.mark.parametrize(
    ("settings", "options"),
    [
        (HTTP, []),
        *(pytest.param(made(profile), NO_APPLICATIONS, marks=pytest.mark.nightly) for profile in MIXES),
    ],
)
def test_tshark_accepts_it(nf: Nf, tmp_path: Path, settings: dict[str, str], options: list[str]) -> None:
    sent = Sent(nf, tmp_path, settings | {"chain.stages": "nat,dpi,l3fwd"}, 6000)

    assert len(sent.frames) == 6000
    command = ["tshark", "-r", str(sent.dump), *TSHARK_OPTIONS, *options, "-Y", f"({GOOD}) && !({BAD})"]
    done = subprocess.run(command, capture_output=True, text=True, check=True, timeout=RUN_SECONDS)
    assert len(done.stdout.splitlines()) == 6000
