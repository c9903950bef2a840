# SPDX-License-Identifier: BSD-3-Clause
"""A mapping's idle time, one of TCP's two, through the real NF (RFC 5382, REQ-5; RFC 7857, 2.2, 2.3)."""

import golden_packets as packets
import pytest
from golden_nf import CONFIG, Nf, size_of_tier
from hypothesis import HealthCheck, given
from hypothesis import settings as checked
from hypothesis import strategies as st
from scapy.layers.inet import IP, TCP
from spec.config import read_chain

TRANSITORY_S, ESTABLISHED_S = 4, 20
SETTINGS = {
    "chain.stages": "nat",
    "chain.batch": "1",
    "traffic.ns_per_packet": "1000000000",
    "nat.tcp_timeout_s": str(ESTABLISHED_S),
    "nat.tcp_transitory_timeout_s": str(TRANSITORY_S),
    "nat.pool": "203.0.113.4/32",
}
PORT = 40001
OPENED = ["S>", "<SA", "A>"]
CLOSED = [*OPENED, "FA>", "<FA"]


def segment(step: str) -> bytes:
    """`FLAGS>` goes out, `<FLAGS` comes in to the mapping's first port; `+`: with payload."""
    flags = step.strip("<>+")
    body = b"data" if "+" in step else b""
    if step.startswith("<"):
        return packets.ether(
            IP(src=packets.SERVER, dst="203.0.113.4") / TCP(sport=80, dport=1024, flags=flags) / body
        )
    return packets.ether(packets.out() / TCP(sport=PORT, dport=80, flags=flags) / body)


def lives_s(nf: Nf, steps: list[str]) -> int:
    """How many seconds after the last step a packet from outside still passes, in NF and spec alike."""
    frames = [segment(step) for step in steps] + [segment("<A")] * (ESTABLISHED_S + 2)
    expected = nf.assert_as_spec(frames, SETTINGS)
    return len(expected.frames) - len(steps)


@pytest.mark.parametrize(
    ("steps", "seconds"),
    [
        (["S>"], TRANSITORY_S),
        (["S>", "<SA"], TRANSITORY_S - 1),
        (OPENED, ESTABLISHED_S),
        (["S>", "A>"], TRANSITORY_S),
        (["S>", "<SA", "FA>"], ESTABLISHED_S),
        (["A>"], ESTABLISHED_S),
        (["R>"], TRANSITORY_S),
        ([*OPENED, "FA>"], ESTABLISHED_S),
        ([*OPENED, "<FA"], ESTABLISHED_S - 1),
        ([*OPENED, "FA>", "FA>"], ESTABLISHED_S),
        (CLOSED, TRANSITORY_S),
        ([*CLOSED, "A>"], TRANSITORY_S),
        ([*CLOSED, "S>", "<SA", "A>"], ESTABLISHED_S),
        ([*CLOSED, "A+>"], ESTABLISHED_S),
        ([*OPENED, "<R"], TRANSITORY_S),
        ([*OPENED, "R>"], TRANSITORY_S),
        ([*OPENED, "<R", "A>"], TRANSITORY_S),
        ([*OPENED, "<R", "A+>"], ESTABLISHED_S),
        ([*OPENED, "S>"], ESTABLISHED_S),
        (["S>", "<S", "SA>", "<A", "A>"], ESTABLISHED_S),
    ],
    ids=str,
)
def test_idle_time(nf: Nf, steps: list[str], seconds: int) -> None:
    assert lives_s(nf, steps) == seconds


def test_a_port_of_a_closed_connection_comes_back(nf: Nf) -> None:
    """One port: a new client gets it after the transitory time, long before the established time is over."""
    settings = {**SETTINGS, "nat.port_min": "1024", "nat.port_max": "1024"}
    other = packets.ether(packets.out(src=packets.OTHER_CLIENT) / TCP(sport=1, dport=80, flags="S"))
    frames = [segment(step) for step in CLOSED] + [other] * (TRANSITORY_S + 2)
    outcomes = read_chain(CONFIG, settings).replay(frames).outcomes["nat"]
    assert outcomes["no_port"] == TRANSITORY_S
    nf.assert_as_spec(frames, settings)


steps_of_two_flows = st.lists(
    st.tuples(
        st.sampled_from(["S>", "<SA", "A>", "A+>", "FA>", "<FA", "<A", "R>", "<R", "SA>", "<S", "SF>"]),
        st.integers(0, 2),
        st.integers(0, 6),
    ),
    min_size=1,
    max_size=50,
)


@checked(max_examples=size_of_tier(25, 5), deadline=None, suppress_health_check=list(HealthCheck))
@given(steps=steps_of_two_flows)
def test_any_order_of_flags(nf: Nf, steps: list[tuple[str, int, int]]) -> None:
    """Three connections, two of one client's port; pauses of half seconds between the packets."""
    frames = []
    for step, flow, pause in steps:
        frame = bytearray(segment(step))
        if flow == 1:
            frame[26:30] = bytes([10, 10, 7, 7]) if step.endswith(">") else frame[26:30]
        if flow == 2:
            frame[30 if step.endswith(">") else 26] ^= 1  # another server
        packets.fix_ip_checksum(frame)
        frames += [bytes(frame)] + [b"\x02"] * pause
    half_seconds = {"traffic.ns_per_packet": "500000000"}
    nf.assert_as_spec(frames, {**SETTINGS, **half_seconds, "nat.port_max": "1025"})
