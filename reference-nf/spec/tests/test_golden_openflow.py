# SPDX-License-Identifier: BSD-3-Clause
"""Flow tables of all kinds through the real NF, read by the interpreter and as generated code."""

import json
import os
import random
import subprocess
from collections.abc import Iterator
from functools import cache
from ipaddress import ip_network
from pathlib import Path

import golden_packets as packets
import pytest
from golden_nf import CONFIG, EAL, NF_FOLDER, BothRan, Nf, lcore_map, size_of_tier
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from running_nf import running
from scapy.layers.inet import ICMP, IP, TCP, UDP
from scapy.layers.inet6 import IPv6
from scapy.layers.l2 import ARP, Ether
from spec.config import read_chain
from spec.openflow import Openflow
from spec.pcap import read_pcap, write_pcap

MODES = ("interpreted", "specialised")
MODELS = {
    "rtc": {},
    "batch of one": {"chain.batch": "1"},
    "no prefetch": {"chain.prefetch": "off"},
    "pipeline": {"model.model": "pipeline"},
    "two workers": {"model.workers": "2"},
    "locked": {"model.workers": "2", "model.state": "locked"},
    "behind nat": {"chain.stages": "nat,openflow"},
    "separated behind nat": {
        "chain.stages": "nat,openflow",
        "model.state": "separated",
        "model.workers": "2",
    },
    "before l3fwd": {"chain.stages": "openflow,l3fwd", "l3fwd.routes_generated": "100"},
    "flow cache": {"chain.flow_cache": "on"},
}
NF_MAC = packets.NF_MAC

every_mode = pytest.mark.parametrize("mode", MODES)
two_halves = pytest.mark.parametrize("half", [0, pytest.param(1, marks=pytest.mark.nightly)])
"""`make test` takes half of the cases in one mode and half in the other, the night the other halves."""


def flows(path: Path, rules: str, mode: str, **more: str) -> dict[str, str]:
    """Settings of a chain of openflow alone with these rules, without generated next hops."""
    path.write_text(rules)
    changed = {"chain.stages": "openflow", "openflow.rules": str(path), "openflow.mode": mode}
    return changed | {"openflow.next_hops_generated": "0"} | more


def assert_as_spec(nf: Nf, frames: list[bytes], changed: dict[str, str]) -> BothRan:
    """Frames, outcomes and counts."""
    both = nf.run_as_spec(frames, changed)
    (openflow,) = both.chain.stages
    assert isinstance(openflow, Openflow)
    assert both.ran.totals["openflow"] == openflow.report()
    return both


@pytest.fixture(scope="module")
def every() -> list[bytes]:
    """Every golden packet."""
    return [frame for _, frame in packets.every()]


@pytest.mark.sanitised
@every_mode
@pytest.mark.parametrize("chain", ["router", "vbng"])
def test_shipped_pipelines(nf: Nf, every: list[bytes], chain: str, mode: str) -> None:
    frames = every + read_pcap(NF_FOLDER / "traffic" / "mixed.pcap")
    rules = str(NF_FOLDER / "conf" / f"openflow_{chain}.txt")
    changed = {"chain.stages": "openflow", "openflow.rules": rules, "openflow.mode": mode}
    assert assert_as_spec(nf, frames, changed).replayed.outcomes["openflow"]["output"] > 800


@pytest.mark.parametrize(
    ("model", "mode"),
    [
        *((model, "specialised") for model in MODELS),
        *((model, "interpreted") for model in ("rtc", "two workers")),
        *(
            pytest.param(model, "interpreted", marks=pytest.mark.nightly)
            for model in MODELS
            if model not in ("rtc", "two workers")
        ),
    ],
)
def test_every_model(nf: Nf, every: list[bytes], model: str, mode: str) -> None:
    changed = {"chain.stages": "openflow", "openflow.mode": mode, "openflow.prefixes_generated": "300"}
    nf.assert_as_spec(every, changed | MODELS[model])


