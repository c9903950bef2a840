# SPDX-License-Identifier: BSD-3-Clause
"""Sessions that change while packets pass: churn, and an SMF that speaks PFCP (3GPP TS 29.244)."""

import contextlib
import errno
import ipaddress
import json
import os
import socket
import struct
import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import golden_packets as packets
import pytest
from golden_nf import EAL, NF_FOLDER, Nf, lcore_map
from running_nf import running
from scapy.layers.inet import IP, UDP
from scapy.layers.l2 import Ether
from spec.pcap import write_pcap

PORT = 8805
LOOPBACK, NETS = ipaddress.ip_network("127.1.0.0/16"), 1000
RESEND_SECONDS, RESENDS = 1, 30
USAGE, TRIGGER, TRIGGERS, QUOTA, UPDATE_URR = 80, 63, 37, 73, 13
HEARTBEAT, SETUP, ESTABLISH, MODIFY, DELETE, REPORT = 1, 5, 50, 52, 54, 56
CAUSE, F_SEID, CREATED_PDR, F_TEID, USAGE_DELETED, VOLUME = 19, 57, 8, 21, 79, 66
ACCEPTED, REFUSED = 1, 73
QUERY_URR, USAGE_MODIFIED = 77, 78
ROUNDS = 3
AT_NIGHT = pytest.mark.nightly
CONFIG = NF_FOLDER / "conf" / "upf.conf"
MODELS = {
    "rtc": (2, []),
    "pipeline": (4, ["model.model=pipeline", "model.groups=gtp_decap,pdr | qer,urr | far,l3fwd"]),
    "workers": (4, ["model.workers=2"]),
    "separated": (6, ["model.workers=2", "model.state=separated"]),
}


def element(kind: int, *parts: bytes) -> bytes:
    """An information element; a grouped one of several."""
    return struct.pack(">HH", kind, sum(map(len, parts))) + b"".join(parts)


def elements(data: bytes) -> Iterator[tuple[int, bytes]]:
    """The elements of a message's body."""
    while data:
        kind, length = struct.unpack_from(">HH", data)
        yield kind, data[4 : 4 + length]
        data = data[4 + length :]


def number(value: int, size: int = 4) -> bytes:
    return value.to_bytes(size, "big")


def message(kind: int, sequence: int, body: bytes, seid: int | None = None) -> bytes:
    """A request; of a session with its SEID."""
    ids = b"" if seid is None else number(seid, 8)
    rest = ids + number(sequence, 3) + b"\0" + body
    return struct.pack(">BBH", 0x20 | (seid is not None), kind, len(rest)) + rest


NODE_ID = element(60, bytes((0, 127, 0, 0, 2)))


def setup(started: int = 5) -> bytes:
    return NODE_ID + element(96, number(started))


def session(teid: int, address: str, far: bytes) -> bytes:
    """A PDU session: one tunnel, one address, a threshold."""
    tunnel = element(21, bytes((1,)) + number(teid) + bytes((192, 0, 2, 254)))
    if teid == 0:
        tunnel = element(21, bytes((5,)))
    ue = element(93, bytes((2,)) + socket.inet_aton(address))
    rest = element(29, number(255)) + element(81, number(1))
    up = element(1, element(56, number(1, 2)), element(2, element(20, b"\0"), tunnel), rest)
    up = element(1, up[4:], element(95, b"\0"), element(108, number(1)))
    down = element(1, element(56, number(2, 2)), element(2, element(20, b"\1"), ue), rest)
    down = element(1, down[4:], element(108, number(2)))
    core = element(3, element(108, number(1)), element(44, b"\2"), element(4, element(42, b"\1")))
    urr = element(6, element(81, number(1)), element(31, b"\1" + number(20_000_000, 8)))
    f_seid = element(57, b"\2" + number(0x77, 8) + bytes((127, 0, 0, 2)))
    return NODE_ID + f_seid + up + down + core + element(3, element(108, number(2)), far) + urr


