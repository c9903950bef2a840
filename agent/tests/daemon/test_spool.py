# SPDX-License-Identifier: Apache-2.0
"""The spool stores results atomically, sends each once, and keeps them however the agent ends."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import httpx
import pytest
from nalm_agent.daemon.delivery import deliver, deliver_patiently
from nalm_agent.daemon.spool import LIMIT, Label, Spool
from nalm_agent.runtime.errors import HostError, ServerError
from nalm_agent.server_api.client import ServerAwayError
from nalm_agent.server_api.jobs import NEWER_REPORT, ServerClient, ServerOlderError, VersionsApartError

SERVER = "http://server"


class Answers:
    """A server that answers each request with the next status, then with 200; takes each result once."""

    def __init__(self, *statuses: int | None) -> None:
        self.statuses = list(statuses)
        self.taken: list[str] = []
        self.name = "invalid"

    def __call__(self, request: httpx.Request) -> httpx.Response:
        status = self.statuses.pop(0) if self.statuses else 200
        if status is None:
            raise httpx.ConnectError("connection refused", request=request)
        if status < 300:
            self.taken.append(request.content.decode())
        return httpx.Response(status, json={"error": {"name": self.name, "message": "the lease was lost"}})


def client_of(answers: Answers) -> ServerClient:
    return ServerClient(SERVER, "good", lambda line: None, transport=httpx.MockTransport(answers))


def put(spool: Spool, job_id: int, body: bytes = b"report", kind: str = "report") -> None:
    label = {"kind": kind, "server": SERVER, "job_id": job_id, "fence": 1, "result": {"outcome": "done"}}
    spool.put(Label.model_validate(label), body)


@pytest.fixture
def spool(tmp_path: Path) -> Spool:
    return Spool(tmp_path / "spool")


def test_results_wait_for_the_server_and_keep_their_order(spool: Spool) -> None:
    put(spool, 1, b"first")
    put(spool, 1, b"second")
    answers = Answers(None)
    with pytest.raises(ServerAwayError):
        deliver(spool, client_of(answers), print)
    assert len(spool) == 2
    answers.statuses = [200, 503]
    with pytest.raises(ServerAwayError):
        deliver(Spool(spool.folder), client_of(answers), print)
    deliver(spool, client_of(answers), print)
    assert answers.taken == ["first", "second"]
    assert len(spool) == 0


def test_what_comes_too_late_is_dropped_with_a_line(spool: Spool) -> None:
    said: list[str] = []
    put(spool, 1)
    put(spool, 1, kind="finish")
    put(spool, 2, b"of another job")
    answers = Answers(409)
    deliver(spool, client_of(answers), said.append)
    assert answers.taken == ["of another job"]
    assert said == [
        "job 1: too late, its result is dropped (2 files of the spool): the lease was lost",
    ]


def test_a_report_the_server_will_never_take_fails_its_job(spool: Spool) -> None:
    put(spool, 1)
    put(spool, 1, kind="finish")
    answers = Answers(422)
    deliver(spool, client_of(answers), print)
    (reported,) = answers.taken
    assert '"outcome":"failed"' in reported.replace(" ", "")
    assert len(spool) == 0


def test_what_an_older_server_does_not_know_waits_for_its_upgrade(spool: Spool) -> None:
    put(spool, 1, b"first")
    put(spool, 1, kind="finish")
    answers = Answers(422, 422, 422)
    answers.name = NEWER_REPORT
    said: list[str] = []
    pauses: list[float] = []
    client = ServerClient(
        SERVER, "good", said.append, transport=httpx.MockTransport(answers), pause=pauses.append
    )
    deliver_patiently(spool, client, said.append)
    assert said == [
        f"{SERVER} is older than this agent: upgrade the server first; results wait here; "
        "trying again every 5 minutes"
    ]
    assert pauses == [ServerOlderError.pause_seconds] * 3
    assert (answers.taken[0], len(answers.taken), len(spool)) == ("first", 2, 0)


def test_while_versions_do_not_go_together_results_wait(spool: Spool) -> None:
    put(spool, 1, b"first")
    answers = Answers(426, 426)
    said: list[str] = []
    pauses: list[float] = []
    client = ServerClient(
        SERVER, "good", said.append, transport=httpx.MockTransport(answers), pause=pauses.append
    )
    deliver_patiently(spool, client, said.append)
    assert (len(said), pauses) == (1, [VersionsApartError.pause_seconds] * 2)
    assert (answers.taken, len(spool)) == (["first"], 0)


def test_a_refused_agent_keeps_everything(spool: Spool) -> None:
    put(spool, 1)
    with pytest.raises(ServerError):
        deliver(spool, client_of(Answers(401)), print)
    assert len(spool) == 1


@pytest.mark.parametrize("status", [200, 302, 404, 407])
def test_a_page_that_stands_in_for_the_server_takes_nothing(spool: Spool, status: int) -> None:
    """As of a proxy whose server is down, or of a sign-in."""
    put(spool, 1)
    put(spool, 1, kind="finish")

    def page(request: httpx.Request) -> httpx.Response:
        return httpx.Response(status, html="<h1>We are back soon</h1>")

    client = ServerClient(SERVER, "good", print, transport=httpx.MockTransport(page))
    with pytest.raises(ServerAwayError, match=rf"answers /reports with {status}, and not as a nalm server"):
        deliver(spool, client, print)
    assert len(spool) == 2


def test_a_report_that_a_proxy_takes_for_too_large_fails_its_job(spool: Spool) -> None:
    put(spool, 1)
    taken: list[str] = []

    def proxy(request: httpx.Request) -> httpx.Response:
        if request.url.path.endswith("/reports"):
            return httpx.Response(413, html="<h1>413 Request Entity Too Large</h1>")
        taken.append(request.content.decode())
        return httpx.Response(204)

    deliver(spool, ServerClient(SERVER, "good", print, transport=httpx.MockTransport(proxy)), print)
    assert len(spool) == 0 and "failed" in taken[0]


def test_results_keep_their_order_while_the_clock_is_set_back(
    spool: Spool, monkeypatch: pytest.MonkeyPatch
) -> None:
    times = iter((2_000_000_000, 1_000_000_000, 1_000_000_001))
    monkeypatch.setattr("nalm_agent.daemon.spool.time.time_ns", lambda: next(times))
    put(spool, 1)
    put(spool, 1, kind="finish")
    put(spool, 2)
    assert [(one.label.job_id, one.label.kind) for one in spool.items()] == [
        (1, "report"),
        (1, "finish"),
        (2, "report"),
    ]


def test_results_for_another_server_stay(spool: Spool) -> None:
    spool.put(Label(kind="report", server="http://elsewhere", job_id=1, fence=1), b"x")
    deliver(spool, client_of(Answers()), print)
    assert len(spool) == 1


def test_what_cannot_be_read_stops_nothing_and_stays(spool: Spool, caplog: pytest.LogCaptureFixture) -> None:
    put(spool, 1)
    (damaged,) = spool.folder.glob("*-report")
    damaged.write_bytes(b"\0\n")
    put(spool, 2)
    answers = Answers()
    deliver(spool, client_of(answers), print)
    assert (answers.taken, len(spool)) == (["report"], 0)
    assert (spool.folder / f"unreadable-{damaged.name}").read_bytes() == b"\0\n"
    assert "is set aside" in caplog.text


def test_a_full_spool_takes_nothing_more_and_gives_nothing_up(
    spool: Spool, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv(LIMIT, "1K")
    put(spool, 1, b"x" * 500)
    assert spool.full()
    with pytest.raises(HostError, match=r"is full: \d+ of 1024 bytes wait for the server"):
        put(spool, 2, b"x" * 500)
    assert [item.label.job_id for item in spool.items()] == [1]


def test_a_full_disk_is_the_hosts_fault_and_leaves_nothing_half_written(
    spool: Spool, monkeypatch: pytest.MonkeyPatch
) -> None:
    def no_space(descriptor: int) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "fsync", no_space)
    with pytest.raises(HostError, match="the result of job 1 could not be kept"):
        put(spool, 1)
    assert list(spool.folder.iterdir()) == []


PROGRAM = """
import sys
from pathlib import Path
from nalm_agent.daemon.delivery import deliver
from nalm_agent.server_api.jobs import ServerClient
from nalm_agent.daemon.spool import Label, Spool
spool, server, begin = Spool(Path(sys.argv[1])), sys.argv[2], int(sys.argv[3])
client = ServerClient(server, "good", print)
deliver(spool, client, print)
for job in range(begin, 40):
    spool.put(Label(kind="report", server=server, job_id=job, fence=1), b"x" * 20000)
    print(job, flush=True)
    deliver(spool, client, print)