FIELDS = {
    "in_port=1": 1,
    "in_port=2": 0,
    f"eth_dst={NF_MAC}": 1,
    "eth_dst=02:00:00:00:00:00/ff:ff:ff:00:00:00": 1,
    "eth_src=02:00:00:00:10:01": 1,
    "eth_src=00:00:00:00:00:01/00:00:00:00:00:01": 1,
    "eth_type=0x0806": 1,
    "eth_type=0x0800": 1,
    "eth_type=0x86dd": 1,
    "eth_type=0x0800,ip_dscp=46": 1,
    "eth_type=0x86dd,ip_dscp=46": 1,
    "eth_type=0x0800,ip_proto=17": 1,
    "eth_type=0x86dd,ip_proto=6": 1,
    "eth_type=0x0800,ipv4_src=10.10.1.11": 1,
    "eth_type=0x0800,ipv4_src=10.0.1.0/255.0.255.0": 1,
    "eth_type=0x0800,ipv4_dst=192.0.2.0/24": 1,
    "eth_type=0x0800,ipv4_dst=0.0.0.0/0": 1,
    "eth_type=0x86dd,ipv6_src=2001:db8:10:1::11": 1,
    "eth_type=0x86dd,ipv6_dst=2001:db8:20::/48": 1,
    "eth_type=0x86dd,ipv6_dst=2001:db8:20::10/127": 1,
    "eth_type=0x0800,ip_proto=6,tcp_src=40001": 1,
    "eth_type=0x0800,ip_proto=6,tcp_dst=80": 1,
    "eth_type=0x0800,ip_proto=17,udp_dst=0": 0,
    "eth_type=0x0800,ip_proto=17,udp_src=5353,udp_dst=53": 1,
    "eth_type=0x86dd,ip_proto=17,udp_dst=9": 1,
    "metadata=0": 1,
    "metadata=1": 0,
    "any": 1,
}


@two_halves
@every_mode
def test_every_field(nf: Nf, every: list[bytes], tmp_path: Path, mode: str, half: int) -> None:
    """A port for each; whoever is first takes the packet, so each match is first once."""
    first = MODES.index(mode) ^ half
    for number, (match, fits) in list(enumerate(FIELDS.items()))[first::2]:
        rules = f"flow 0 2 {match} write:output=7\nflow 0 1 eth_type=0x0800 write:output=8\n"
        changed = flows(tmp_path / f"rules{number}", rules, mode)
        counts = assert_as_spec(nf, every, changed).ran.totals["openflow"]
        assert ("7" in counts["ports"]) == bool(fits), match


@two_halves
@every_mode
def test_every_action(nf: Nf, every: list[bytes], tmp_path: Path, mode: str, half: int) -> None:
    """At once or at the end, by turns; on packets that have the header, and on ones that have not."""
    actions = [
        "dec_ttl",
        "eth_dst=02:12:34:56:78:9a",
        "eth_src=02:fe:dc:ba:98:76",
        "ip_dscp=63",
        "ipv4_src=203.0.113.77",
        "ipv4_dst=198.51.100.1",
        "ipv4_src=203.0.113.77,ipv4_dst=0.0.0.0",
        "eth_src=02:fe:dc:ba:98:76,eth_dst=02:12:34:56:78:9a,dec_ttl,ip_dscp=1",
    ]
    for number, action in enumerate(actions):
        for how, text in enumerate(
            [
                f"flow 0 1 any apply:{action} write:output=1\n",
                f"flow 0 1 any write:{action},output=1\n",
                f"flow 0 2 eth_type=0x0800 write:{action},output=1,queue=3\nflow 0 1 any write:output=2\n",
                f"group 1 indirect {action},output=1\nflow 0 1 any write:group=1,output=3,queue=2\n",
                f"flow 0 1 any write:{action},output=4 goto=1\nflow 1 1 any apply:dec_ttl write:output=5\n",
            ]
        ):
            if (number + how) % 4 == 2 * (MODES.index(mode) ^ half):
                assert_as_spec(nf, every, flows(tmp_path / f"rules{number}{how}", text, mode))