BUFFER = element(44, b"\x0c")
TUNNEL = element(44, b"\2") + element(
    4, element(42, b"\0"), element(84, b"\1\0" + number(0x99) + bytes((192, 0, 2, 1)))
)


class Smf:
    """An SMF beside its UPF, each on a loopback address that no other test has: PFCP has one port, and tests
    run side by side."""

    def __init__(self) -> None:
        self.socket = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
        self.socket.settimeout(RESEND_SECONDS)
        self.address, self.upf = self._bind()
        self.sequence = 0
        self.reports: list[dict[int, bytes]] = []

    def _bind(self) -> tuple[str, str]:
        """The address that the socket has now, and the one that is thereby the UPF's."""
        for net in range(NETS):
            own = str(LOOPBACK[4 * net + 2])
            try:
                self.socket.bind((own, PORT))
            except OSError as error:
                if error.errno != errno.EADDRINUSE:
                    raise
            else:
                return own, str(LOOPBACK[4 * net + 1])
        raise AssertionError("no address is free")

    def close(self) -> None:
        self.socket.close()

    def ask(self, kind: int, body: bytes, seid: int | None = None) -> dict[int, bytes]:
        """The elements of the answer; reports that come meanwhile are kept. Asks again, as SMFs do."""
        self.sequence += 1
        for _ in range(RESENDS):
            self.socket.sendto(message(kind, self.sequence, body, seid), (self.upf, PORT))
            with contextlib.suppress(TimeoutError, ConnectionRefusedError):
                while True:
                    answer = self._receive(kind + 1)
                    if answer is not None:
                        return answer
        raise AssertionError(f"no answer to message {kind}")

    def _receive(self, kind: int) -> dict[int, bytes] | None:
        """The next message, if it is the answer; a report is kept."""
        data = self.socket.recv(9000)
        body_at = 16 if data[0] & 1 else 8
        found = dict(elements(data[body_at:]))
        if data[1] == REPORT:
            self.reports.append(found)
        sequence = int.from_bytes(data[body_at - 4 : body_at - 1], "big")
        return found if data[1] == kind and sequence == self.sequence else None

    def wait_for_report(self, kind: bytes) -> None:
        """Until a report of that type has come: 1, downlink data; 2, usage."""
        while not any(report[39] == kind for report in self.reports):
            self.ask(HEARTBEAT, element(96, number(5)))

    def establish(self, *terms: Any) -> int:
        """The UPF's SEID."""
        answer = self.ask(ESTABLISH, session(*terms), 0)
        assert answer[CAUSE] == bytes((ACCEPTED,)), answer
        return int.from_bytes(answer[F_SEID][1:9], "big")


@pytest.fixture
def smf() -> Iterator[Smf]:
    one = Smf()
    try:
        yield one
    finally:
        one.close()


def traffic(folder: Path, smf: Smf) -> list[str]:
    """Settings: a capture of a subscriber's packets, both ways, again and again; N4 to that SMF."""
    up = packets.gtpu(0x500, bytes(packets.out(src="10.9.0.1") / UDP(sport=9, dport=9) / bytes(72)))
    down = packets.ether(IP(src=packets.SERVER, dst="10.9.0.1") / UDP(sport=9, dport=9) / bytes(72))
    write_pcap(folder / "in.pcap", [up, down])
    return [
        f"traffic.capture={folder / 'in.pcap'}",
        *("traffic.profile=capture", "traffic.loop=forever", "traffic.replies=as_is", "traffic.copies=1"),
        *(f"pdr.n4={smf.upf}", "pdr.sessions_generated=off"),
    ]


