# SPDX-License-Identifier: Apache-2.0
"""`nalm top` on DPDK programs by their telemetry: a real one, and answers that this DPDK does not give."""

from __future__ import annotations

import json
import os
import shutil
import signal
import socket
import subprocess
import threading
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

import pytest
from nalm_agent.config.nalm_toml import MEMORY_MB
from nalm_agent.host.cores import choose
from nalm_agent.native.library import library
from nalm_agent.nf.launch import RunningNf
from nalm_agent.nf.process_root import inside
from nalm_agent.nf.run_plan import LENT_PROBE, eal_options
from nalm_agent.nf.start import NfStart
from nalm_agent.runtime.errors import ProbeError, SourceError, UsageError
from nalm_agent.store.home import Home, WorkDir
from nalm_agent.top.find import of_prefix, of_process, running
from nalm_agent.top.lcore_usage import NO_USAGE, SET_BACK
from nalm_agent.top.telemetry_feed import NO_PORTS, TelemetryFeed
from nalm_agent.top.view import View
from tiny import Nalm
from waiting import until

DROP = 4


@pytest.fixture
def prefix() -> Iterator[str]:
    """A --file-prefix of this test; what a killed program leaves is removed."""
    name = f"nalm-test-{os.getpid()}"
    yield name
    for root in ("/var/run", os.environ.get("XDG_RUNTIME_DIR", "/tmp")):  # as EAL chooses it
        shutil.rmtree(Path(root) / "dpdk" / name, ignore_errors=True)


def command(program: Path, prefix: str) -> list[str]:
    eal = eal_options(choose(1), huge_pages=False, memory_mb=MEMORY_MB, control_lcore=False)
    eal.remove("--no-telemetry")
    return [str(program), *eal, f"--file-prefix={prefix}", "--vdev=net_null0", "--", str(DROP)]


def test_it_says_what_the_probe_says(bare_dpdk: Path, prefix: str, home: Home, work: WorkDir) -> None:
    lent = {"LD_PRELOAD": str(library(home, LENT_PROBE))}
    line = command(bare_dpdk, prefix)
    with RunningNf(NfStart(line, ready_seconds=30, environment=lent), work, seed=0) as nf:
        nf.wait_ready()
        feed = TelemetryFeed(of_prefix(prefix).path)
        assert feed.pid == nf.probe.pid
        view = feed.next_view(lambda _: nf.turn(packets=3200), 1)
        feed.close()
        assert of_process(feed.pid).source == "probe"
        nf.finish()
    assert view is not None
    (port,) = view.ports
    assert port.name == "net_null0"
    assert port.rx_pps * view.seconds == pytest.approx(3200)
    assert port.tx_pps == view.pps == pytest.approx((3200 - 3200 / DROP) / view.seconds)
    assert view.missing["cpp"] == view.missing["cur"] == NO_USAGE


@pytest.fixture
def plain_dpdk(bare_dpdk: Path, prefix: str, tmp_path: Path) -> Iterator[subprocess.Popen[bytes]]:
    """The same program without a probe, with its telemetry open."""
    with (tmp_path / "eal.log").open("w") as log:
        process = subprocess.Popen(command(bare_dpdk, prefix), stdout=log, stderr=log)
    try:
        assert until(lambda: has_telemetry(process.pid)), (tmp_path / "eal.log").read_text()
        yield process
    finally:
        process.kill()
        process.wait()


def has_telemetry(pid: int) -> bool:
    try:
        return of_process(pid).source == "telemetry"
    except ProbeError:
        return False


def test_a_program_without_the_probe_is_found_and_shown(
    plain_dpdk: subprocess.Popen[bytes], prefix: str, nalm: Nalm, tmp_path: Path
) -> None:
    pid = plain_dpdk.pid
    found = of_prefix(prefix)
    assert found == of_process(pid) and found in running() and found.lcores is None
    with pytest.raises(UsageError, match="no DPDK program with the file prefix nobodys") as raised:
        of_prefix("nobodys")
    assert f"--pid {pid}  bare_dpdk, telemetry {found.path}" in str(raised.value.log)
    done = nalm.run("top", "--pid", str(pid), "--once", "--json", "--interval", "1", cwd=tmp_path)
    view = View.model_validate_json(done.stdout)
    assert view.nf == "bare_dpdk" and view.pps
    assert f"--perf {pid}" in view.missing["stages"]