ACTION_SETS = {
    "an empty set drops": ["flow 0 0 any drop"],
    "a later action of a kind replaces": [
        "flow 0 0 any write:output=1 goto=1",
        "flow 1 0 any write:output=2",
    ],
    "clear": ["flow 0 0 any write:output=1,dec_ttl goto=1", "flow 1 0 any clear write:output=2"],
    "clear, then nothing": ["flow 0 0 any write:output=1 goto=1", "flow 1 0 any clear"],
    "a group goes before an output": [
        "group 9 indirect output=3",
        "flow 0 0 any write:group=9 goto=1",
        "flow 1 0 any write:output=2",
    ],
    "a group without output": ["group 9 indirect dec_ttl", "flow 0 0 any write:group=9,output=2"],
    "a queue goes into the group": ["group 9 indirect output=3", "flow 0 0 any write:group=9,queue=5"],
    "what is applied is matched by the next table": [
        "flow 0 0 eth_type=0x0800 apply:ip_dscp=7 goto=1",
        "flow 1 1 eth_type=0x0800,ip_dscp=7 write:output=1",
        "flow 1 0 any write:output=2",
    ],
    "an address that is applied is looked up": [
        "flow 0 0 eth_type=0x0800 apply:ipv4_dst=198.18.0.1 goto=1",
        "flow 1 1 eth_type=0x0800,ipv4_dst=198.18.0.0/15 write:output=1",
    ],
    "metadata": [
        "flow 0 1 eth_type=0x0800 metadata=0xff00 goto=1",
        "flow 0 0 any metadata=0x1/0x1 goto=1",
        "flow 1 0 any metadata=0xa0/0xf0 goto=2",
        "flow 2 2 metadata=0xffa0 write:output=1",
        "flow 2 1 metadata=0xa1 write:output=2",
    ],
    "the highest priority, then the first line": [
        "flow 0 1 any write:output=1",
        "flow 0 9 eth_type=0x0800 write:output=2",
        "flow 0 9 eth_type=0x0800,ip_proto=6 write:output=3",
        "flow 0 10 eth_type=0x0800,ip_proto=17 write:output=4",
    ],
    "sets that differ by the way": [
        "flow 0 3 eth_type=0x0800,ip_proto=6 write:output=1 goto=2",
        "flow 0 2 eth_type=0x0800,ip_proto=17 write:output=2,dec_ttl goto=1",
        "flow 0 0 any write:queue=1 goto=1",
        "flow 1 0 any write:ip_dscp=3 goto=2",
        "flow 2 1 eth_type=0x0806 drop",
        "flow 2 0 any write:eth_dst=02:00:00:00:00:99",
    ],
    "more ways than are told apart": [
        *(f"flow 0 1 eth_type=0x0800,ip_dscp={n} write:output={n + 1} goto=1" for n in range(48)),
        *(f"flow 0 1 eth_type=0x86dd,ip_dscp={n} write:output={n + 1},queue=2 goto=1" for n in range(48)),
        "flow 0 0 any goto=1",
        "flow 1 1 eth_type=0x0800,ip_dscp=46 clear write:output=60",
        "flow 1 0 any write:queue=1 goto=2",
        "flow 2 1 eth_type=0x0800,ip_proto=17 clear goto=3",
        "flow 2 0 any drop",
        "flow 3 0 any write:output=61",
    ],
}


@every_mode
@pytest.mark.parametrize("name", ACTION_SETS)
def test_action_sets(nf: Nf, every: list[bytes], tmp_path: Path, name: str, mode: str) -> None:
    assert_as_spec(nf, every, flows(tmp_path / "rules", "\n".join(ACTION_SETS[name]), mode))


