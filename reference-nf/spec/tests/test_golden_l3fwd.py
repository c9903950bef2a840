# SPDX-License-Identifier: BSD-3-Clause
"""Longest prefix match through the real NF: nested prefixes, both halves of the space, tables of any size."""

import random
from collections.abc import Iterator
from pathlib import Path

import golden_packets as packets
import pytest
from golden_nf import CONFIG, Nf
from scapy.layers.inet import UDP
from spec.config import read_chain
from spec.l3fwd import L3fwd

ROUTES = """
# every length class of the tables: up to 24 bits, and beyond
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
route 2001:db8::/32 0
route 2001:db8::/33 1
route 2001:db8:1::/48 2
route 2001:db8:1:2::/63 3
route 2001:db8:1:2::/64 1
route 2001:db8:1:2::7/128 255
route 2001:db8:1:2::7/128 2
route 3f00::/8 3
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
DESTINATIONS6 = {
    "2001:db8:8000::1": 0x00,
    "2001:db8:7fff::1": 0x01,
    "2001:db8:1:1::1": 0x02,
    "2001:db8:1:3::1": 0x03,
    "2001:db8:1:2::1": 0x01,
    "2001:db8:1:2::7": 0x02,
    "3fff::": 0x03,
    "4000::": None,
    "2001:db9::": None,
    "::": None,
    "ffff:ffff:ffff:ffff:ffff:ffff:ffff:ffff": None,
}


@pytest.fixture
def without_default(tmp_path: Path) -> dict[str, str]:
    """Settings of an l3fwd chain whose routes cover few addresses."""
    path = tmp_path / "routes.txt"
    path.write_text(ROUTES)
    return {"chain.stages": "l3fwd", "l3fwd.routes": str(path)}


def test_longest_prefix_wins(nf: Nf, without_default: dict[str, str]) -> None:
    frames = [packets.ether(packets.out(dst=to) / UDP(sport=1, dport=2) / b"r") for to in DESTINATIONS]
    expected = nf.assert_as_spec(frames, without_default)
    hops = [hop for hop in DESTINATIONS.values() if hop is not None]
    assert [frame[5] for frame in expected.frames] == hops
    assert expected.outcomes["l3fwd"]["no_route"] == len(DESTINATIONS) - len(hops)


def test_longest_prefix_of_ipv6_wins(nf: Nf, without_default: dict[str, str]) -> None:
    frames = [packets.ether(packets.out6(dst=to) / UDP(sport=1, dport=2) / b"r") for to in DESTINATIONS6]
    expected = nf.assert_as_spec(frames, without_default)
    hops = [hop for hop in DESTINATIONS6.values() if hop is not None]
    assert [frame[5] for frame in expected.frames] == hops
    assert expected.outcomes["l3fwd"]["no_route"] == len(DESTINATIONS6) - len(hops)


@pytest.mark.sanitised
def test_ipv6_without_a_route_of_it(nf: Nf, tmp_path: Path) -> None:
    path = tmp_path / "routes.txt"
    path.write_text("next_hop 0 02:00:00:00:01:00\nroute 0.0.0.0/0 0\n")
    settings = {"chain.stages": "l3fwd", "l3fwd.routes": str(path)}
    frames = [frame for _, frame in packets.ipv6()]
    assert set(nf.assert_as_spec(frames, settings).outcomes["l3fwd"]) == {
        "no_route",
        "ttl_expired",
        "malformed",
    }


def test_default_route_takes_both_halves(nf: Nf) -> None:
    frames = [
        packets.ether(packets.out(dst=to) / UDP(sport=1, dport=2))
        for to in ("1.1.1.1", "127.255.255.255", "128.0.0.0", "255.1.1.1")
    ]
    assert nf.assert_as_spec(frames, {"chain.stages": "l3fwd"}).outcomes["l3fwd"] == {"forwarded": 4}


def test_default_route_of_ipv6_takes_both_halves(nf: Nf, tmp_path: Path) -> None:
    path = tmp_path / "routes.txt"
    path.write_text("next_hop 0 02:00:00:00:01:00\nroute ::/0 0\n")
    frames = [
        packets.ether(packets.out6(dst=to) / UDP(sport=1, dport=2))
        for to in ("::2", "7fff::", "8000::", "ff0e::1")
    ]
    settings = {"chain.stages": "l3fwd", "l3fwd.routes": str(path)}
    assert nf.assert_as_spec(frames, settings).outcomes["l3fwd"] == {"forwarded": 4}


def test_checksum_follows_ttl(nf: Nf) -> None:
    sent = [ttl for ttl in (2, 3, 64, 128, 255) for _ in range(0, 65536, 997)]
    frames = [
        packets.ether(packets.out(ttl=ttl, id=n * 997 % 65536) / UDP(sport=1, dport=2))
        for n, ttl in enumerate(sent)
    ]
    expected = nf.assert_as_spec(frames, {"chain.stages": "l3fwd"})
    assert [packets.ip(frame).ttl for frame in expected.frames] == [ttl - 1 for ttl in sent]


@pytest.mark.parametrize(
    ("routes", "routes6", "prefetch"),
    [
        *((0, 0, "on"), (1, 1, "off"), (10_000, 1_000, "on")),
        *(
            pytest.param(*sizes, marks=pytest.mark.nightly)
            for sizes in (
                *((0, 0, "off"), (1, 1, "on"), (10_000, 1_000, "off")),
                *((100, 100, "on"), (100, 100, "off"), (150_000, 20_000, "on"), (150_000, 20_000, "off")),
            )
        ),
    ],
)
def test_tables_of_any_size(nf: Nf, routes: int, routes6: int, prefetch: str) -> None:
    """Destinations inside generated routes, next to them, and anywhere."""
    settings = {
        "chain.stages": "l3fwd",
        "chain.prefetch": prefetch,
        "l3fwd.routes_generated": str(routes),
        "l3fwd.routes6_generated": str(routes6),
        "l3fwd.routes_seed": "11",
    }
    expected = nf.assert_as_spec(list(_spread(settings)), settings)
    assert len({frame[5] for frame in expected.frames}) == 4, "every next hop is used"


def _spread(settings: dict[str, str]) -> Iterator[bytes]:
    (stage,) = read_chain(CONFIG, settings).stages
    assert isinstance(stage, L3fwd)
    dice = random.Random(5)
    ports = UDP(sport=1, dport=2)
    frames = {4: packets.ether(packets.out() / ports), 6: packets.ether(packets.out6() / ports)}
    for version, near in ((4, 1 << 12), (6, 1 << 84)):
        prefixes = [prefix for by_length in stage.routes.prefixes[version].values() for prefix in by_length]
        for _ in range(1500):
            prefix = dice.choice(prefixes)
            yield packets.towards(frames[version], prefix)
            yield packets.towards(frames[version], prefix ^ dice.randrange(near))
            yield packets.towards(frames[version], dice.getrandbits(32 if version == 4 else 128))
