# SPDX-License-Identifier: BSD-3-Clause
"""The load balancer through the real NF: distribution, rewriting, idle times, errors, changes of the back
ends."""

from collections import Counter
from collections.abc import Callable
from functools import cache
from ipaddress import ip_address
from pathlib import Path

import golden_packets as packets
import pytest
from golden_nf import CONFIG, Nf, size_of_tier
from hypothesis import HealthCheck, given
from hypothesis import settings as checked
from hypothesis import strategies as st
from scapy.layers.inet import ICMP, IP, TCP, UDP, IPerror, fragment
from scapy.packet import Packet, Raw
from spec import maglev
from spec.checksum import ones_complement_sum
from spec.config import read_chain
from spec.packet import checksum_ok, parse
from test_golden_models import MODELS, each_model

WEB, DNS, EMPTY = "198.51.100.80", "198.51.100.53", "198.51.100.99"
SERVICES = f"""
# all kinds of back ends
service {WEB}:80 tcp
backend 10.20.0.1:8080 1
backend 10.20.0.2:8080 1
backend 10.20.0.3:8081 2
backend 10.20.0.4:8080 5 drain
backend 10.20.0.5:8080 5 down   # dead
service {WEB}:81 tcp
backend 10.20.0.1:8080 1
service {DNS}:53 udp
backend 10.20.1.1:53 3
backend 10.20.1.2:5353 1
service {EMPTY}:80 tcp
backend 10.20.0.5:80 1 down
service {EMPTY}:81 udp
"""


@pytest.fixture(scope="module")
def lb(tmp_path_factory: pytest.TempPathFactory) -> dict[str, str]:
    """Settings of a chain of the load balancer alone."""
    path = tmp_path_factory.mktemp("lb") / "services.txt"
    path.write_text(SERVICES)
    return {"chain.stages": "lb", "lb.services": str(path)}


@cache
def tcp(client: int, flags: str = "S", to: str = WEB, port: int = 80, payload: bytes = b"") -> bytes:
    """A segment of a client, by its number."""
    source = f"192.0.2.{client % 250}"
    return packets.ether(
        IP(src=source, dst=to, id=3) / TCP(sport=20000 + client, dport=port, flags=flags) / payload
    )


@cache
def udp(client: int, to: str = DNS, port: int = 53, chksum: int | None = None) -> bytes:
    """A datagram of a client, by its number."""
    return packets.ether(
        IP(src=f"192.0.2.{client % 250}", dst=to)
        / UDP(sport=20000 + client, dport=port, chksum=chksum)
        / b"q"
    )


def answer(frame: bytes, flags: str = "SA") -> bytes:
    """A back end's reply to a packet."""
    got = packets.ip(frame)
    if TCP in got:
        layer: Packet = TCP(sport=got.dport, dport=got.sport, flags=flags)
    else:
        layer = UDP(sport=got.dport, dport=got.sport)
    return packets.ether(IP(src=got.dst, dst=got.src, id=4) / layer / b"answer")


def destination(frame: bytes) -> tuple[str, int]:
    """Address and port to which a packet of either protocol goes."""
    packet = parse(frame)
    return str(ip_address(packet.destination)), packet.ports[1]


def forwarded(settings: dict[str, str], frames: list[bytes]) -> list[bytes]:
    """The output, by the spec."""
    return read_chain(CONFIG, settings).replay(frames).frames


def test_new_connections_spread_by_weight(nf: Nf, lb: dict[str, str]) -> None:
    expected = nf.assert_as_spec([tcp(n) for n in range(2000)], {**lb, "lb.maglev_size": "4093"})
    assert expected.outcomes["lb"] == {"opened": 2000}
    share = Counter(map(destination, expected.frames))
    assert set(share) == {("10.20.0.1", 8080), ("10.20.0.2", 8080), ("10.20.0.3", 8081)}
    assert 1.6 < share["10.20.0.3", 8081] / share["10.20.0.1", 8080] < 2.4


@pytest.mark.sanitised
def test_both_directions(nf: Nf, lb: dict[str, str]) -> None:
    opening = [tcp(n) for n in range(50)] + [udp(n) for n in range(50)] + [udp(60, chksum=0)]
    answers = [answer(frame) for frame in forwarded(lb, opening)]
    more = [tcp(n, "A", payload=b"GET") for n in range(50)]
    expected = nf.assert_as_spec(opening + answers + more, lb)
    assert expected.outcomes["lb"] == {"opened": 101, "replied": 101, "forwarded": 50}
    for frame in expected.frames:
        packet = parse(frame)
        assert checksum_ok(packet)
        assert ones_complement_sum(frame[14 : packet.l4]) == 0xFFFF
    for sent, got in zip(opening, expected.frames[101:202], strict=True):
        there, back = packets.ip(sent), packets.ip(got)
        assert (there.src, there.sport, there.dst, there.dport) == (
            back.dst,
            back.dport,
            back.src,
            back.sport,
        )
    for first, later in zip(expected.frames, expected.frames[202:], strict=False):
        assert packets.ip(first).dst == packets.ip(later).dst


