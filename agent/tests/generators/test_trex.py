# SPDX-License-Identifier: Apache-2.0
"""The client of TRex's stateless API, with a server that answers as TRex is documented to."""

from __future__ import annotations

import os
import socket
import struct
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from typing import Any

import pytest
from nalm_agent.config.generators import GeneratorConfig
from nalm_agent.generators import outside
from nalm_agent.generators.generator import Offer, Offered
from nalm_agent.generators.outside import GeneratorBusyError, OutsideGenerator
from nalm_agent.generators.trex import TrexGenerator
from nalm_agent.runtime.errors import GeneratorError
from nalm_agent.store.process_stamp import stamp
from nalm_core.rates.latency import figures, percentile_bins
from nalm_core.report.offered_load import NO_SHAPE
from trex_server import TrexServer


@dataclass
class TurnsOnly:
    """An NF of which only the turns matter."""

    events: list[str] = field(default_factory=list)
    on_its_way: Callable[[], int] | None = None

    def run(self, seconds: float) -> None:
        raise AssertionError("a generator outside opens a turn itself")

    @contextmanager
    def opened(self) -> Iterator[None]:
        self.events.append("open")
        yield
        self.events.append("closed")

    def arrive(self, sent: Callable[[], int]) -> None:
        self.events.append(f"arrive {sent()}")


def made(server: TrexServer, **given: Any) -> TrexGenerator:
    table = {"kind": "trex", "host": "127.0.0.1", "port": server.port, "ports": [0, 1]} | given
    return TrexGenerator("lab", GeneratorConfig.model_validate(table), timeout_s=2.0)


@contextmanager
def connected(generator: OutsideGenerator) -> Iterator[OutsideGenerator]:
    generator.connect()
    try:
        yield generator
    finally:
        generator.close()


def offer(pps: int | None, seconds: float = 0.02, leave_out_s: float = 0.0) -> Offer:
    return Offer(trial=1, seconds=seconds, pps=pps, leave_out_s=leave_out_s, shape=NO_SHAPE)


def offered(server: TrexServer, one: Offer, **given: Any) -> Offered:
    with connected(made(server, **given)) as generator:
        return generator.offer(one, TurnsOnly())


def refused(server: TrexServer, **given: Any) -> GeneratorError:
    generator = made(server, **given)
    with pytest.raises(GeneratorError) as caught:
        generator.connect()
    generator.close()
    return caught.value


def test_the_protocol_of_one_load() -> None:
    with TrexServer() as server:
        turns = TurnsOnly()
        with connected(made(server)) as generator:
            found = generator.offer(offer(100_000), turns)
            assert generator.described.model_dump() == {"name": "lab", "kind": "trex", "version": "v3.06"}
    assert server.methods()[:3] == ["api_sync_v2", "get_version", "acquire"]
    of_ports = [name for name in server.methods() if "stats" not in name and name != "get_port_status"]
    assert of_ports[2:] == [
        "acquire", "acquire", "stop_traffic", "remove_all_streams", "stop_traffic", "remove_all_streams",
        "add_stream", "start_traffic",
        "stop_traffic", "remove_all_streams", "stop_traffic", "remove_all_streams", "release", "release",
    ]  # fmt: skip
    (start,) = server.calls("start_traffic")
    assert (start["port_id"], start["duration"], start["force"]) == (0, 0.02, False)
    assert start["mul"] == {"type": "pps", "op": "abs", "value": 100_000.0}
    assert all(one["api_h"] == "API" for one in server.calls("get_port_stats"))
    assert turns.events == ["open", "closed", "arrive 2000"]
    traffic = found.traffic
    assert (traffic.sending_ns, traffic.sent, traffic.received) == (20_000_000, 2000, 2000)
    assert (traffic.queue_full, traffic.late, found.latency) == (0, 0, None)
    assert not any(port.owner for port in server.ports.values())


def test_what_it_could_not_send_and_what_did_not_return() -> None:
    with TrexServer(sends=0.8, returns=0.5, queue_full=7) as server:
        traffic = offered(server, offer(100_000)).traffic
    assert (traffic.sent, traffic.received, traffic.queue_full) == (1600, 800, 7)


def test_full_load_is_all_of_the_line() -> None:
    with TrexServer(greatest_pps=50_000) as server:
        traffic = offered(server, offer(None), directions="both").traffic
    assert [one["mul"] for one in server.calls("start_traffic")] == [
        {"type": "percentage", "op": "abs", "value": 100.0}
    ] * 2
    assert traffic.sent == traffic.received == 2000