"""


class Taking(BaseHTTPRequestHandler):
    """Takes reports by job, as the server does: the same one again changes nothing."""

    def do_POST(self) -> None:
        body = self.rfile.read(int(self.headers["Content-Length"]))
        assert body == b"x" * 20000
        self.server.jobs.add(int(self.path.partition("job_id=")[2].partition("&")[0]))  # type: ignore[attr-defined]
        self.send_response(200)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", "2")
        self.end_headers()
        self.wfile.write(b"{}")

    def log_message(self, *_: object) -> None:
        return


@pytest.fixture
def taking() -> Iterator[ThreadingHTTPServer]:
    server = ThreadingHTTPServer(("127.0.0.1", 0), Taking)
    server.jobs = set()  # type: ignore[attr-defined]
    thread = threading.Thread(target=server.serve_forever, daemon=True)
    thread.start()
    yield server
    server.shutdown()
    server.server_close()
    thread.join()


@pytest.mark.nightly
def test_killed_again_and_again_nothing_that_was_kept_is_lost(
    taking: ThreadingHTTPServer, tmp_path: Path
) -> None:
    """Real processes, killed after the 1st, 2nd, 3rd ... result they said they had kept."""
    address, done, kept = f"http://127.0.0.1:{taking.server_address[1]}", -1, set[int]()
    for lives in (1, 2, 3, 5, 8, 100):
        command = [sys.executable, "-c", PROGRAM, str(tmp_path / "spool"), address, str(done + 1)]
        process = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
        assert process.stdout is not None
        for number, line in enumerate(process.stdout, start=1):
            done = int(line)
            kept.add(done)
            if number == lives:
                process.send_signal(signal.SIGKILL)
                break
        process.stdout.close()
        process.wait()
    deliver(Spool(tmp_path / "spool"), ServerClient(address, "good", print), print)
    assert kept == set(range(40))
    assert taking.jobs >= kept  # type: ignore[attr-defined]
    assert len(Spool(tmp_path / "spool")) == 0
