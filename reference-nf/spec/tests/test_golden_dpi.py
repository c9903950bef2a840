# SPDX-License-Identifier: BSD-3-Clause
"""DPI through the real NF: rules on addresses and ports of both IP versions, charging, verdicts by flow."""

import random
from collections.abc import Mapping
from ipaddress import ip_network
from pathlib import Path

import golden_packets as packets
import pytest
from golden_nf import Nf
from scapy.layers.inet import IP, TCP, UDP
from scapy.layers.inet6 import IPv6
from spec.dpi import Dpi

DPI = {"chain.stages": "dpi"}
RULES = """\
# id action protocol source ports destination ports [pattern]
web pass tcp any any any 80
web_get mark tcp 10.0.0.0/8 1024-65535 any 80-90 ^GET
odd drop any any 4001 192.0.2.0/25 any
six_get drop any 2001:db8::/32 any any any ^GET
six pass udp 2001:db8:1::/48 any 2001:db8::/33 any
shadowed drop tcp 10.10.0.0/16 any any 80
all_udp pass udp any any any any
"""
PATTERNS = """\
get pass ^GET
bad drop BAD
good mark good
"""
SOURCES = {4: ["10.10.1.11", "10.11.0.1", "172.16.0.1"], 6: ["2001:db8::1", "2001:db8:1::1", "2001:db9::1"]}
TARGETS = {4: ["192.0.2.1", "192.0.2.129"], 6: ["2001:db8::2", "2001:db8:8000::2"]}
LENGTHS = {4: (0, 1, 8, 9, 17, 24, 25, 31, 32), 6: (0, 3, 32, 33, 47, 64, 65, 127, 128)}
PAYLOADS = [b"", b"GET /", b"a BAD one", b"good GET BAD", b"nothing"]


def frames_between() -> list[bytes]:
    """Every payload between all ends."""
    return [
        packets.ether(header(src=source, dst=target) / transport(sport=sport, dport=dport) / payload)
        for version, header in ((4, IP), (6, IPv6))
        for source in SOURCES[version]
        for target in TARGETS[version]
        for transport in (TCP, UDP)
        for sport, dport in ((4000, 80), (4001, 81), (1000, 80), (4000, 443))
        for payload in PAYLOADS
    ]


def written(folder: Path, rules: str | None = RULES, patterns: str | None = PATTERNS) -> dict[str, str]:
    """Settings of a chain of dpi alone with these files."""
    settings = dict(DPI)
    for key, text in (("rules", rules), ("patterns", patterns)):
        if text is not None:
            (folder / key).write_text(text)
            settings[f"dpi.{key}"] = str(folder / key)
    return settings


Counts = dict[str, dict[str, int]]


def assert_charged(nf: Nf, frames: list[bytes], settings: Mapping[str, str]) -> tuple[Counts, dict[str, int]]:
    """Packets, outcomes and the counts of rules as in the spec; returns the counts and the outcomes."""
    both = nf.run_as_spec(frames, settings)
    (dpi,) = (stage for stage in both.chain.stages if isinstance(stage, Dpi))
    counts: Counts = both.ran.totals["dpi_rules"]
    assert counts == dpi.report()
    return counts, both.ran.outcomes("dpi")


@pytest.mark.sanitised
@pytest.mark.parametrize(
    ("batch", "prefetch"),
    [
        *(("1", "on"), ("64", "off"), ("256", "on")),
        *(pytest.param(batch, "off", marks=pytest.mark.nightly) for batch in ("1", "256")),
        pytest.param("64", "on", marks=pytest.mark.nightly),
    ],
)
def test_rules_and_patterns(nf: Nf, tmp_path: Path, batch: str, prefetch: str) -> None:
    settings = written(tmp_path) | {"chain.batch": batch, "chain.prefetch": prefetch}
    counted, _ = assert_charged(nf, frames_between(), settings)
    assert "shadowed" not in counted, "a rule stands before it for every packet it fits"
    assert set(counted) == {"web", "web_get", "odd", "six_get", "six", "all_udp", "get", "bad", "good"}


def test_rules_without_patterns(nf: Nf, tmp_path: Path) -> None:
    text = "".join(line + "\n" for line in RULES.splitlines() if not line.endswith("^GET"))
    (tmp_path / "none").write_text("# no pattern\n")
    settings = written(tmp_path, text, None) | {"dpi.patterns": str(tmp_path / "none")}
    assert_charged(nf, frames_between(), settings)


def test_each_charged_packet_is_charged_once(nf: Nf, tmp_path: Path) -> None:
    counted, outcomes = assert_charged(nf, frames_between(), written(tmp_path))
    matched = sum(outcomes[name] for name in ("matched", "marked", "dropped"))
    assert sum(count["charged_packets"] for count in counted.values()) == matched
    assert sum(count["packets"] for count in counted.values()) > matched