def test_directions_queues_and_several_ports_share_the_load() -> None:
    with TrexServer() as server:
        traffic = offered(server, offer(100_000), ports=[0, 1, 2, 3], directions="both", queues=2).traffic
    starts = server.calls("start_traffic")
    assert [one["port_id"] for one in starts] == [0, 1, 2, 3]
    assert {one["mul"]["value"] for one in starts} == {25_000.0}
    assert {one["core_mask"] for one in starts} == {3}
    assert traffic.sent == traffic.received == 2000


def test_inbound_packets_come_from_the_far_ports_with_exchanged_addresses() -> None:
    addresses = {"source": "10.0.0.1", "destination": "10.0.0.2"}
    with TrexServer() as server:
        offered(server, offer(1000), directions="inbound", **addresses)
        (stream,) = server.calls("add_stream")
    assert stream["port_id"] == 1
    frame = stream["stream"]["frame"]
    assert (frame[26:30], frame[30:34]) == (bytes([10, 0, 0, 2]), bytes([10, 0, 0, 1]))


def test_each_size_is_a_stream_with_its_share_and_a_right_ip_header() -> None:
    with TrexServer() as server, connected(made(server, frames={"64": 7, "594": 4, "1518": 1}, flows=500)):
        streams = [one["stream"] for one in server.calls("add_stream")]
    assert [(len(one["frame"]) + 4, one["mode"]["rate"]["value"]) for one in streams] == [
        (64, 7), (594, 4), (1518, 1),
    ]  # fmt: skip
    for one in streams:
        words = struct.unpack("!10H", one["frame"][14:34])
        assert (sum(words) & 0xFFFF) + (sum(words) >> 16) == 0xFFFF
        (total,) = struct.unpack("!H", one["frame"][16:18])
        assert total == len(one["frame"]) - 14
        variable, write = one["vm"]["instructions"]
        assert (variable["min_value"], variable["max_value"]) == (1024, 1523)
        assert write["pkt_offset"] == 34


def test_latency_is_that_of_the_load_without_what_is_left_out() -> None:
    with TrexServer(histogram={"0": 10, "20": 80, "300": 10}) as server:
        found = offered(server, offer(10_000, 0.04, 0.02), latency_pps=1000)
        streams = [one["stream"]["flow_stats"] for one in server.calls("add_stream")]
    assert streams[1] == {"enabled": True, "stream_id": 1000, "rule_type": "latency"}
    assert found.traffic.sending_ns == 40_000_000 and found.traffic.sent == 400
    assert found.latency is not None
    shown = figures(found.latency)
    assert shown is not None
    assert (shown.packets, shown.min_ns, shown.max_ns) == (100, 0, 400_000)
    assert found.latency.bins == [(0, 10_000), (20_000, 30_000), (300_000, 400_000)]
    (p50,) = percentile_bins(found.latency, [50.0]) or []
    assert p50 == (20_000, 30_000), "no better known than the bin"
    assert shown.p50_ns == pytest.approx(30_000, rel=1 / 32)
    assert shown.mean_ns == pytest.approx((10 * 5 + 80 * 25 + 10 * 350) * 10)


def test_latency_of_each_direction_is_that_of_its_ports() -> None:
    """The clients are at the near ports. Jitter is not measured, which is no value and not 0."""
    with TrexServer(histogram={"20": 80}, far_histogram={"300": 5}) as server:
        found = offered(server, offer(10_000), ports=[0, 1, 2, 3], directions="both", latency_pps=100)
        one_way = offered(server, offer(10_000), latency_pps=100)
    assert one_way.directions == {} and one_way.latency is not None
    assert found.latency is not None and found.latency.count == 2 * 80 + 2 * 5
    shown = {name: figures(one.latency) for name, one in found.directions.items()}
    assert {name: one and (one.packets, one.max_ns) for name, one in shown.items()} == {
        "outbound": (160, 30_000), "inbound": (10, 400_000),
    }  # fmt: skip
    assert {figures(one.jitter) for one in found.directions.values()} == {None}


def test_a_busy_port_is_named_with_its_owner() -> None:
    with TrexServer() as server:
        server.ports[1].owner = "alice"
        error = refused(server)
        assert server.ports[0].owner == ""  # the port that was taken first is given back
    assert error.message == "generator lab: TRex refuses acquire of port 1: port is already taken by 'alice'"
    assert "wait until its owner releases the port" in (error.hint or "")


def test_a_reservation_keeps_the_ports_from_launch_to_launch() -> None:
    with TrexServer() as server:
        generator, own = made(server), (server.ports[0], server.ports[1])
        with generator.reserved(lambda said: None):
            for _ in range(2):
                with connected(generator):
                    assert all(port.owner for port in own)
            assert all(port.owner for port in own)
        assert not any(port.owner for port in own)
    assert server.methods().count("acquire") == len(own)


