# SPDX-License-Identifier: BSD-3-Clause
"""The user plane through the real NF: tunnels, rules, rates, counts, forwarding, every execution model."""

from collections import Counter
from pathlib import Path

import golden_packets as packets
import pytest
from golden_nf import CONFIG, Nf, size_of_tier
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from scapy.layers.inet import IP, TCP, UDP
from spec.config import read_chain
from spec.upf import GtpDecap
from test_golden_models import each_model

UPF = {"chain.stages": "gtp_decap,pdr,qer,urr,far,l3fwd"}
UPF_DPI = {"chain.stages": "gtp_decap,pdr,dpi,qer,urr,far,l3fwd"}
MODELS: dict[str, dict[str, str]] = {
    "rtc": {},
    "pipeline": {"model.model": "pipeline"},
    "pipeline of two": {"model.model": "pipeline", "model.groups": "gtp_decap,pdr | qer,urr,far,l3fwd"},
    "two workers": {"model.workers": "2"},
    "three workers": {"model.workers": "3"},
    "two locked": {"model.workers": "2", "model.state": "locked"},
    "separated": {"model.state": "separated"},
    "separated, three and two": {"model.state": "separated", "model.workers": "3", "model.databases": "2"},
    "no prefetch": {"chain.prefetch": "off"},
}
OUTCOMES = {
    "gtp_decap": {
        *("decapsulated", "plain", "echo_answered", "other_message", "unknown_extension", "malformed"),
        *("fragment", "inner_malformed"),
    },
    "pdr": {
        *("uplink", "downlink", "own", "no_session", "no_rule", "policy_denied", "malformed", "vlan"),
        "not_ip",
    },
    "qer": {"conformed", "unlimited", "own", "gate_closed"},
    "urr": {"counted", "not_counted", "own", "quota_exhausted"},
    "far": {"to_core", "to_access", "own", "dropped", "not_kept"},
}


def frames() -> list[bytes]:
    """Those of the user plane, and all others."""
    return [frame for _, frame in (*packets.user_plane(), *packets.every())]


@pytest.mark.sanitised
@pytest.mark.released
@pytest.mark.parametrize("name", each_model(MODELS))
def test_golden_packets_in_turn(nf: Nf, name: str) -> None:
    nf.assert_as_spec(frames(), UPF | MODELS[name])


@pytest.mark.sanitised
@pytest.mark.parametrize("name", ["two workers", "separated, three and two"])
def test_usage_without_limits(nf: Nf, name: str) -> None:
    """urr finds a packet's instance by itself."""
    nf.assert_as_spec(frames(), UPF | MODELS[name] | {"chain.stages": "gtp_decap,pdr,urr,far,l3fwd"})


@pytest.mark.parametrize("batch", [1, 7, 256])
def test_batch_sizes(nf: Nf, batch: int) -> None:
    nf.assert_as_spec(frames(), UPF | {"chain.batch": str(batch)})


@pytest.mark.sanitised
def test_with_dpi_of_what_is_inside(nf: Nf) -> None:
    outcomes = nf.assert_as_spec(frames(), UPF_DPI).outcomes["dpi"]
    assert outcomes["matched"] > 0


def test_every_outcome_is_met(nf: Nf) -> None:
    met = nf.assert_as_spec(frames() * 3, UPF).outcomes
    for stage, names in OUTCOMES.items():
        assert names <= set(met[stage]), stage


def test_what_is_counted(nf: Nf) -> None:
    chain = read_chain(CONFIG, UPF)
    chain.replay(frames())
    first = chain.stages[0]
    assert isinstance(first, GtpDecap)
    totals = nf.replay(frames(), UPF).totals
    assert totals["upf_sessions"] == 3
    assert {
        name: totals["upf_usage"][name] for name in ("uplink_bytes", "downlink_bytes", "reports_due")
    } == {name: first.plane.usage[name] for name in ("uplink_bytes", "downlink_bytes", "reports_due")}
    assert first.plane.usage["reports_due"] > 2
    policies = totals["upf_policies"]
    assert {name: policies[name]["packets"] for name in policies} == dict(first.plane.counted)