def random_rules(source: random.Random, count: int) -> str:
    """Nested and overlapping networks and ranges of both versions."""
    lines = []
    for number in range(count):
        version = source.choice((4, 6))
        ends = []
        for hosts in (SOURCES, TARGETS):
            host = source.choice(hosts[version])
            bits = source.choice(LENGTHS[version])
            network = str(ip_network(f"{host}/{bits}", strict=False))
            ends.append(source.choice((network, network, "any")))
        first, last = sorted((source.choice((0, 80, 81, 1000, 4000)), source.choice((80, 443, 4001, 65535))))
        ports = source.choice(("any", f"{first}-{last}", "80", "4001"))
        protocol, action = source.choice(("tcp", "udp", "any")), source.choice(("pass", "mark", "drop"))
        pattern = source.choice(("", "", "", " GET", " BAD$"))
        lines.append(f"r{number} {action} {protocol} {ends[0]} {ports} {ends[1]} any{pattern}\n")
    return "".join(lines)


@pytest.mark.parametrize(
    "seed", [n if n % 4 == 0 else pytest.param(n, marks=pytest.mark.nightly) for n in range(12)]
)
def test_random_rules(nf: Nf, tmp_path: Path, seed: int) -> None:
    text = random_rules(random.Random(seed), 3 + 12 * seed)
    assert_charged(nf, frames_between(), written(tmp_path, text))


def test_instances_are_charged_together(nf: Nf, tmp_path: Path) -> None:
    """Two workers with counts of their own: the sum equals one worker's counts."""
    frames = frames_between()
    settings = written(tmp_path)
    one = nf.replay(frames, settings).totals["dpi_rules"]
    assert nf.replay(frames, settings | {"model.workers": "2"}).totals["dpi_rules"] == one


def conversation(protocol: type[TCP] | type[UDP], sport: int, payloads: list[bytes]) -> list[bytes]:
    """One direction of a flow."""
    flags = {"flags": "A"} if protocol is TCP else {}
    return [
        packets.ether(packets.out() / protocol(sport=sport, dport=80, **flags) / payload)
        for payload in payloads
    ]


def flows() -> list[bytes]:
    """Flows whose packets alternate: verdicts early, late, never, and again after a SYN."""
    texts = [
        [b"GET /", b"a BAD one", b"x", b"", b"good", b"x"],
        [b"", b"x", b"good", b"BAD", b"GET", b"x"],
        [b"BAD", b"x", b"", b"GET", b"good", b"good"],
        [b"x", b"y", b"z", b"GET", b"BAD", b""],
    ]
    talks = [conversation(kind, 5000 + n, text) for kind in (TCP, UDP) for n, text in enumerate(texts)]
    again = packets.ether(packets.out() / TCP(sport=5002, dport=80, flags="S"))
    before, after = (conversation(TCP, 5002, talk) for talk in ([b"x", b"y"], [b"GET", b"x", b"x"]))
    talks.append([*before, again, *after])
    six = [packets.ether(packets.out6() / UDP(dport=9) / b"BAD")] * 4
    longest = max(len(talk) for talk in talks)
    mixed = [talk[n] for n in range(longest) for talk in talks if n < len(talk)]
    return mixed + six


@pytest.mark.parametrize("batch", ["7", *(pytest.param(n, marks=pytest.mark.nightly) for n in ("1", "256"))])
@pytest.mark.parametrize("inspected", ["1", "2", "3", "100"])
def test_verdicts_by_flow(nf: Nf, tmp_path: Path, inspected: str, batch: str) -> None:
    settings = written(tmp_path) | {
        "chain.flow_cache": "on",
        "dpi.inspect_packets": inspected,
        "chain.batch": batch,
    }
    _, outcomes = assert_charged(nf, flows(), settings)
    assert ("by_flow" in outcomes) == (inspected != "100")


@pytest.mark.sanitised
def test_verdicts_by_flow_behind_nat(nf: Nf, tmp_path: Path) -> None:
    settings = written(tmp_path) | {"chain.flow_cache": "on", "dpi.inspect_packets": "2"}
    assert_charged(nf, flows(), settings | {"chain.stages": "nat,dpi,l3fwd"})


def test_a_flow_cache_alone_changes_nothing(nf: Nf, tmp_path: Path) -> None:
    settings = written(tmp_path)
    plain = nf.replay(flows(), settings)
    cached = nf.replay(flows(), settings | {"chain.flow_cache": "on"})
    assert cached.frames == plain.frames
    assert cached.totals["dpi_rules"] == plain.totals["dpi_rules"]
