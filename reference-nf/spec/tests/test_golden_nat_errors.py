# SPDX-License-Identifier: BSD-3-Clause
"""ICMP errors and hairpinned packets through the real NF's NAT (RFC 5508; RFC 4787, REQ-9)."""

from collections import Counter
from collections.abc import Callable

import golden_packets as packets
import pytest
from golden_nf import CONFIG, Nf
from scapy.layers.inet import ICMP, IP, TCP, UDP, ICMPerror, IPerror, TCPerror, UDPerror
from scapy.packet import Packet, Raw
from spec.checksum import ones_complement_sum
from spec.config import read_chain
from spec.packet import checksum_ok, parse
from test_golden_models import MODELS, each_model

NAT = {"chain.stages": "nat"}
ROUTER, INSIDE_ROUTER, SERVER = "198.51.100.1", "10.10.9.1", packets.SERVER
CLIENT, OTHER_CLIENT = packets.CLIENT, packets.OTHER_CLIENT
LAYERS: dict[str, Callable[[], Packet]] = {
    "tcp": lambda: TCP(sport=40001, dport=80, flags="S") / b"data",
    "udp": lambda: UDP(sport=5353, dport=53) / b"query",
    "udp without checksum": lambda: UDP(sport=5354, dport=53, chksum=0) / b"query",
    "icmp": lambda: ICMP(id=321, seq=1) / b"abcdefgh",
}


def opened(*frames: bytes, settings: dict[str, str] = NAT) -> list[IP]:
    """The output for packets from the inside."""
    return [packets.ip(frame) for frame in read_chain(CONFIG, settings).replay(list(frames)).frames]


def error(about: bytes, source: str, to: str, kind: int = 11, code: int = 0) -> bytes:
    """An ICMP error that quotes `about`, the beginning of an IPv4 packet."""
    return packets.ether(IP(src=source, dst=to, id=5) / ICMP(type=kind, code=code) / Raw(about))


def sound(frame: bytes) -> IP:
    """The IPv4 packet of a frame, after checking its checksums and those of a quoted packet."""
    packet = parse(frame)
    assert checksum_ok(packet)
    assert ones_complement_sum(frame[14 : packet.l4]) == 0xFFFF
    inside = frame[packet.l4 + 8 : packet.end]
    assert ones_complement_sum(inside[: (inside[0] & 15) * 4]) == 0xFFFF
    if len(inside) == int.from_bytes(inside[2:4], "big"):
        assert checksum_ok(parse(packets.ether(Raw(b""))[:12] + b"\x08\0" + inside))
    return packets.ip(frame)


@pytest.mark.parametrize("layer", LAYERS)
def test_errors_reach_the_client(nf: Nf, layer: str) -> None:
    out = packets.ether(packets.out() / LAYERS[layer]())
    (seen,) = opened(out)
    errors = [
        (kind, code, error(bytes(seen)[:kept], ROUTER, seen.src, kind, code))
        for kept in (28, 48, None)
        for kind, code in ((3, 1), (3, 4), (11, 0), (12, 0))
    ]
    expected = nf.assert_as_spec([out, *(frame for _, _, frame in errors)], NAT)
    assert expected.outcomes["nat"] == {"translated_out": 1, "icmp_error": len(errors)}
    for (kind, code, _), frame in zip(errors, expected.frames[1:], strict=True):
        got = sound(frame)
        assert (got.src, got.dst) == (ROUTER, CLIENT)
        assert (got[IPerror].src, got[IPerror].dst) == (CLIENT, SERVER)
        assert (got[ICMP].type, got[ICMP].code) == (kind, code)
        for there, here in ((TCP, TCPerror), (UDP, UDPerror)):
            if there in packets.ip(out):
                assert got[here].sport == packets.ip(out)[there].sport
        if "icmp" in layer:
            assert got[ICMPerror].id == 321


@pytest.mark.parametrize("layer", LAYERS)
def test_errors_of_the_inside_reach_the_server(nf: Nf, layer: str) -> None:
    """An error from the client itself, and from a router before it, which has no mapping of its own."""
    out = packets.ether(packets.out() / LAYERS[layer]())
    (seen,) = opened(out)
    answer = bytes(IP(src=SERVER, dst=CLIENT, id=6) / _answer(packets.ip(out)))
    sources = (CLIENT, INSIDE_ROUTER)
    errors = [error(answer, source, SERVER, 3, 3) for source in sources]
    expected = nf.assert_as_spec([out, *errors], NAT)
    assert expected.outcomes["nat"] == {"translated_out": 1, "icmp_error": len(errors)}
    for source, frame in zip(sources, expected.frames[1:], strict=True):
        got = sound(frame)
        assert got.dst == SERVER and got.src.startswith("203.0.113.")
        assert (got.src == seen.src) or source == INSIDE_ROUTER
        assert (got[IPerror].src, got[IPerror].dst) == (SERVER, seen.src)