@pytest.mark.sanitised
def test_a_session_by_pfcp_while_packets_pass(nf: Nf, smf: Smf, tmp_path: Path) -> None:
    with running(nf, CONFIG, traffic(tmp_path, smf), lcores=2) as run:

        def passed(stage: str, outcome: str) -> int:
            return int(run.ask("/nalm/stages")[stage][outcome])

        run.wait_for("nalm-nf: ")
        assert int.from_bytes(smf.ask(HEARTBEAT, element(96, number(5)))[96], "big") > 3_900_000_000
        assert smf.ask(ESTABLISH, session(0x500, "10.9.0.1", BUFFER), 0)[CAUSE] == bytes((72,))
        assert smf.ask(SETUP, setup())[CAUSE] == bytes((ACCEPTED,))
        run.until(lambda: passed("pdr", "no_session") > 0)
        seid = smf.establish(0x500, "10.9.0.1", BUFFER)
        run.until(lambda: passed("far", "to_core") > 0 and passed("far", "not_kept") > 0)
        assert passed("far", "to_access") == 0
        smf.wait_for_report(b"\1")
        far = element(10, element(108, number(2)), TUNNEL.replace(b"\0\4", b"\0\x0b", 1))
        assert smf.ask(MODIFY, far, seid)[CAUSE] == bytes((ACCEPTED,))
        run.until(lambda: passed("far", "to_access") > 0)
        refused = smf.ask(MODIFY, element(16, element(108, number(2))), seid)
        assert refused[CAUSE] == bytes((REFUSED,))
        before = passed("far", "to_access")
        run.until(lambda: passed("far", "to_access") > before)
        smf.wait_for_report(b"\2")
        gone = smf.ask(DELETE, b"", seid)
        usage = dict(elements(gone[USAGE_DELETED]))
        assert int.from_bytes(usage[VOLUME][1:9], "big") % 100 == 0
        before = passed("pdr", "no_session")
        run.until(lambda: passed("pdr", "no_session") > before)
        totals = run.end()
    assert totals["lost"] == 0
    assert totals["upf_sessions"] == 0
    assert f"message 2, from {smf.address}: no association (cause 72)" in "".join(run.lines)


def test_an_smf_that_begins_again(nf: Nf, smf: Smf, tmp_path: Path) -> None:
    """Its numbers come again at once, and none of its requests gets an answer from before."""
    with running(nf, CONFIG, traffic(tmp_path, smf)) as run:
        run.wait_for("nalm-nf: ")
        smf.ask(SETUP, setup(100))
        seids = {smf.establish(0x1011, "10.9.0.1", TUNNEL)}
        for started in (777, 778):
            smf.sequence = 0
            assert smf.ask(SETUP, setup(started))[CAUSE] == bytes((ACCEPTED,))
            seids.add(smf.establish(0x500, "10.9.0.1", TUNNEL))
        assert len(seids) == 3
        run.until(lambda: run.ask("/nalm/stages")["far"]["to_core"] > 0)
        assert run.end()["upf_sessions"] == 1


def test_a_quota_that_is_granted_again(nf: Nf, smf: Smf, tmp_path: Path) -> None:
    """Ten packets for each grant, though all grants are equal; each grant's end is reported."""
    triggers, quota = element(TRIGGERS, b"\2\1"), element(QUOTA, b"\1" + number(1000, 8))
    grant = element(UPDATE_URR, element(81, number(1)), triggers, quota)
    with running(nf, CONFIG, traffic(tmp_path, smf)) as run:

        def passed(outcome: str) -> int:
            return int(run.ask("/nalm/stages")["urr"][outcome])

        def reported() -> int:
            smf.ask(HEARTBEAT, element(96, number(5)))
            usages = [dict(elements(report[USAGE])) for report in smf.reports if USAGE in report]
            return sum(usage[TRIGGER] == b"\0\1\0" for usage in usages)

        def wait_for(reports: int) -> None:
            run.until(lambda: reported() == reports)

        run.wait_for("nalm-nf: ")
        smf.ask(SETUP, setup())
        seid = smf.establish(0x500, "10.9.0.1", TUNNEL)
        run.until(lambda: passed("counted") > 100)
        assert passed("quota_exhausted") == 0
        counted = 0
        for times in (1, 2, 3):
            assert smf.ask(MODIFY, grant, seid)[CAUSE] == bytes((ACCEPTED,))
            wait_for(times)
            assert counted in (0, passed("counted") - 10)
            counted = passed("counted")
        refused = passed("quota_exhausted")
        run.until(lambda: passed("quota_exhausted") > refused + 100)
        assert passed("counted") == counted
        run.end()