def test_udp_checksum_that_becomes_zero_is_sent_as_ffff(nf: Nf, lb: dict[str, str]) -> None:
    def frame(word: int) -> bytes:
        return packets.ether(IP(src="192.0.2.9", dst=DNS) / UDP(sport=9, dport=53) / word.to_bytes(2, "big"))

    (seen,) = (packets.ip(out) for out in forwarded(lb, [frame(0)]))
    expected = nf.assert_as_spec([frame(0xFFFF - packets.udp_sum(bytes(seen)))], lb)
    assert packets.ip(expected.frames[0])[UDP].chksum == 0xFFFF


def other_packets() -> dict[str, tuple[bytes, str]]:
    """Packets that open nothing, each with its outcome."""
    parts = fragment(IP(src="192.0.2.1", dst=WEB) / TCP(sport=1, dport=80) / bytes(60), fragsize=40)
    to_web = IP(src="192.0.2.1", dst=WEB)
    return {
        "to nobody": (packets.ether(packets.out() / TCP(sport=1, dport=80, flags="S")), "no_service"),
        "another port": (tcp(1, port=8443), "no_service"),
        "another protocol": (udp(1, to=WEB, port=80), "no_service"),
        "ping": (packets.ether(to_web / ICMP(id=1)), "no_service"),
        "gre": (packets.ether(IP(src="192.0.2.1", dst=WEB, proto=47) / bytes(20)), "no_service"),
        "fragment": (packets.ether(parts[0]), "fragment"),
        "last fragment": (packets.ether(parts[-1]), "fragment"),
        "fragment to somebody else": (
            packets.ether(fragment(packets.out() / UDP() / bytes(60), fragsize=40)[1]),
            "no_service",
        ),
        "bad header": (packets.ether(to_web / TCP(sport=1, dport=80, dataofs=1)), "malformed"),
        "bad header to somebody else": (packets.ether(packets.out() / TCP(dataofs=1)), "no_service"),
        "cut short": (tcp(1)[:30], "malformed"),
        "no backend at all": (udp(1, to=EMPTY, port=81), "no_backend"),
        "only dead ones": (tcp(1, to=EMPTY), "no_backend"),
        "not from the beginning": (tcp(1, "A"), "not_opening"),
        "syn and ack": (tcp(1, "SA"), "not_opening"),
        "reset": (tcp(1, "R"), "not_opening"),
    }


def test_other_packets(nf: Nf, lb: dict[str, str]) -> None:
    cases = other_packets()
    for name, (frame, outcome) in cases.items():
        assert read_chain(CONFIG, lb).replay([frame]).outcomes["lb"] == {outcome: 1}, name
    expected = nf.assert_as_spec([frame for frame, _ in cases.values()], lb)
    passed = [frame for frame, outcome in cases.values() if outcome == "no_service"]
    assert expected.frames == passed


@pytest.mark.sanitised
def test_every_golden_packet(nf: Nf, lb: dict[str, str]) -> None:
    nf.assert_as_spec([frame for _, frame in packets.every()], lb)


def test_any_segment_may_open(nf: Nf, lb: dict[str, str]) -> None:
    frames = [tcp(1, "A"), tcp(2, "FA"), tcp(3, "R"), tcp(1, "A")]
    expected = nf.assert_as_spec(frames, {**lb, "lb.tcp_open": "any"})
    assert expected.outcomes["lb"] == {"opened": 2, "not_opening": 1, "forwarded": 1}


@pytest.mark.sanitised
def test_the_table_fills(nf: Nf, lb: dict[str, str]) -> None:
    expected = nf.assert_as_spec([tcp(n) for n in range(20)] + [tcp(3)], {**lb, "lb.entries": "12"})
    assert expected.outcomes["lb"] == {"opened": 12, "table_full": 8, "forwarded": 1}


def test_one_end_of_a_backend_serves_one_connection(nf: Nf, lb: dict[str, str]) -> None:
    """The same client's port through two services to one back end: replies would be ambiguous."""
    clients = [n for n, out in enumerate(forwarded(lb, [tcp(n) for n in range(40)])) if out[33] == 1]
    frames = [frame for n in clients for frame in (tcp(n), tcp(n, port=81))]
    expected = nf.assert_as_spec(frames, lb)
    assert expected.outcomes["lb"] == {"opened": len(clients), "end_taken": len(clients)}


