# SPDX-License-Identifier: BSD-3-Clause
"""Random packets: generated, mutated and truncated, through the whole chain of the real NF."""

import golden_packets as packets
import pytest
from golden_nf import CHAINS, FEW_PATTERNS, Nf, size_of_tier
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from scapy.layers.inet import ICMP, IP, TCP, UDP

addresses = st.one_of(
    st.sampled_from([packets.CLIENT, packets.OTHER_CLIENT, "10.255.255.255", "203.0.113.3", packets.SERVER]),
    st.ip_addresses(v=4).map(str),
)
ports = st.one_of(st.sampled_from([0, 53, 80, 1024, 1025, 65535]), st.integers(0, 65535))
payloads = st.one_of(st.binary(max_size=80), st.sampled_from([text for _, text in packets.TEXTS.items()]))


@st.composite
def whole(draw: st.DrawFn) -> bytes:
    """A well-formed packet, or one with a single header field set to anything."""
    header = IP(
        src=draw(addresses), dst=draw(addresses), ttl=draw(st.integers(0, 255)), tos=draw(st.integers(0, 255))
    )
    layer = draw(
        st.sampled_from(
            [
                TCP(sport=draw(ports), dport=draw(ports), flags="A"),
                UDP(sport=draw(ports), dport=draw(ports)),
                ICMP(type=draw(st.sampled_from([0, 3, 8, 11])), id=draw(ports)),
            ]
        )
    )
    return packets.ether(header / layer / draw(payloads))


@st.composite
def damaged(draw: st.DrawFn) -> bytes:
    """A whole packet with some bytes changed, perhaps truncated."""
    frame = bytearray(draw(whole()))
    for at, value in draw(st.lists(st.tuples(st.integers(0, 60), st.integers(0, 255)), max_size=3)):
        if at < len(frame):
            frame[at] = value
    packets.fix_ip_checksum(frame) if draw(st.booleans()) else None
    return bytes(frame[: draw(st.integers(1, len(frame)))]) if draw(st.booleans()) else bytes(frame)


frame_lists = st.lists(
    st.one_of(whole(), damaged(), st.binary(min_size=1, max_size=120)), min_size=1, max_size=60
)


@pytest.mark.sanitised
@settings(max_examples=size_of_tier(20, 5), deadline=None, suppress_health_check=list(HealthCheck))
@given(frames=frame_lists, chain=st.sampled_from(CHAINS), batch=st.sampled_from([1, 7, 64]))
def test_any_packets(nf: Nf, frames: list[bytes], chain: str, batch: int) -> None:
    nf.assert_as_spec(frames, {"chain.stages": chain, "chain.batch": str(batch)} | FEW_PATTERNS)