def _answer(sent: IP) -> Packet:
    """The transport layer of a reply as the client receives it."""
    for layer in (TCP, UDP):
        if layer in sent:
            return layer(sport=sent[layer].dport, dport=sent[layer].sport) / b"answer"
    return ICMP(type=0, id=sent[ICMP].id, seq=1)


def refused() -> dict[str, tuple[bytes, str]]:
    """Errors that are not translated, each with its outcome; the flow is that of layer `udp`."""
    (seen,) = opened(packets.ether(packets.out() / LAYERS["udp"]()))
    whole, to = bytes(seen), seen.src
    changed = bytearray(error(whole, ROUTER, to))
    changed[-1] ^= 1
    no_header_sum = bytearray(whole)
    no_header_sum[10] ^= 1
    second = bytes(IP(src=to, dst=SERVER, frag=2) / UDP(sport=seen[UDP].sport, dport=53))
    stranger = bytes(IP(src=to, dst=SERVER) / UDP(sport=60000, dport=53))
    answer = bytes(IP(src=to, dst=SERVER) / ICMP(type=0, id=9))
    return {
        "wrong ICMP checksum": (bytes(changed), "malformed"),
        "wrong checksum inside": (error(bytes(no_header_sum), ROUTER, to), "malformed"),
        "nothing inside": (error(b"", ROUTER, to), "malformed"),
        "ports cut off": (error(whole[:27], ROUTER, to), "malformed"),
        "not IPv4 inside": (error(b"\x60" + whole[1:], ROUTER, to), "malformed"),
        "a later fragment inside": (error(second, ROUTER, to), "fragment"),
        "a protocol without ports": (
            error(bytes(IP(src=to, dst=SERVER, proto=47) / bytes(8)), ROUTER, to),
            "unsupported_protocol",
        ),
        "a time stamp inside": (
            error(bytes(IP(src=to, dst=SERVER) / ICMP(type=13)), ROUTER, to),
            "unsupported_protocol",
        ),
        "an answer that never went out": (error(answer, ROUTER, to), "unsupported_protocol"),
        "no such mapping": (error(stranger, ROUTER, to), "no_mapping"),
        "to somebody else": (error(whole, ROUTER, "203.0.113.200"), "no_mapping"),
        "of the inside, no such mapping": (
            error(bytes(IP(src=SERVER, dst=CLIENT) / UDP(sport=53, dport=6)), CLIENT, SERVER),
            "no_mapping",
        ),
        "redirect": (error(whole, ROUTER, to, 5), "unsupported_protocol"),
    }


@pytest.mark.sanitised
def test_refused_errors(nf: Nf) -> None:
    out = packets.ether(packets.out() / LAYERS["udp"]())
    cases = refused()
    for name, (frame, outcome) in cases.items():
        replayed = read_chain(CONFIG, NAT).replay([out, frame])
        assert replayed.outcomes["nat"] == {"translated_out": 1, outcome: 1}, name
    expected = nf.assert_as_spec([out, *(frame for frame, _ in cases.values())], NAT)
    ends = Counter(outcome for _, outcome in cases.values())
    assert expected.outcomes["nat"] == {"translated_out": 1, **ends}


def test_errors_keep_no_mapping_alive(nf: Nf) -> None:
    """RFC 5508, REQ-6."""
    settings = {**NAT, "chain.batch": "1", "traffic.ns_per_packet": "100000000", "nat.udp_timeout_s": "1"}
    out = packets.ether(packets.out() / LAYERS["udp"]())
    (seen,) = opened(out)
    expected = nf.assert_as_spec([out] + [error(bytes(seen), ROUTER, seen.src)] * 22, settings)
    assert expected.outcomes["nat"] == {"translated_out": 1, "icmp_error": 19, "no_mapping": 3}