def test_a_reservation_waits_for_others_and_says_so(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(outside, "BUSY_POLL_S", 0.01)
    reported: list[str] = []

    def release(said: str) -> None:
        reported.append(said)
        server.ports[1].owner = ""

    with TrexServer() as server:
        server.ports[1].owner = "alice"
        with made(server).reserved(release):
            assert server.ports[0].owner == server.ports[1].owner
            assert server.ports[0].owner.startswith(f"nalm@{socket.gethostname()} ")
        server.ports[0].owner = "bob"
        with (
            pytest.raises(GeneratorBusyError, match="already taken by 'bob'"),
            made(server, wait_seconds=0).reserved(reported.append),
        ):
            raise AssertionError("the generator is bob's")
    assert reported == [
        "generator lab: TRex refuses acquire of port 1: port is already taken by 'alice'; waiting for it, "
        "at most 600 s"
    ]


def test_a_port_of_a_killed_process_is_taken_over() -> None:
    killed = f"nalm-{os.getpid()}-1-abcd0123"
    with TrexServer() as server:
        server.ports[0].owner = f"nalm@{socket.gethostname()} {killed}"
        with connected(made(server)):
            assert killed not in server.ports[0].owner
        for owner in (f"nalm@another-host {killed}", f"nalm@{socket.gethostname()} {stamp()}"):
            server.ports[0].owner = owner
            assert f"already taken by '{owner}'" in refused(server).message


def test_a_port_that_another_client_took_is_not_acquired_any_more() -> None:
    with TrexServer() as server, connected(made(server)) as generator:
        server.ports[0].handler = "another"
        with pytest.raises(
            GeneratorError, match="start_traffic of port 0: port is not owned by you"
        ) as caught:
            generator.offer(offer(1000), TurnsOnly())
    assert "by force" in (caught.value.hint or "")


@pytest.mark.parametrize(
    ("api", "said", "hint"),
    [
        (None, "is too old: it does not know api_sync_v2", "install a later TRex"),
        (("STL", 4, 9), "is too old: Version mismatch", "nalm speaks its STL API 5.0"),
        (("STL", 6, 0), "has another API: RPC version mismatch", "nalm speaks its STL API 5.0"),
        (("ASTF", 2, 1), "is not in stateless mode", "without --astf"),
    ],
)
def test_a_server_of_another_version(api: tuple[str, int, int] | None, said: str, hint: str) -> None:
    with TrexServer(api=api) as server:
        error = refused(server)
    assert said in error.message and "127.0.0.1" in error.message
    assert hint in (error.hint or "")


def test_a_port_without_link() -> None:
    with TrexServer() as server:
        server.ports[0].link = False
        assert "port 0 of TRex has no link" in refused(server).message


def test_a_rate_above_the_line_is_refused_in_its_words() -> None:
    with (
        TrexServer(greatest_pps=1000) as server,
        connected(made(server)) as generator,
        pytest.raises(GeneratorError, match="above the line rate"),
    ):
        generator.offer(offer(2000), TurnsOnly())


@pytest.mark.parametrize(
    "answer",
    [
        lambda request: {"jsonrpc": "2.0", "id": request["id"] + 1, "result": {"api_h": "A"}},
        lambda request: {"jsonrpc": "2.0", "id": request["id"], "result": {}},
        lambda request: {"jsonrpc": "2.0", "id": request["id"], "result": "yes"},
        lambda _: ["a", "b"],
        lambda _: 7,
    ],
)
def test_a_strange_answer_names_the_server(answer: Callable[[dict[str, Any]], Any]) -> None:
    with TrexServer(answer=answer) as server:
        error = refused(server)
    assert "answered api_" in error.message
    assert "are those of a TRex server" in (error.hint or "")


def test_servers_may_answer_with_a_batch_of_one() -> None:
    with TrexServer(
        answer=lambda one: [{"jsonrpc": "2.0", "id": one["id"], "result": {"api_h": "A"}}]
    ) as server:
        generator = made(server)
        with suppress(GeneratorError):
            generator.connect()
        generator.close()
    assert "get_version" in server.methods()


def test_no_server() -> None:
    with TrexServer() as server:
        port = server.port
    table = {"kind": "trex", "host": "127.0.0.1", "port": port, "ports": [0]}
    generator = TrexGenerator("lab", GeneratorConfig.model_validate(table), timeout_s=0.05)
    with pytest.raises(GeneratorError, match=r"no answer from 127\.0\.0\.1") as caught:
        generator.connect()
    generator.close()
    assert "t-rex-64 -i" in (caught.value.hint or "")
