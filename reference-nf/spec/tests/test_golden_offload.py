# SPDX-License-Identifier: BSD-3-Clause
"""Work that the NIC does changes nothing of what leaves, in every execution model: the spec has no NIC."""

from collections import Counter

import golden_packets as packets
import pytest
from golden_nf import CONFIG, FEW_PATTERNS, Nf
from golden_nf import ONE_OF_EACH_MODEL as MODELS
from scapy.layers.inet import IP, UDP, fragment
from scapy.layers.l2 import Ether
from spec.config import read_chain

UPF = "gtp_decap,pdr,qer,urr,far,l3fwd"
SUMMED = "checksum,hash"
CACHED = {"chain.flow_cache": "on"}
CACHES = {
    "one": {},
    "two workers": {"model.workers": "2"},
    "evicting": {"flow_cache.entries": "5"},
    "few marks": {"io.marks": "7"},
    "with all": {"io.offload": "checksum,hash,mark"},
}


def every_frame(times: int = 1) -> list[bytes]:
    """All golden packets; more than once, so that flows are known."""
    return [frame for _, frame in packets.every()] * times


@pytest.mark.sanitised
@pytest.mark.parametrize(
    ("name", "chain"), [*((name, "nat,dpi,l3fwd") for name in MODELS), ("two workers", "dpi,l3fwd")]
)
def test_checksum_and_hash(nf: Nf, name: str, chain: str) -> None:
    """With state and without: workers are chosen by session, or by the hash."""
    settings = {"chain.stages": chain, "io.offload": SUMMED} | FEW_PATTERNS | MODELS[name]
    ran = nf.run_as_spec(every_frame(), settings).ran
    assert ran.outcomes("nic") == {"handed_in": len(every_frame())}


@pytest.mark.sanitised
@pytest.mark.parametrize("name", CACHES)
def test_mark(nf: Nf, name: str) -> None:
    settings = {"chain.stages": "nat,dpi,l3fwd", "io.offload": "mark"} | FEW_PATTERNS
    settings |= CACHED | CACHES[name]
    nf.assert_as_spec(every_frame(3), settings)


def test_marked_packets_follow_as_the_others_do(nf: Nf) -> None:
    """The cache has the same account of them."""
    settings = {"chain.stages": "nat,l3fwd"} | CACHED
    frames = every_frame(3)
    marked = nf.replay(frames, settings | {"io.offload": "mark"})
    assert marked.outcomes("flow_cache") == nf.replay(frames, settings).outcomes("flow_cache")


def in_tunnels() -> list[bytes]:
    """Fragments of a subscriber's datagrams, in tunnels, and a fragment of a tunnel's own packet."""
    parts = fragment(packets.out(id=7) / UDP(sport=4000, dport=53) / bytes(1200), fragsize=600)
    inside = [packets.gtpu(0x1001, bytes(part)) for part in parts]
    outside = fragment(Ether(packets.gtpu(0x1001, bytes(parts[0])))[IP], fragsize=400)
    return [*inside, *(packets.ether(part) for part in outside), *inside]


@pytest.mark.sanitised
@pytest.mark.parametrize("fragments", ["reassemble", pytest.param("pass", marks=pytest.mark.nightly)])
@pytest.mark.parametrize("name", MODELS)
def test_decap(nf: Nf, name: str, fragments: str) -> None:
    frames = [frame for _, frame in packets.user_plane()] * 2 + every_frame() + in_tunnels()
    settings = {"chain.stages": UPF, "io.offload": "decap,checksum", "io.fragments": fragments} | MODELS[name]
    expected = read_chain(CONFIG, settings).replay(frames)
    ran = nf.replay(frames, settings)
    for stage in UPF.split(","):
        assert ran.outcomes(stage) == dict(expected.outcomes[stage]), stage
    assert {"decapsulated", "inner_malformed"} <= set(ran.outcomes("gtp_decap"))
    if name == "two locked":  # workers are chosen by what is inside: another order between flows
        assert Counter(ran.frames) == Counter(expected.frames)
    else:
        assert ran.frames == expected.frames


@pytest.mark.sanitised
@pytest.mark.parametrize("workers", ["2", "3"])
@pytest.mark.parametrize(
    ("chain", "state"), [("dpi,l3fwd", "lockfree"), ("acl,l3fwd", "lockfree"), ("nat,dpi,l3fwd", "locked")]
)
def test_rss(nf: Nf, chain: str, state: str, workers: str) -> None:
    """Workers have a receive queue each and no lcore before them: no packet is dispatched or handed over."""
    settings = {"chain.stages": chain, "io.offload": "rss", "model.workers": workers, "model.state": state}
    ran = nf.run_as_spec(every_frame(3), settings | FEW_PATTERNS).ran
    stages = {stage["name"] for stage in ran.totals["stages"]}
    assert stages == {"generator", "nic", "rx", *chain.split(","), "tx", "sink"}
    assert [role["name"] for role in ran.totals["roles"]] == [
        *(f"worker_{number}" for number in range(int(workers))),
        "traffic",
    ]


@pytest.mark.parametrize("workers", ["2", "3"])
def test_rss_has_one_time(nf: Nf, workers: str) -> None:
    """Mappings that workers share are as old as without queues, also if most packets come to one worker."""
    settings = {"chain.stages": "nat", "chain.batch": "4", "traffic.ns_per_packet": "1000000000"}
    settings |= {"nat.udp_timeout_s": "30", "model.workers": workers, "model.state": "locked"}
    out = [packets.ether(packets.out() / UDP(sport=30000 + n, dport=9) / b"q") for n in range(20)]
    seen = [packets.ip(frame) for frame in nf.replay(out, settings).frames]
    answers = [
        packets.ether(IP(src=ip.dst, dst=ip.src) / UDP(sport=ip[UDP].dport, dport=ip[UDP].sport) / b"a")
        for ip in seen
    ]
    frames = [*out, *answers, *out[:1] * 60, *answers]
    ran = nf.run_as_spec(frames, settings | {"io.offload": "rss"}).ran
    assert ran.outcomes("nat") == {"translated_out": 80, "translated_in": 20, "no_mapping": 20}
    assert ran.frames == nf.replay(frames, settings).frames


def test_rss_with_an_lcore_each(nf: Nf) -> None:
    """The order within a flow's direction stays, whatever the lcores do."""
    settings = {"chain.stages": "l3fwd", "io.offload": "rss", "model.workers": "3"}
    frames = every_frame(20)
    ran = nf.replay(frames, settings, lcores=4)
    alone = nf.replay(frames, {"chain.stages": "l3fwd"})
    assert Counter(ran.frames) == Counter(alone.frames)
    assert ran.outcomes("l3fwd") == alone.outcomes("l3fwd")


def test_rss_of_a_port(nf: Nf) -> None:
    """Each worker has a receive queue of EAL's port."""
    settings = {"chain.stages": "nop", "io.offload": "rss", "model.workers": "2", "io.port": "eal"}
    totals = nf.outside(settings, ["--vdev=net_null0"], packets=20_000)
    assert 20_000 <= totals["in"] <= 20_000 + 64
    assert totals["in"] == totals["sent"] + totals["policy"] + totals["lost"] + totals["bad"]


def test_off_is_no_stage(nf: Nf) -> None:
    totals = nf.replay(every_frame(), {"chain.stages": "nop"}).totals
    assert "nic" not in {stage["name"] for stage in totals["stages"]}