@cache
def metered() -> list[bytes]:
    """Packets of nine sources, six code points and many lengths."""
    return [
        packets.ether(
            packets.out(src=f"10.10.1.{n % 9}", tos=dscp << 2) / UDP(sport=n, dport=9) / bytes(n % 700)
        )
        for n in range(1, 400, 2)
        for dscp in (10, 12, 14, 38, 0, 46)
    ] + [bytes(Ether() / ARP())] * 5


@every_mode
@pytest.mark.parametrize("workers", ["1", pytest.param("2", marks=pytest.mark.nightly)])
@pytest.mark.parametrize(
    "meter",
    [
        "pps 1000000 burst 3 drop",
        "kbps 900000 burst 4 drop",
        "kbps 900000 burst 4 remark 1",
        "pps 9 burst 1 remark 2",
    ],
)
def test_meters(nf: Nf, tmp_path: Path, meter: str, workers: str, mode: str) -> None:
    frames = metered()
    rules = (
        f"meter 5 {meter}\nmeter 6 pps 1 burst 1000000000 drop\nflow 0 1 any meter=5 goto=1\n"
        "flow 1 2 eth_type=0x0800,ip_dscp=14 meter=6 write:output=14\nflow 1 1 any write:output=1\n"
    )
    changed = flows(tmp_path / "rules", rules, mode, **{"model.workers": workers})
    if workers == "1":
        assert_as_spec(nf, frames, changed)
    else:
        nf.assert_as_spec(frames, changed)


def mac(number: int) -> str:
    """A MAC address."""
    return ":".join(f"{byte:02x}" for byte in (0x02_00_00_00_00_00 + number).to_bytes(6, "big"))


