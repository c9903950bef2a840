# SPDX-License-Identifier: BSD-3-Clause
"""NAT's state, through the real NF: both directions, exhausted ports and tables, expiry in virtual time."""

import golden_packets as packets
import pytest
from golden_nf import CONFIG, Nf
from scapy.layers.inet import ICMP, IP, TCP, UDP
from spec.checksum import ones_complement_sum
from spec.config import read_chain
from spec.packet import checksum_ok, parse

NAT = {"chain.stages": "nat"}
SERVER = packets.SERVER


def translated(frames: list[bytes], settings: dict[str, str]) -> list[IP]:
    """The frames after the spec's NAT, which show the addresses that a server sees."""
    return [packets.ip(frame) for frame in read_chain(CONFIG, settings).replay(frames).frames]


def answer(seen: IP) -> bytes:
    """A server's reply."""
    layer = ICMP(type=0, id=seen[ICMP].id, seq=seen[ICMP].seq) if ICMP in seen else None
    for transport in (TCP, UDP):
        if transport in seen:
            layer = transport(sport=seen[transport].dport, dport=seen[transport].sport)
    return packets.ether(IP(src=seen.dst, dst=seen.src, id=9) / layer / b"answer")


def flows(count: int, client: str = packets.CLIENT) -> list[bytes]:
    """One UDP packet of each of `count` flows of a client."""
    return [
        packets.ether(packets.out(src=client) / UDP(sport=10000 + n, dport=9) / b"q") for n in range(count)
    ]


def test_answers_reach_their_client(nf: Nf) -> None:
    frames = [frame for _, frame in packets.good()]
    answers = [answer(seen) for seen in translated(frames, NAT)]
    expected = nf.assert_as_spec(frames + answers, NAT)
    assert expected.outcomes["nat"]["translated_in"] == len(answers) == len(frames)
    for sent, got in zip(frames, expected.frames[len(frames) :], strict=True):
        assert packets.ip(got).dst == packets.ip(sent).src


def test_an_answer_from_another_server_is_let_in(nf: Nf) -> None:
    """Endpoint-independent filtering (RFC 4787, REQ-8)."""
    frames = flows(1)
    (seen,) = translated(frames, NAT)
    stranger = packets.ether(IP(src="198.51.100.99", dst=seen.src) / UDP(sport=1, dport=seen[UDP].sport))
    assert nf.assert_as_spec([*frames, stranger], NAT).outcomes["nat"]["translated_in"] == 1


def test_translated_checksums_verify(nf: Nf) -> None:
    frames = [frame for _, frame in packets.good() if checksum_ok(parse(frame))]
    left = nf.replay(frames, NAT).frames
    assert len(left) == len(frames)
    for frame in left:
        packet = parse(frame)
        assert checksum_ok(packet)
        assert ones_complement_sum(frame[14 : packet.l4]) == 0xFFFF


def test_udp_checksum_that_becomes_zero_is_sent_as_ffff(nf: Nf) -> None:
    """The payload makes the translated datagram sum to ffff, its checksum to 0 (RFC 768)."""

    def frame(word: int) -> bytes:
        return packets.ether(packets.out() / UDP(sport=10000, dport=9) / word.to_bytes(2, "big"))

    (seen,) = translated([frame(0)], NAT)
    expected = nf.assert_as_spec([frame(0xFFFF - packets.udp_sum(bytes(seen)))], NAT)
    assert packets.ip(expected.frames[0])[UDP].chksum == 0xFFFF


def test_ports_of_a_tiny_pool_run_out(nf: Nf) -> None:
    settings = {**NAT, "nat.pool": "203.0.113.4/32", "nat.port_min": "5000", "nat.port_max": "5009"}
    expected = nf.assert_as_spec(flows(16), settings)
    assert expected.outcomes["nat"] == {"translated_out": 10, "no_port": 6}


@pytest.mark.sanitised
def test_the_table_fills(nf: Nf) -> None:
    settings = {**NAT, "nat.entries": "12"}
    expected = nf.assert_as_spec(flows(20), settings)
    assert expected.outcomes["nat"] == {"translated_out": 12, "table_full": 8}


def test_one_address_of_the_pool_for_a_client(nf: Nf) -> None:
    clients = [f"10.10.5.{n}" for n in range(1, 40)]
    frames = [frame for client in clients for frame in flows(2, client)]
    left = nf.assert_as_spec(frames, NAT).frames
    by_client = {
        client: {packets.ip(left[2 * n]).src, packets.ip(left[2 * n + 1]).src}
        for n, client in enumerate(clients)
    }
    assert all(len(addresses) == 1 for addresses in by_client.values())
    assert len(set.union(*by_client.values())) == 16


@pytest.mark.sanitised
def test_idle_mappings_expire_and_their_ports_come_back_last(nf: Nf) -> None:
    """100 ms and a batch per packet: an idle second after the end of the second of the last use, the
    first flow gets a new mapping."""
    settings = {
        **NAT,
        "chain.batch": "1",
        "traffic.ns_per_packet": "100000000",
        "nat.udp_timeout_s": "1",
        "nat.port_min": "5000",
        "nat.port_max": "5003",
        "nat.pool": "203.0.113.4/32",
    }
    one, two, three, four, five = flows(5)
    kept_alive = [one, two] + [two, three] * 10  # until 2.1 s; `one` was last used in the first second
    expected = nf.assert_as_spec([*kept_alive, one, four, five, two, one], settings)
    ports = [packets.ip(frame)[UDP].sport for frame in expected.frames]
    assert ports[:3] == [5000, 5001, 5001]
    assert expected.outcomes["nat"]["no_port"] == 1
    assert ports[22] == 5003, "the freed port goes after the unused ones"
    assert ports[23] == 5000


def test_answers_do_not_keep_a_mapping_alive(nf: Nf) -> None:
    """RFC 4787, REQ-6: only outbound packets refresh."""
    settings = {
        **NAT,
        "chain.batch": "1",
        "traffic.ns_per_packet": "100000000",
        "nat.udp_timeout_s": "1",
    }
    (frame,) = flows(1)
    (seen,) = translated([frame], settings)
    expected = nf.assert_as_spec([frame] + [answer(seen)] * 22, settings)
    assert expected.outcomes["nat"] == {"translated_out": 1, "translated_in": 19, "no_mapping": 3}


def test_timeouts_differ_by_protocol(nf: Nf) -> None:
    settings = {
        **NAT,
        "chain.batch": "1",
        "traffic.ns_per_packet": "500000000",
        "nat.tcp_timeout_s": "4",
        "nat.udp_timeout_s": "2",
        "nat.icmp_timeout_s": "1",
    }
    first = [
        packets.ether(packets.out() / TCP(sport=1, dport=80)),
        packets.ether(packets.out() / UDP(sport=1, dport=80)),
        packets.ether(packets.out() / ICMP(id=1, seq=1)),
    ]
    answers = [answer(seen) for seen in translated(first, settings)]
    nf.assert_as_spec(first + answers * 4, settings)