def slow(lb: dict[str, str]) -> dict[str, str]:
    """A second per packet, one packet per batch, short idle times."""
    return {
        **lb,
        "chain.batch": "1",
        "traffic.ns_per_packet": "1000000000",
        "lb.tcp_timeout_s": "8",
        "lb.tcp_opening_timeout_s": "2",
        "lb.tcp_closing_timeout_s": "4",
        "lb.udp_timeout_s": "3",
    }


@pytest.mark.parametrize(
    ("steps", "seconds"),
    [
        (["S>"], 2),
        (["S>", "<SA"], 2),
        (["S>", "<SA", "A>"], 8),
        (["S>", "<SA", "A>", "<FA"], 8),
        (["S>", "<SA", "A>", "<FA", "FA>"], 4),
        (["S>", "<SA", "A>", "R>"], 4),
        (["S>", "<SA", "A>", "<R"], 4),
    ],
    ids=str,
)
def test_idle_times(nf: Nf, lb: dict[str, str], steps: list[str], seconds: int) -> None:
    """A client's segment after a pause: within the idle time it belongs to the connection, later to none."""
    settings = slow(lb)
    (first,) = forwarded(settings, [tcp(1)])
    frames = [answer(first, step[1:]) if step.startswith("<") else tcp(1, step[:-1]) for step in steps]
    silence = [b"\x02"]
    kept = nf.assert_as_spec(frames + silence * (seconds - 1) + [tcp(1, "A")], settings)
    gone = nf.assert_as_spec(frames + silence * seconds + [tcp(1, "A")], settings)
    assert "not_opening" not in kept.outcomes["lb"]
    assert gone.outcomes["lb"]["not_opening"] == 1


def test_both_sides_keep_a_connection_alive(nf: Nf, lb: dict[str, str]) -> None:
    settings = slow(lb)
    (first,) = forwarded(settings, [udp(1)])
    frames = [udp(1)] + [answer(first)] * 10 + [udp(1)] * 10 + [b"\x02"] * 5 + [answer(first)]
    expected = nf.assert_as_spec(frames, settings)
    assert expected.outcomes["lb"] == {
        "opened": 1,
        "replied": 10,
        "forwarded": 10,
        "malformed": 5,
        "no_service": 1,
    }


def test_a_closed_connection_begins_again(nf: Nf, lb: dict[str, str]) -> None:
    """In one batch, the result of the batch's lookup is no longer valid."""
    (first,) = forwarded(lb, [tcp(1)])
    life = [tcp(1), answer(first), tcp(1, "A"), tcp(1, "FA"), answer(first, "FA")]
    expected = nf.assert_as_spec([*life, *life, tcp(1, "A")], lb)
    assert expected.outcomes["lb"] == {"opened": 2, "replied": 4, "forwarded": 5}


def error(about: bytes, source: str, to: str, kind: int = 3, code: int = 4) -> bytes:
    """An ICMP error that quotes a packet."""
    return packets.ether(IP(src=source, dst=to, id=5) / ICMP(type=kind, code=code) / Raw(about))


@pytest.mark.parametrize("make", [tcp, udp])
@pytest.mark.parametrize("kept", [28, None])
def test_errors(nf: Nf, lb: dict[str, str], make: Callable[[int], bytes], kept: int | None) -> None:
    sent = make(7)
    (got,) = forwarded(lb, [sent])
    there, service = packets.ip(got), packets.ip(sent).dst
    replied = bytes(packets.ip(forwarded(lb, [sent, answer(got)])[1]))
    cases = [
        (error(bytes(there)[:kept], "10.20.9.9", there.src), ("10.20.9.9", there.src, there.src, service)),
        (error(bytes(there)[:kept], there.dst, there.src), (service, there.src, there.src, service)),
        (error(replied[:kept], "192.0.2.254", service), ("192.0.2.254", there.dst, there.dst, there.src)),
    ]
    expected = nf.assert_as_spec([sent, *(frame for frame, _ in cases)], lb)
    assert expected.outcomes["lb"] == {"opened": 1, "icmp_error": 3}
    for frame, (_, ends) in zip(expected.frames[1:], cases, strict=True):
        packet = packets.ip(frame)
        assert checksum_ok(parse(frame))
        assert (packet.src, packet.dst, packet[IPerror].src, packet[IPerror].dst) == ends