@pytest.mark.parametrize(
    ("entries", "mode"),
    [
        *((40, "interpreted"), (3000, "specialised")),
        *(
            pytest.param(*more, marks=pytest.mark.nightly)
            for more in ((9, "interpreted"), (9, "specialised"), (40, "specialised"), (3000, "interpreted"))
        ),
    ],
)
def test_many_entries_that_look_at_the_same(nf: Nf, tmp_path: Path, entries: int, mode: str) -> None:
    """Keys of one, two and three words; entries of one shape and of several; keys that stand there twice."""
    dice = random.Random(entries)
    lines = [f"flow 0 {5 + n % 3} eth_dst={mac(n)} write:eth_dst={mac(n + 7)} goto=1" for n in range(entries)]
    lines += [f"flow 0 9 eth_dst={mac(n)} apply:dec_ttl goto=1" for n in range(0, entries, 5)]
    lines += ["flow 0 1 any write:output=9", "flow 1 0 any write:output=3 goto=2"]
    lines += [
        f"flow 2 1 eth_type=0x0800,ipv4_src=10.0.{n % 16}.{n // 16} write:queue={n % 8},output={1 + n % 60}"
        if n % 3
        else f"flow 2 1 eth_type=0x0800,ipv4_src=10.0.{n % 16}.{n // 16} metadata={n} goto=3"
        for n in range(min(entries, 4000))
    ]
    lines += [
        f"flow 3 1 metadata={n},eth_type=0x0800,ip_proto=17,udp_src={n % 7},udp_dst={n % 5} "
        f"write:ip_dscp={n % 64},output={1 + n % 50}"
        for n in range(0, entries, 3)
    ]
    frames = []
    for _ in range(600):
        n = dice.randrange(entries + entries // 8 + 1)
        m = dice.randrange(entries)
        header = IP(src=f"10.0.{m % 16}.{m // 16 % 256}", dst="192.0.2.1", ttl=dice.randrange(4))
        layer = dice.choice([TCP, UDP])(sport=dice.choice([m % 7, 1]), dport=dice.choice([m % 5, 2]))
        frames.append(bytes(Ether(dst=mac(n), src=mac(1)) / header / layer))
    frames.append(bytes(Ether(dst=mac(2)) / ARP()))
    both = assert_as_spec(nf, frames, flows(tmp_path / "rules", "\n".join(lines), mode))
    assert set(both.replayed.outcomes["openflow"]) >= {"output", "missed", "ttl_expired"}


@every_mode
@pytest.mark.parametrize("generated", [0, 5, 3000])
def test_prefixes(nf: Nf, tmp_path: Path, generated: int, mode: str) -> None:
    """Nested prefixes of every length, some twice, with a default route or none; generated ones."""
    dice = random.Random(7)
    lines = ["flow 0 0 any goto=3", "group 900 indirect ip_dscp=4,output=40"]
    for n in range(60):
        length = dice.randrange(1, 33)
        network = ip_network((dice.choice([20, 21]) << 24 | dice.getrandbits(24), length), strict=False)
        write = dice.choice(["group=1", "group=900", "output=5", "output=6,dec_ttl"])
        lines.append(f"flow 3 {length} eth_type=0x0800,ipv4_dst={network} write:{write}")
        lines += [lines[-1].replace("write:", "apply:ip_dscp=9 write:")] if n % 9 == 0 else []
    lines += ["flow 3 0 eth_type=0x0800 write:group=3"] if generated != 5 else []
    changed = flows(tmp_path / "rules", "\n".join(lines), mode)
    changed |= {"openflow.prefixes_generated": str(generated), "openflow.next_hops_generated": "194"}
    (openflow,) = read_chain(CONFIG, changed).stages
    assert isinstance(openflow, Openflow)
    prefixes = [entry.match[1] for entry in openflow.tables[3] if len(entry.match) == 2]
    frame, frames = packets.ether(IP() / UDP(sport=1, dport=9) / b"x"), []
    for _ in range(500):
        _, value, mask = dice.choice(prefixes)
        address = value | dice.getrandbits(32) & ~mask & 0xFFFFFFFF
        address ^= dice.choice([0, 0, 1, 1 << 8, 1 << 20])
        frames.append(packets.towards(frame, address))
    frames.append(packets.ether(IPv6() / UDP()))
    assert_as_spec(nf, frames, changed)


macs = st.sampled_from([NF_MAC, packets.INSIDE_MAC, "ff:ff:ff:ff:ff:ff", "02:00:00:00:00:00"])
ADDRESSES = (packets.CLIENT, packets.OTHER_CLIENT, packets.SERVER, packets.OTHER_SERVER)
ADDRESSES6 = (packets.CLIENT6, packets.SERVER6, packets.UNROUTED6)
ports = st.sampled_from([0, 53, 80, 40001])


def prefix_of(addresses: tuple[str, ...], lengths: list[int]) -> st.SearchStrategy[str]:
    """An address of them, or a prefix of one."""
    return st.tuples(st.sampled_from(addresses), st.sampled_from(lengths)).map(
        lambda pair: str(ip_network(f"{pair[0]}/{pair[1]}", strict=False))
    )


@st.composite
def matches(draw: st.DrawFn) -> str:
    """A match with its prerequisites."""
    parts = []
    if draw(st.booleans()):
        parts.append(draw(st.sampled_from(["in_port=1", "metadata=1/1", "metadata=3", "metadata=0"])))
    if draw(st.booleans()):
        parts.append(f"{draw(st.sampled_from(['eth_dst', 'eth_src']))}={draw(macs)}")
    kind = draw(st.sampled_from(["none", "0x0800", "0x86dd", "0x0806"]))
    if kind != "none":
        parts.append(f"eth_type={kind}")
    if kind in ("0x0800", "0x86dd"):
        parts += [f"ip_dscp={draw(st.sampled_from([0, 46, 10]))}"] if draw(st.booleans()) else []
        protocol = draw(st.sampled_from(["none", "6", "17", "1"]))
        parts += [f"ip_proto={protocol}"] if protocol != "none" else []
        for end in ("src", "dst"):
            addresses = (
                (f"ipv4_{end}", prefix_of(ADDRESSES, [0, 8, 24, 32]))
                if kind == "0x0800"
                else (f"ipv6_{end}", prefix_of(ADDRESSES6, [0, 32, 64, 70, 128]))
            )
            parts += [f"{addresses[0]}={draw(addresses[1])}"] if draw(st.booleans()) else []
            name = {"6": "tcp", "17": "udp"}.get(protocol)
            parts += [f"{name}_{end}={draw(ports)}"] if name and draw(st.booleans()) else []
    return ",".join(parts) or "any"


changes = st.one_of(
    st.just("dec_ttl"),
    macs.map("eth_dst={}".format),
    macs.map("eth_src={}".format),
    st.sampled_from([0, 10, 46]).map("ip_dscp={}".format),
    st.sampled_from(ADDRESSES).map("ipv4_src={}".format),
    st.sampled_from(ADDRESSES).map("ipv4_dst={}".format),
)
sends = st.sampled_from(["output=1", "output=2", "group=1", "group=2", "queue=1", "queue=7"])


def distinct(actions: list[str]) -> list[str]:
    """One action of each kind."""
    return list({action.split("=")[0]: action for action in actions}.values())


@st.composite
def flow_lines(draw: st.DrawFn) -> str:
    """Groups, meters, and flow entries of up to five tables."""
    buckets = [distinct([*draw(st.lists(changes, max_size=2)), f"output={number}"]) for number in (1, 2)]
    lines = [f"group {number} indirect {','.join(bucket)}" for number, bucket in enumerate(buckets, 1)]
    lines += ["meter 1 pps 2000000 burst 2 drop", "meter 2 kbps 3000000 burst 9 remark 1"]
    for _ in range(draw(st.integers(1, 25))):
        table = draw(st.integers(0, 4))
        words = []
        if draw(st.integers(0, 4)) == 0:
            words.append(f"meter={draw(st.sampled_from([1, 2]))}")
        applied = draw(st.lists(changes, max_size=3))
        words += [f"apply:{','.join(applied)}"] if applied else []
        words += ["clear"] if draw(st.integers(0, 5)) == 0 else []
        written = distinct(draw(st.lists(st.one_of(changes, sends), max_size=3)))
        words += [f"write:{','.join(written)}"] if written else []
        words += [draw(st.sampled_from(["metadata=1", "metadata=2/2"]))] if draw(st.booleans()) else []
        words += [f"goto={draw(st.integers(table + 1, 5))}"] if draw(st.booleans()) else []
        lines.append(f"flow {table} {draw(st.integers(0, 3))} {draw(matches())} {' '.join(words) or 'drop'}")
    return "\n".join(lines)


@cache
def every_end() -> tuple[bytes, ...]:
    """Packets that the rules above fit, in one thing or another."""
    return tuple(_every_end(random.Random(3)))


def _every_end(dice: random.Random) -> Iterator[bytes]:
    for source in (*ADDRESSES, *ADDRESSES6):
        for destination in ADDRESSES6 if ":" in source else ADDRESSES:
            header = (
                IPv6(src=source, dst=destination, tc=dice.choice([0, 46, 10]) << 2, hlim=dice.choice([1, 9]))
                if ":" in source
                else IP(
                    src=source, dst=destination, tos=dice.choice([0, 46, 10]) << 2, ttl=dice.choice([1, 9])
                )
            )
            for kind in (TCP, UDP):
                layer = kind(sport=dice.choice([0, 53, 80, 40001]), dport=dice.choice([0, 53, 80, 40001]))
                to = dice.choice([NF_MAC, packets.INSIDE_MAC, "02:00:00:00:00:00"])
                yield bytes(Ether(src=packets.INSIDE_MAC, dst=to) / header / layer / b"some payload")
            yield packets.ether(header / ICMP(id=80))


@pytest.mark.sanitised
@settings(max_examples=size_of_tier(25, 4), deadline=None, suppress_health_check=list(HealthCheck))
@given(rules=flow_lines(), batch=st.sampled_from([1, 64]))
def test_any_flows(
    nf: Nf, every: list[bytes], tmp_path_factory: pytest.TempPathFactory, rules: str, batch: int
) -> None:
    folder = tmp_path_factory.mktemp("openflow")
    for mode in MODES:
        changed = flows(folder / "rules", rules, mode, **{"chain.batch": str(batch)})
        assert_as_spec(nf, [*every_end(), *every], changed)


START_CPU_SECONDS, START_MEGABYTES = 3, 600


@every_mode
def test_a_full_routing_table_starts_quickly(nf: Nf, mode: str) -> None:
    """Processor time, not time: other tests may run beside this one."""
    command = [str(nf.binary), lcore_map(1), *EAL[:2], "256", *EAL[3:], "--", "--packets", "1000"]
    command += ["--config", str(NF_FOLDER / "conf" / "router.conf"), "--set", f"openflow.mode={mode}"]
    environment = {**os.environ, **nf.environment}
    process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, env=environment)
    assert process.stdout is not None
    totals = json.loads(process.stdout.read().splitlines()[-1])
    process.stdout.close()
    _, status, usage = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    assert process.returncode == 0
    assert totals["openflow"]["tables"]["3"]["lookups"] == 1000
    if not nf.environment:  # a sanitiser takes more of both
        assert usage.ru_utime + usage.ru_stime < START_CPU_SECONDS
        assert usage.ru_maxrss / 1024 < START_MEGABYTES