def test_stopped_and_killed_are_distinguished(
    plain_dpdk: subprocess.Popen[bytes], prefix: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = of_prefix(prefix).path
    feed = TelemetryFeed(path)
    plain_dpdk.send_signal(signal.SIGSTOP)
    os.waitid(os.P_PID, plain_dpdk.pid, os.WSTOPPED)
    monkeypatch.setattr("nalm_agent.nf.telemetry.ANSWER_SECONDS", 0.1)
    with pytest.raises(SourceError, match="has not answered") as raised:
        feed.next_view(lambda _: None, 0.1)
    assert "debugger" in str(raised.value.hint)
    plain_dpdk.kill()
    plain_dpdk.wait()
    assert feed.next_view(lambda _: None, 0.1) is None
    feed.close()
    with pytest.raises(UsageError, match="a program that was killed leaves its socket"):
        TelemetryFeed(path)
    with pytest.raises(UsageError, match="file prefix"):
        of_prefix(prefix)


def test_a_containers_links_lead_into_the_container(tmp_path: Path) -> None:
    (tmp_path / "run" / "dpdk").mkdir(parents=True)
    (tmp_path / "var").mkdir()
    (tmp_path / "var" / "run").symlink_to("/run")
    (tmp_path / "run" / "near").symlink_to("../../run/dpdk")
    assert inside(tmp_path, "/var/run/dpdk/x") == tmp_path / "run" / "dpdk" / "x"
    assert inside(tmp_path, "/var/run/near/x") == tmp_path / "run" / "dpdk" / "x"
    (tmp_path / "round").symlink_to("/round")
    with pytest.raises(OSError, match="too many links"):
        inside(tmp_path, "/round/x")


# What DPDK 22.11 answers, and for the use of lcores what 23.11 documents.
USAGE = "/eal/lcore/usage"
Answers = dict[str, object]


def look(received: int, usage: Sequence[Sequence[int]] | None, ports: Sequence[int] = (0,)) -> Answers:
    """The answers of one moment. usage: lcores, all cycles, busy cycles."""
    stats = {
        "ipackets": received,
        "opackets": received // 2,
        "imissed": received // 10,
        "ierrors": 0,
        "rx_nombuf": 0,
        "oerrors": 0,
    }
    names = ("lcore_ids", "total_cycles", "busy_cycles")
    return {
        "/ethdev/list": list(ports),
        **{f"/ethdev/stats,{port}": stats for port in ports},
        **{f"/ethdev/info,{port}": {"name": f"net_made{port}"} for port in ports},
        USAGE: dict(zip(names, usage, strict=True)) if usage is not None else None,
    }


@contextmanager
def telemetry(path: Path, looks: list[Answers]) -> Iterator[Path]:
    """A telemetry socket that gives one set of answers a look, which the use of lcores ends."""
    server = socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET)
    server.bind(str(path))
    server.listen()

    def serve() -> None:
        with server, server.accept()[0] as client:
            client.send(json.dumps({"version": "DPDK", "pid": 1, "max_output_len": 16384}).encode())
            for answers in looks:
                requested = ""
                while requested != USAGE:
                    requested = client.recv(1024).decode()
                    client.send(json.dumps({requested.partition(",")[0]: answers[requested]}).encode())

    thread = threading.Thread(target=serve)
    thread.start()
    yield path
    thread.join()


def view_between(tmp_path: Path, before: Answers, after: Answers) -> View:
    with telemetry(tmp_path / "socket", [before, after]) as path:
        feed = TelemetryFeed(path)
        assert feed.pid == os.getpid()  # as the kernel says, not as a program in a container does
        view = feed.next_view(lambda _: None, 0.01)
        assert feed.next_view(lambda _: None, 0.01) is None
        feed.close()
    assert view is not None
    return view


def test_drops_and_the_use_of_lcores(tmp_path: Path) -> None:
    lcores = [1, 2]
    view = view_between(
        tmp_path,
        look(1000, (lcores, (0, 0), (0, 0))),
        look(2000, (lcores, (1000, 1000), (500, 1000))),
    )
    assert view.pps == pytest.approx(500 / view.seconds)
    assert view.ports[0].drops == {"missed": 100}
    assert (view.cur, view.cpp) == (1.5, pytest.approx(3.0))


def test_counters_set_back_are_no_figures(tmp_path: Path) -> None:
    used = ([1], (1000,), (1000,)), ([1], (100,), (50,))
    view = view_between(tmp_path, look(1000, used[0]), look(10, used[1]))
    assert (view.pps, view.cpp, view.cur, view.ports) == (None, None, None, [])
    assert {view.missing[name] for name in ("pps", "cpp", "cur")} == {SET_BACK}


def test_ports_may_come_and_go(tmp_path: Path) -> None:
    view = view_between(tmp_path, look(0, None, [0, 1]), look(10, None, [1, 2]))
    assert [port.name for port in view.ports] == ["net_made1"]
    (tmp_path / "socket").unlink()
    assert view_between(tmp_path, look(0, None, [0]), look(0, None, [1])).missing["pps"] == NO_PORTS
