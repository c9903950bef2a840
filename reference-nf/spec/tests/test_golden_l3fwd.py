# SPDX-License-Identifier: BSD-3-Clause
"""Longest prefix match through the real NF: nested prefixes, both halves of the space, no route."""

from pathlib import Path

import golden_packets as packets
import pytest
from golden_nf import Nf
from scapy.layers.inet import UDP

ROUTES = """
# every length class of rte_lpm: up to 24 bits, and beyond
next_hop 0 02:00:00:00:01:00
next_hop 1 02:00:00:00:01:01
next_hop 2 02:00:00:00:01:02
next_hop 3 02:00:00:00:01:03
next_hop 255 02:00:00:00:01:ff
route 192.0.0.0/8 0
route 192.0.2.0/24 1
route 192.0.2.128/25 2
route 192.0.2.200/32 3
route 192.0.2.201/32 3
route 192.0.2.201/32 255
route 8.0.0.0/7 1
"""
DESTINATIONS = {
    "192.255.255.255": 0x00,
    "192.0.2.1": 0x01,
    "192.0.2.127": 0x01,
    "192.0.2.128": 0x02,
    "192.0.2.200": 0x03,
    "192.0.2.201": 0xFF,
    "9.255.255.255": 0x01,
    "10.0.0.0": None,
    "191.255.255.255": None,
    "193.0.0.0": None,
    "255.255.255.255": None,
    "0.0.0.0": None,
}


@pytest.fixture
def without_default(tmp_path: Path) -> dict[str, str]:
    """Settings of an l3fwd chain whose routes leave most addresses out."""
    path = tmp_path / "routes.txt"
    path.write_text(ROUTES)
    return {"chain.stages": "l3fwd", "l3fwd.routes": str(path)}


def test_longest_prefix_wins(nf: Nf, without_default: dict[str, str]) -> None:
    frames = [packets.ether(packets.out(dst=to) / UDP(sport=1, dport=2) / b"r") for to in DESTINATIONS]
    expected = nf.assert_as_spec(frames, without_default)
    hops = [hop for hop in DESTINATIONS.values() if hop is not None]
    assert [frame[5] for frame in expected.frames] == hops
    assert expected.outcomes["l3fwd"]["no_route"] == len(DESTINATIONS) - len(hops)


def test_default_route_takes_both_halves(nf: Nf) -> None:
    frames = [
        packets.ether(packets.out(dst=to) / UDP(sport=1, dport=2))
        for to in ("1.1.1.1", "127.255.255.255", "128.0.0.0", "255.1.1.1")
    ]
    assert nf.assert_as_spec(frames, {"chain.stages": "l3fwd"}).outcomes["l3fwd"] == {"forwarded": 4}


@pytest.mark.parametrize("ttl", [2, 3, 64, 128, 255])
def test_checksum_follows_ttl(nf: Nf, ttl: int) -> None:
    frames = [
        packets.ether(packets.out(ttl=ttl, id=id_) / UDP(sport=1, dport=2)) for id_ in range(0, 65536, 997)
    ]
    expected = nf.assert_as_spec(frames, {"chain.stages": "l3fwd"})
    assert {packets.ip(frame).ttl for frame in expected.frames} == {ttl - 1}