def test_errors_about_nothing_of_ours_go_on(nf: Nf, lb: dict[str, str]) -> None:
    about = bytes(IP(src=WEB, dst="192.0.2.1") / TCP(sport=80, dport=1))
    frames = [
        error(about, "192.0.2.254", WEB),
        error(about, "192.0.2.254", "192.0.2.1"),
        error(b"", "192.0.2.254", WEB),
        error(bytes(IP(src=WEB, dst="192.0.2.1") / ICMP(type=0)), "192.0.2.254", WEB),
    ]
    expected = nf.assert_as_spec(frames, lb)
    assert expected.outcomes["lb"] == {"no_service": 4}
    assert expected.frames == frames


@pytest.fixture(scope="module")
def every_kind(lb: dict[str, str]) -> list[bytes]:
    """Openings, replies, errors about both, later segments and all refused packets."""
    opening = [make(n) for n in range(60) for make in (tcp, udp)]
    got = forwarded(lb, opening)
    answers = [answer(frame) for frame in got]
    errors = [error(bytes(packets.ip(frame)), "10.20.9.9", packets.ip(frame).src) for frame in got]
    rest = [tcp(n, flags, payload=b"x") for n in range(60) for flags in ("A", "FA")]
    other = [frame for frame, _ in other_packets().values()]
    return opening + answers + other + errors + rest


@pytest.mark.parametrize("name", each_model(name for name in MODELS if name != "pipeline of two"))
def test_models_and_variants(nf: Nf, lb: dict[str, str], every_kind: list[bytes], name: str) -> None:
    expected = nf.assert_as_spec(every_kind, {**lb, **MODELS[name], "lb.entries": "128"})
    assert expected.outcomes["lb"]["replied"] > 100
    assert expected.outcomes["lb"]["icmp_error"] > 100


def test_a_backend_that_leaves_moves_its_share_alone() -> None:
    """If one of five back ends changes, Maglev keeps nearly all slots of the others."""
    size = 4093
    backends = [(0x0A140000 + n, 80, 1) for n in range(5)]
    before, after = maglev.table(size, backends), maglev.table(size, backends[:2] + backends[3:])
    shares = Counter(before)
    assert max(shares.values()) - min(shares.values()) <= 1
    moved = sum(was != now for was, now in zip(before, after, strict=True))
    lost = shares[backends[2][:2]]
    assert lost <= moved < lost * 1.15


@pytest.mark.nightly
def test_the_share_that_moves_through_the_nf(nf: Nf, tmp_path: Path) -> None:
    def destinations(count: int) -> list[str]:
        path = tmp_path / f"{count}.txt"
        ends = "\n".join(f"backend 10.20.0.{n}:80 1" for n in range(1, count + 1))
        path.write_text(f"service {WEB}:80 tcp\n{ends}\n")
        settings = {"chain.stages": "lb", "lb.services": str(path), "lb.maglev_size": "4093"}
        left = nf.assert_as_spec([tcp(n) for n in range(1500)], settings).frames
        return [destination(frame)[0] for frame in left]

    before, after = destinations(10), destinations(9)
    lost = before.count("10.20.0.10")
    assert lost > 100
    assert lost <= sum(was != now for was, now in zip(before, after, strict=True)) < lost * 1.3


steps = st.lists(
    st.tuples(
        st.sampled_from(["S>", "A>", "A+>", "FA>", "R>", "SA>", "<SA", "<A", "<FA", "<R", "u>", "<u"]),
        st.integers(0, 3),
        st.sampled_from([80, 80, 80, 81]),
        st.integers(0, 5),
    ),
    min_size=1,
    max_size=60,
)


@checked(max_examples=size_of_tier(25, 5), deadline=None, suppress_health_check=list(HealthCheck))
@given(steps=steps, batch=st.sampled_from(["1", "7", "64"]), entries=st.sampled_from(["2", "64"]))
def test_any_order(
    nf: Nf, lb: dict[str, str], steps: list[tuple[str, int, int, int]], batch: str, entries: str
) -> None:
    """Packets of four clients and a few back ends in any order, with pauses."""
    settings = {**slow(lb), "chain.batch": batch, "lb.entries": entries}
    frames = []
    for step, client, port, pause in steps:
        bits = step.strip("<>+")
        frame = udp(client) if bits == "u" else tcp(client, bits, port=port, payload=b"x" * ("+" in step))
        if step.startswith("<"):
            (got,) = forwarded(settings, [udp(client) if bits == "u" else tcp(client, port=port)])
            frame = answer(got, bits)
        frames += [frame] + [b"\x02"] * pause
    nf.assert_as_spec(frames, settings)