def test_tunnels_that_the_upf_chooses(nf: Nf, smf: Smf, tmp_path: Path) -> None:
    with running(nf, CONFIG, traffic(tmp_path, smf)) as run:
        run.wait_for("nalm-nf: ")
        smf.ask(SETUP, setup())
        chosen = set()
        for host in range(1, 20):
            answer = smf.ask(ESTABLISH, session(0, f"10.9.1.{host}", TUNNEL), 0)
            created = dict(elements(answer[CREATED_PDR]))
            assert created[F_TEID][5:] == bytes((192, 0, 2, 254))
            chosen.add(created[F_TEID][1:5])
        assert len(chosen) == 19
        run.end()


@pytest.mark.parametrize(
    "name", ["workers", *(pytest.param(one, marks=AT_NIGHT) for one in MODELS if one != "workers")]
)
def test_an_smf_beside_threads(nf: Nf, smf: Smf, tmp_path: Path, name: str) -> None:
    """A session comes, changes in each of its rules, and goes while an lcore for each role forwards packets.
    Under ThreadSanitizer (`make test-nf-tsan`) a data race ends the NF. Reading telemetry would be one."""
    lcores, settings = MODELS[name]
    far = element(10, element(108, number(2)), TUNNEL.replace(b"\0\4", b"\0\x0b", 1))
    limited = element(7, element(109, number(1)), element(25, b"\0"), element(26, number(10**6, 5) * 2))
    pdrs = [element(9, element(56, number(one, 2)), element(109, number(1))) for one in (1, 2)]
    unlimited = element(14, element(109, number(1)), element(26, number(10**9, 5) * 2))
    quota = (
        element(31, b"\1" + number(10_000, 8))
        + element(TRIGGERS, b"\2\1")
        + element(QUOTA, b"\1" + number(10**9, 8))
    )
    changes = [far, limited + b"".join(pdrs), unlimited + element(UPDATE_URR, element(81, number(1)), quota)]
    with running(nf, CONFIG, [*settings, *traffic(tmp_path, smf)], lcores=lcores) as run:

        def pass_more(seid: int) -> None:
            """Until the session has counted more bytes than it has now."""
            before = counted(seid)
            run.until(lambda: counted(seid) > before)

        def counted(seid: int) -> int:
            answer = smf.ask(MODIFY, element(QUERY_URR, element(81, number(1))), seid)
            return int.from_bytes(dict(elements(answer[USAGE_MODIFIED]))[VOLUME][1:9], "big")

        run.wait_for("nalm-nf: ")
        smf.ask(SETUP, setup())
        for _ in range(ROUNDS):
            seid = smf.establish(0x500, "10.9.0.1", BUFFER)
            for change in changes:
                pass_more(seid)
                assert smf.ask(MODIFY, change, seid)[CAUSE] == bytes((ACCEPTED,))
            pass_more(seid)
            assert smf.ask(DELETE, b"", seid)[CAUSE] == bytes((ACCEPTED,))
        totals = run.end()
    outcomes = {stage["name"]: stage["outcomes"] for stage in totals["stages"]}
    assert min(outcomes["pdr"][way] for way in ("no_session", "uplink", "downlink")) > 0
    assert min(outcomes["far"][way] for way in ("to_core", "to_access", "not_kept")) > 0
    assert outcomes["qer"]["conformed"] > 0
    assert totals["upf_sessions"] == 0


def captured(folder: Path, bodies: list[tuple[int, bytes, int | None]]) -> Path:
    """A capture of an SMF's requests."""
    path = folder / "n4.pcap"
    frames = [
        bytes(
            Ether()
            / IP(src="127.0.0.2", dst="127.0.0.1")
            / UDP(sport=PORT, dport=PORT)
            / message(kind, sequence, body, seid)
        )
        for sequence, (kind, body, seid) in enumerate(bodies, 1)
    ]
    write_pcap(path, frames)
    return path