def test_rates_by_time(nf: Nf) -> None:
    """200 kbit/s: a burst of 100 ms and then what time brings."""
    up = packets.gtpu(0x1001, bytes(packets.out() / UDP(sport=9, dport=53) / bytes(400)))
    down = packets.ether(IP(src="198.51.100.53", dst=packets.CLIENT) / UDP(sport=53, dport=9) / bytes(400))
    settings = UPF | {"chain.batch": "1", "traffic.ns_per_packet": "3000000"}
    outcomes = nf.assert_as_spec([up, down] * 60, settings).outcomes["qer"]
    assert outcomes["conformed"] > 20
    assert outcomes["rate_exceeded"] > 20


@pytest.mark.parametrize("name", ["pipeline", "two workers", "separated, three and two"])
def test_an_lcore_each(nf: Nf, name: str) -> None:
    """Order between sessions may differ; what becomes of packets may not."""
    lcores = {"pipeline": 7, "two workers": 4, "separated, three and two": 8}[name]
    sent = [frame for _, frame in packets.user_plane()]
    ran = nf.replay(sent, UPF | MODELS[name], lcores=lcores)
    expected = read_chain(CONFIG, UPF).replay(sent)
    assert Counter(ran.frames) == Counter(expected.frames)
    for stage in ("gtp_decap", "pdr", "far"):
        assert ran.outcomes(stage) == dict(expected.outcomes[stage])


def sessions(folder: Path, text: str) -> dict[str, str]:
    """Settings with these sessions in place of the shipped ones."""
    (folder / "sessions").write_text(text)
    return UPF | {"pdr.sessions": str(folder / "sessions")}


def test_precedence_and_filters(nf: Nf, tmp_path: Path) -> None:
    lines = [
        "session",
        "pdr 1 30 access 1 far 1",
        "pdr 2 20 access 1 far 2 filter permit out ip from 192.0.2.0/24 to any",
        "pdr 3 10 access 1 far 1 filter permit out 17 from 192.0.2.10 50-60 to 10.0.0.0/8 4000-4010",
        "pdr 4 20 access 1 far 1 filter permit out 6 from any to assigned",
        "far 1 core",
        "far 2 drop",
    ]
    sent = [
        packets.gtpu(1, bytes(packets.out(src=source, dst=to) / UDP(sport=sport, dport=dport) / b"x"))
        for source in (packets.CLIENT, "11.0.0.1")
        for to in (packets.SERVER, "192.0.2.11", packets.OTHER_SERVER)
        for sport in (3999, 4000, 4010, 4011)
        for dport in (49, 50, 60, 61)
    ]
    outcomes = nf.assert_as_spec(sent, sessions(tmp_path, "\n".join(lines))).outcomes["far"]
    assert outcomes["dropped"] > 0
    assert outcomes["to_core"] > 0


addresses = st.sampled_from([packets.CLIENT, packets.OTHER_CLIENT, "10.10.4.1", packets.SERVER])
ports = st.sampled_from([53, 80, 85, 25, 9, 443])


@st.composite
def messages(draw: st.DrawFn) -> bytes:
    """A tunnelled packet, with bytes of it changed, or cut."""
    protocol = draw(st.sampled_from([UDP, TCP]))
    inner = bytes(packets.out(src=draw(addresses)) / protocol(sport=draw(ports), dport=draw(ports)) / b"abc")
    more = draw(st.sampled_from([b"", bytes((0, 0, 0, 0x85, 1, 0, 5, 0)), bytes((0, 1, 2, 0)), bytes(3)]))
    teid = draw(st.sampled_from([0x1001, 0x1002, 0x1003, 7]))
    frame = bytearray(
        packets.gtpu(teid, inner, draw(st.integers(0, 7)), more, kind=draw(st.sampled_from([255, 255, 1])))
    )
    for at, value in draw(st.lists(st.tuples(st.integers(42, 90), st.integers(0, 255)), max_size=3)):
        if at < len(frame):
            frame[at] = value
    return bytes(frame)


@pytest.mark.sanitised
@settings(max_examples=size_of_tier(15, 6), deadline=None, suppress_health_check=list(HealthCheck))
@given(sent=st.lists(messages(), min_size=1, max_size=40), batch=st.sampled_from([1, 7, 64]))
def test_any_message(nf: Nf, sent: list[bytes], batch: int) -> None:
    nf.assert_as_spec(sent, UPF | {"chain.batch": str(batch)})
