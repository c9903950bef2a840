# SPDX-License-Identifier: BSD-3-Clause
"""Rules of all kinds through the real NF: precedence, packets that rules cannot match against, many rules."""

import random
from ipaddress import IPv4Address, IPv6Address, ip_network
from pathlib import Path

import golden_packets as packets
import pytest
from golden_nf import CONFIG, Nf, size_of_tier
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from scapy.layers.inet import ICMP, IP, TCP, UDP
from scapy.layers.inet6 import IPv6, IPv6ExtHdrDestOpt
from spec.acl import Acl, Prefix, Rule
from spec.config import read_chain


def acl_settings(path: Path, rules: str, default: str = "deny") -> dict[str, str]:
    """Settings of a chain of acl alone with these rules."""
    path.write_text(rules)
    return {"chain.stages": "acl", "acl.rules": str(path), "acl.default": default}


@pytest.mark.parametrize("default", ["permit", "deny"])
def test_without_a_rule_the_default_decides(nf: Nf, tmp_path: Path, default: str) -> None:
    frames = [frame for _, frame in packets.every()]
    outcomes = nf.assert_as_spec(frames, acl_settings(tmp_path / "rules", "", default)).outcomes["acl"]
    expected = "default_permitted" if default == "permit" else "default_denied"
    assert set(outcomes) == {expected, "fragment", "malformed", "vlan", "not_ip"}


def test_the_highest_priority_decides_whatever_the_order(nf: Nf, tmp_path: Path) -> None:
    lines = [
        "deny 10 any 10.0.0.0/8 any any any",
        "permit 20 tcp any any 192.0.2.0/24 any",
        "deny 30 tcp 10.10.1.0/24 40000-40010 192.0.2.0/24 80",
        "permit 40 tcp 10.10.1.11/32 40005 192.0.2.10/32 80",
    ]
    frames = [
        packets.ether(packets.out(src=source, dst=destination) / TCP(sport=sport, dport=dport))
        for source in (packets.CLIENT, "10.10.1.12", "10.11.0.1", "11.0.0.1")
        for destination in (packets.SERVER, packets.OTHER_SERVER)
        for sport in (39999, 40000, 40005, 40010, 40011)
        for dport in (79, 80, 81)
    ]
    one = nf.assert_as_spec(frames, acl_settings(tmp_path / "one", "\n".join(lines)))
    other = nf.assert_as_spec(frames, acl_settings(tmp_path / "other", "\n".join(reversed(lines))))
    assert one == other
    assert set(one.outcomes["acl"]) == {"permitted", "denied", "default_denied"}


@pytest.mark.sanitised
def test_ipv6_behind_extension_headers(nf: Nf, tmp_path: Path) -> None:
    rules = "permit 2 udp 2001:db8:10::/48 any 2001:db8:20::/48 53\ndeny 1 udp any any any any\n"
    frames = [
        packets.ether(packets.out6(dst=to) / headers / UDP(sport=1000, dport=port) / b"q")
        for to in (packets.SERVER6, packets.UNROUTED6)
        for port in (53, 54)
        for headers in (
            IPv6ExtHdrDestOpt(),
            IPv6ExtHdrDestOpt() / IPv6ExtHdrDestOpt(),
        )
    ]
    assert nf.assert_as_spec(frames, acl_settings(tmp_path / "rules", rules)).outcomes["acl"] == {
        "permitted": 2,
        "denied": 6,
    }


@pytest.mark.sanitised
def test_rules_that_decide_are_counted(nf: Nf) -> None:
    frames = [frame for _, frame in packets.every()]
    chain = read_chain(CONFIG, {"chain.stages": "acl"})
    chain.replay(frames)
    (acl,) = chain.stages
    assert isinstance(acl, Acl)
    assert nf.replay(frames, {"chain.stages": "acl"}).totals["acl_rules"] == {"default": 0, **acl.decided}


@pytest.mark.parametrize(
    ("count", "prefetch"),
    [
        (3000, "on"),
        *(
            pytest.param(*more, marks=pytest.mark.nightly)
            for more in ((1, "on"), (50, "off"), (1, "off"), (50, "on"), (3000, "off"))
        ),
    ],
)
def test_generated_rules(nf: Nf, count: int, prefetch: str) -> None:
    """Packets that match a rule, and ones that differ in one field."""
    changed = {
        "chain.stages": "acl",
        "chain.prefetch": prefetch,
        "acl.rules_generated": str(count),
        "acl.rules_seed": "3",
        "acl.default": "permit",
    }
    (acl,) = read_chain(CONFIG, changed).stages
    assert isinstance(acl, Acl)
    dice = random.Random(count)
    generated, number = acl.rules[-count:], size_of_tier(1500, 600)
    frames = [_fitting(dice.choice(generated), dice) for _ in range(number)]
    outcomes = nf.assert_as_spec(frames, changed).outcomes["acl"]
    assert outcomes["permitted"] + outcomes["denied"] > number / 3
    assert outcomes["default_permitted"] > number / 15