@pytest.mark.sanitised
@pytest.mark.parametrize("layer", ["tcp", "udp"])
def test_hairpin(nf: Nf, layer: str) -> None:
    """Two inside hosts use their pool addresses: each sees the other from outside, errors included."""
    there = packets.ether(packets.out(src=OTHER_CLIENT) / LAYERS[layer]())
    here = packets.ether(packets.out() / LAYERS[layer]())
    seen_there, seen_here = opened(there, here)
    kind = TCP if layer == "tcp" else UDP
    hello = packets.ether(
        IP(src=CLIENT, dst=seen_there.src) / kind(sport=seen_port(here), dport=seen_there.sport) / b"hello"
    )
    spec = read_chain(CONFIG, NAT).replay([there, here, hello])
    arrived = packets.ip(spec.frames[2])
    assert (arrived.src, arrived.dst, arrived.dport) == (seen_here.src, OTHER_CLIENT, seen_port(there))
    back = error(bytes(arrived), OTHER_CLIENT, seen_here.src, 3, 3)
    expected = nf.assert_as_spec([there, here, hello, back], NAT)
    assert expected.outcomes["nat"] == {"translated_out": 2, "hairpinned": 1, "icmp_error": 1}
    got = sound(expected.frames[3])
    assert (got.src, got.dst) == (seen_there.src, CLIENT)
    assert (got[IPerror].src, got[IPerror].dst) == (CLIENT, seen_there.src)


def seen_port(frame: bytes) -> int:
    """The original source port of a packet."""
    return int(packets.ip(frame).sport)


def test_hairpin_to_nobody_opens_nothing(nf: Nf) -> None:
    to_nobody = [
        packets.ether(IP(src=CLIENT, dst="203.0.113.5") / UDP(sport=1, dport=1)),
        packets.ether(IP(src=CLIENT, dst="203.0.113.5") / ICMP(id=1)),
    ]
    out = packets.ether(packets.out() / UDP(sport=2, dport=9))
    expected = nf.assert_as_spec([*to_nobody, out], {**NAT, "nat.entries": "1"})
    assert expected.outcomes["nat"] == {"no_mapping": 2, "translated_out": 1}


def test_hairpin_needs_a_mapping_of_its_own(nf: Nf) -> None:
    there = packets.ether(packets.out(src=OTHER_CLIENT) / LAYERS["udp"]())
    (seen,) = opened(there)
    hello = packets.ether(IP(src=CLIENT, dst=seen.src) / UDP(sport=7, dport=seen.sport))
    full = nf.assert_as_spec([there, hello], {**NAT, "nat.entries": "1"})
    assert full.outcomes["nat"] == {"translated_out": 1, "table_full": 1}
    one_port = {**NAT, "nat.pool": "203.0.113.4/32", "nat.port_min": "9", "nat.port_max": "9"}
    hello = packets.ether(IP(src=CLIENT, dst="203.0.113.4") / UDP(sport=7, dport=9))
    assert nf.assert_as_spec([there, hello], one_port).outcomes["nat"] == {"translated_out": 1, "no_port": 1}


@pytest.mark.parametrize("name", each_model(name for name in MODELS if name != "pipeline of two"))
def test_models_and_variants(nf: Nf, name: str) -> None:
    """Errors and hairpinned packets reach the instance of their flow, or end as hairpin_elsewhere."""
    settings = {**NAT, **MODELS[name], "nat.pool": "203.0.113.4/30"}
    out = [
        packets.ether(packets.out(src=f"10.10.4.{n}") / UDP(sport=900 + n, dport=9) / b"q") for n in range(40)
    ]
    seen = opened(*out, settings=settings)
    frames = [error(bytes(ip), ROUTER, ip.src) for ip in seen]
    for number, ip in enumerate(seen):
        client = packets.ip(out[number])
        frames.append(
            error(
                bytes(IP(src=SERVER, dst=client.src) / UDP(sport=9, dport=client.sport)), client.src, SERVER
            )
        )
        partner = packets.ip(out[(number * 7 + 1) % 40])
        frames.append(
            packets.ether(IP(src=partner.src, dst=ip.src) / UDP(sport=partner.sport, dport=ip.sport))
        )
        frames.append(
            error(
                bytes(IP(src=ip.src, dst=partner.src) / UDP(sport=ip.sport, dport=partner.sport)),
                partner.src,
                ip.src,
            )
        )
    expected = nf.assert_as_spec(out + frames, settings)
    assert expected.outcomes["nat"]["hairpinned"] > 0
    assert expected.outcomes["nat"]["icmp_error"] >= 80