ROUNDS = size_of_tier(10, 4)
RELOADED = """\
[chain]
stages = openflow
[traffic]
capture = traffic.pcap
loop = forever
replies = as_is
[openflow]
rules = flows
next_hops_generated = 9
prefixes_generated = 50
prefixes_table = 1
"""


@pytest.mark.sanitised
@every_mode
@pytest.mark.parametrize("lcores", [1, pytest.param(2, marks=pytest.mark.nightly), 4])
def test_flows_change_while_packets_pass(nf: Nf, tmp_path: Path, lcores: int, mode: str) -> None:
    """Each reload sends packets to another port; one with a mistake changes nothing."""

    def use(number: int) -> None:
        head = f"flow 0 1 eth_type=0x0800 write:output={number + 1}\n" * (number % 3 + 1)
        (tmp_path / "flows").write_text(f"{head}flow 0 0 any drop\nflow 1 0 any drop\n")

    (tmp_path / "nf.conf").write_text(RELOADED)
    write_pcap(tmp_path / "traffic.pcap", every_end())
    use(0)
    settings = [f"openflow.mode={mode}", *(["model.workers=2"] if lcores == 4 else [])]
    with running(nf, tmp_path / "nf.conf", settings, lcores) as run:

        def passed() -> int:
            return int(run.ask("/nalm/stages")["openflow"]["output"])

        run.wait_for("nalm-nf: ")
        for number in range(1, ROUNDS):
            before = passed()
            run.until(lambda before=before: passed() > before + 1000)
            use(number)
            run.hang_up()
            run.wait_for(f"reload {number}: in effect")
        (tmp_path / "flows").write_text("flow 0 1 any write:output=60\nflow 0 1 any goto=0\n")
        run.hang_up()
        assert "flows:2: goto=0: expected a table behind" in "".join(run.wait_for("reload: refused"))
        before = passed()
        run.until(lambda: passed() > before + 1000)
        totals = run.end()
    (outcomes,) = (stage["outcomes"] for stage in totals["stages"] if stage["name"] == "openflow")
    counts = totals["openflow"]
    assert set(counts["ports"]) == {str(number + 1) for number in range(ROUNDS)}
    assert sum(counts["ports"].values()) == outcomes["output"]
    assert counts["tables"]["0"]["lookups"] == outcomes["output"] + outcomes["dropped"]