def test_messages_of_a_capture(nf: Nf, tmp_path: Path) -> None:
    good = [(SETUP, setup(), None), (ESTABLISH, session(0x1001, packets.CLIENT, TUNNEL), 0)]
    settings = {
        "chain.stages": "gtp_decap,pdr,qer,urr,far,l3fwd",
        "pdr.sessions": "/dev/null",
        "pdr.messages": str(captured(tmp_path, good)),
    }
    sent = [frame for _, frame in packets.user_plane()]
    outcomes = nf.replay(sent, settings).outcomes("far")
    assert outcomes["to_core"] > 0
    assert outcomes["to_access"] > 0


def test_a_refused_message_is_named(nf: Nf, tmp_path: Path) -> None:
    bad = [
        (SETUP, setup(), None),
        (ESTABLISH, session(5, packets.CLIENT, TUNNEL), 0),
        (ESTABLISH, session(6, packets.CLIENT, TUNNEL), 0),
    ]
    path = captured(tmp_path, bad)
    command = [str(nf.binary), lcore_map(1), *EAL, "--", "--config", str(CONFIG)]
    sets = [f"pdr.messages={path}", "pdr.sessions_generated=off"]
    done = subprocess.run(
        [*command, "--packets", "1", *(word for one in sets for word in ("--set", one))],
        capture_output=True,
        text=True,
        check=False,
        timeout=60,
        env={**os.environ, **nf.environment},
    )
    assert done.returncode == 1
    assert f"{path}: message 3: PDR 2: its address is another session's (cause 73)" in done.stderr


@pytest.mark.parametrize("name", MODELS)
def test_sessions_come_and_go_while_packets_pass(nf: Nf, name: str) -> None:
    """A subscriber who is away for a moment loses packets; nobody else does."""
    lcores, settings = MODELS[name]
    churn = ["pdr.churn_per_second=2000", "traffic.scale=600"]
    with running(nf, CONFIG, [*settings, *churn], lcores=lcores) as run:
        run.wait_for("nalm-nf: ")
        run.until(lambda: run.ask("/nalm/stages")["far"]["packets"] > 20_000)
        totals = run.end()
    outcomes = {stage["name"]: stage["outcomes"] for stage in totals["stages"]}
    assert totals["lost"] == 0
    assert totals["bad"] == 0
    away = outcomes["pdr"]["no_session"] + sum(
        outcomes[stage]["session_gone"] for stage in ("qer", "urr", "far")
    )
    assert totals["in"] == totals["sent"] + away + outcomes["qer"]["rate_exceeded"]
    assert outcomes["pdr"]["no_rule"] == 0
    assert totals["upf_sessions"] == 1000


def test_the_service_model(nf: Nf) -> None:
    """Profile upf through its chain: every packet is of a session, limited by none, counted and forwarded."""
    command = [str(nf.binary), lcore_map(1), *EAL, "--", "--config", str(CONFIG), "--packets", "20000"]
    done = subprocess.run(command, capture_output=True, text=True, check=True, timeout=60)
    totals = json.loads(done.stdout.splitlines()[-1])
    outcomes = {stage["name"]: stage["outcomes"] for stage in totals["stages"]}
    assert outcomes["gtp_decap"]["decapsulated"] == outcomes["gtp_decap"]["plain"] == 10000
    assert outcomes["pdr"]["uplink"] == outcomes["pdr"]["downlink"] == 10000
    assert outcomes["far"]["to_core"] == outcomes["far"]["to_access"] == 10000
    assert outcomes["urr"]["counted"] == totals["sent"] == 20000
    assert totals["traffic"]["received"] == 20000
    assert totals["traffic"]["damaged"] == totals["traffic"]["reordered"] == 0
    assert totals["upf_policies"]["web"]["packets"] == 8000
    assert totals["upf_sessions"] == 6000