def _fitting(rule: Rule, dice: random.Random) -> bytes:
    """A packet that the rule matches; in every second packet one field is arbitrary."""
    version = rule.destination.version
    source, destination = (_inside(prefix, version, dice) for prefix in (rule.source, rule.destination))
    sport, dport = (dice.choice(ports) for ports in (rule.source_ports, rule.destination_ports))
    layer = {6: TCP, 17: UDP, None: dice.choice([TCP, UDP])}[rule.protocol]
    match dice.randrange(8):
        case 0:
            sport = dice.randrange(65536)
        case 1:
            dport = dice.randrange(65536)
        case 2:
            layer = dice.choice([TCP, UDP])
        case 3:
            destination ^= 1 << dice.randrange(32 if version == 4 else 128)
    if version == 4:
        header = IP(src=str(IPv4Address(source)), dst=str(IPv4Address(destination)))
    else:
        header = IPv6(src=str(IPv6Address(source)), dst=str(IPv6Address(destination)))
    return packets.ether(header / layer(sport=sport, dport=dport) / b"x")


def _inside(prefix: Prefix, version: int, dice: random.Random) -> int:
    free = (32 if version == 4 else 128) - prefix.length
    return prefix.address | (dice.getrandbits(free) if free else 0)


@pytest.mark.parametrize("chain", ["acl,l3fwd", "nat,acl,l3fwd", "dpi,l3fwd,acl"])
def test_flows_that_are_remembered(nf: Nf, chain: str) -> None:
    """Every packet four times, so that each flow's path is followed; after NAT the flows differ."""
    frames = [frame for _, frame in packets.every()] * 4
    remembered = {"chain.stages": chain, "chain.flow_cache": "on", "chain.batch": "32"}
    assert nf.assert_as_spec(frames, remembered) == nf.assert_as_spec(
        frames, {**remembered, "chain.flow_cache": "off"}
    )


prefixes = st.one_of(
    st.just("any"),
    st.tuples(
        st.sampled_from(["10.10.1.11", "192.0.2.10", "10.10.3.77"]), st.sampled_from([8, 24, 31, 32])
    ).map(lambda pair: str(ip_network(f"{pair[0]}/{pair[1]}", strict=False))),
)
ports = st.one_of(
    st.just("any"),
    st.sampled_from(["80", "0", "65535", "0-1023", "1024-65535", "53-80"]),
)


@st.composite
def rule_lines(draw: st.DrawFn) -> str:
    """Rules of distinct priorities in any order."""
    lines = []
    for priority in draw(st.lists(st.integers(1, 1000), unique=True, max_size=12)):
        protocol = draw(st.sampled_from(["any", "tcp", "udp", "icmp", "47"]))
        with_ports = protocol in {"tcp", "udp"}
        words = [
            draw(st.sampled_from(["permit", "deny"])),
            str(priority),
            protocol,
            draw(prefixes),
            draw(ports) if with_ports else "any",
            draw(prefixes),
            draw(ports) if with_ports else "any",
        ]
        lines.append(" ".join(words))
    return "\n".join(lines)


ENDS = ("10.10.1.11", "10.10.1.10", "10.10.3.77", "192.0.2.10", "192.0.2.11", "11.0.0.1")
PORTS = (0, 52, 53, 80, 81, 1023, 1024, 65535)
EVERY_END = [
    packets.ether(IP(src=source, dst=destination) / layer)
    for source in ENDS[:3]
    for destination in ENDS[2:]
    for layer in (
        *(kind(sport=sport, dport=dport) for kind in (TCP, UDP) for sport in PORTS[::3] for dport in PORTS),
        ICMP(id=80),
    )
]


@settings(max_examples=size_of_tier(15, 6), deadline=None, suppress_health_check=list(HealthCheck))
@given(rules=rule_lines(), default=st.sampled_from(["permit", "deny"]))
def test_any_rules(nf: Nf, tmp_path_factory: pytest.TempPathFactory, rules: str, default: str) -> None:
    path = tmp_path_factory.mktemp("acl") / "rules"
    nf.assert_as_spec(EVERY_END, acl_settings(path, rules, default))
