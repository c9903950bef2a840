# SPDX-License-Identifier: Apache-2.0
"""`nalm top`: NFs found, views that add up, recordings, NFs without the probe, the terminal."""

from __future__ import annotations

import json
import os
import pty
import re
import select
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from nalm_agent.nf.launch import RunningNf
from nalm_agent.nf.start import NfStart
from nalm_agent.runtime.errors import ProbeError, UsageError
from nalm_agent.shell.app import app
from nalm_agent.store.home import WorkDir
from nalm_agent.top.cut_to_height import CutToHeight
from nalm_agent.top.find import of_process, only, running
from nalm_agent.top.hardware import NOT_CONFIGURED, _missing
from nalm_agent.top.keys import Keys
from nalm_agent.top.probe_feed import ProbeFeed
from nalm_agent.top.recording import ReplayFeed
from nalm_agent.top.screen import Screen
from nalm_agent.top.view import LcoreView, StageView, View
from rich.console import Console
from tiny import NALM, Nalm, build_tiny
from typer.testing import CliRunner
from waiting import until


@pytest.fixture(scope="module")
def calm_nf(tmp_path_factory: pytest.TempPathFactory) -> list[str]:
    """Its generator rests, so that it leaves the CPU to who looks at it."""
    return build_tiny(tmp_path_factory.mktemp("calm"), "#define REST_US 1000\n")


@contextmanager
def opened(command: list[str], work: WorkDir) -> Iterator[RunningNf]:
    with RunningNf(NfStart(command, ready_seconds=60), work, seed=0) as nf:
        nf.wait_ready()
        assert nf.gate is not None
        nf.gate.open()
        yield nf


@pytest.fixture
def open_nf(calm_nf: list[str], work: WorkDir) -> Iterator[RunningNf]:
    with opened(calm_nf, work) as nf:
        yield nf


def as_proc(folder: Path, *pids: int) -> Path:
    """A /proc of these processes only."""
    folder.mkdir()
    for pid in pids:
        (folder / str(pid)).symlink_to(f"/proc/{pid}")
    return folder


def test_an_nf_is_found_and_who_looks_at_it_is_not(open_nf: RunningNf, tmp_path: Path) -> None:
    pid = open_nf.probe.pid
    proc = as_proc(tmp_path / "proc", pid, os.getpid())  # this process maps the same file
    assert [(one.pid, one.nf, one.lcores) for one in running(proc)] == [(pid, "tiny_nf", 1)]
    assert only(proc) == of_process(pid)
    with pytest.raises(ProbeError, match="maps no probe file of its own"):
        of_process(os.getpid())
    with pytest.raises(UsageError, match="no NF with a readable probe"):
        only(as_proc(tmp_path / "none", os.getpid()))


def test_two_nfs_are_listed_with_what_to_do(
    open_nf: RunningNf, tiny_nf: list[str], work: WorkDir, tmp_path: Path
) -> None:
    with RunningNf(NfStart(tiny_nf, ready_seconds=60), work, seed=0) as other:
        other.wait_ready()
        with pytest.raises(UsageError, match="2 NFs run on this host: say which") as raised:
            only(as_proc(tmp_path / "proc", open_nf.probe.pid, other.probe.pid))
    assert str(other.probe.pid) in str(raised.value.log)


def test_stages_and_lcores_add_up(open_nf: RunningNf) -> None:
    feed = ProbeFeed(of_process(open_nf.probe.pid).path)
    view = feed.next_view(time.sleep, 0.05)
    feed.close()
    assert view is not None
    assert view.cpp == pytest.approx(sum(stage.cpp or 0 for stage in view.stages if not stage.apart))
    assert view.cpp == pytest.approx(sum(lcore.cpp or 0 for lcore in view.lcores))
    assert view.lcores[0].state == "running"
    assert {one.stage: one.cpp for one in view.lcores[0].stages} == {
        one.stage: one.cpp for one in view.stages
    }
    assert view.ipp is None and "ipp" in view.missing  # the tests' NF reads no events


def test_recorded_and_shown_again(open_nf: RunningNf, nalm: Nalm, tmp_path: Path) -> None:
    made = ["top", "--pid", str(open_nf.probe.pid), "--once", "--interval", "0.1"]
    first = nalm.run(*made, "--json", "--record", "made.jsonl", cwd=tmp_path)
    assert first.returncode == 0, first.stderr
    shown = nalm.run("top", "--replay", "made.jsonl", "--lcores", cwd=tmp_path)
    assert shown.returncode == 0, shown.stderr
    assert f"(pid {open_nf.probe.pid})" in shown.stdout
    whole = (tmp_path / "made.jsonl").read_text()
    (tmp_path / "made.jsonl").write_text(whole + whole[:50])  # killed, or on a full disk
    ReplayFeed(tmp_path / "made.jsonl", paced=False)
    (tmp_path / "made.jsonl").write_text(whole + '{"version": 1}\n')
    with pytest.raises(UsageError, match=r"made.jsonl:2: source: is missing"):
        ReplayFeed(tmp_path / "made.jsonl", paced=False)


def test_why_hardware_figures_are_missing(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("nalm_agent.host.pmu.kernel_reason", lambda: None)
    assert _missing({}) == {"ipp": NOT_CONFIGURED, "eipc": NOT_CONFIGURED}
    assert _missing({"instructions": None, "cycles": "no counter left"}) == {"eipc": "no counter left"}
    assert _missing({"instructions": None, "cycles": None}) == {}
    monkeypatch.setattr("nalm_agent.host.pmu.kernel_reason", lambda: "no PMU")
    assert _missing({})["ipp"] == "no PMU"


def test_by_perf(tiny_nf: list[str], work: WorkDir, nalm: Nalm, tmp_path: Path) -> None:
    with opened(tiny_nf, work) as busy_nf:
        pid = str(busy_nf.probe.pid)
        done = nalm.run("top", "--perf", pid, "--once", "--json", "--interval", "0.2", cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    view = View.model_validate_json(done.stdout)
    assert view.functions[0].name == "churn"
    assert view.cpp is None and "perf sees time" in view.missing["cpp"]


def stage(name: str, cpp: float | None) -> StageView:
    return StageView(stage=name, apart=False, cpp=cpp, cycles_per_visit=cpp, pps=2e6, mean_batch=32)


def made_view(cpp: float = 100) -> View:
    stages = [stage("rx", cpp / 4), stage("a_stage_with_a_long_name", cpp * 3 / 4)]
    lcores = [
        LcoreView(lcore=number, tid=1, state="running", pps=1e6, cur=0.5, cpp=cpp / 2, stages=stages)
        for number in (0, 1)
    ]
    whole = {"pps": 2e6, "cpp": cpp, "cur": 1, "stages": stages, "lcores": lcores}
    return View(source="probe", unix_s=0, nf="nf", pid=1, seconds=1, **whole)


@pytest.mark.parametrize("width", [30, 50, 80, 160])
def test_a_view_fits_its_terminal(width: int) -> None:
    console, screen = Console(width=width), Screen(lcores=True)
    for cpp in (100, 140, 120):
        screen.add(made_view(cpp))
    with console.capture() as capture:
        console.print(screen)
    lines = capture.get().splitlines()
    assert max(map(len, lines)) <= width
    assert ("trend of CPP" in capture.get()) == (width > 100)
    assert re.search(r"chain\W+120\.0", capture.get())
    assert re.search(r"0 running\W+60\.0", capture.get())


def test_trends_give_way_before_the_first_line_wraps() -> None:
    screen = Screen(history=[made_view() for _ in range(16)])
    for width in (60, 80, 120):
        console = Console(width=width)
        with console.capture() as capture:
            console.print(screen)
        first, second = capture.get().splitlines()[:2]
        assert "CUR" in first and len(first) <= width and second[0] not in "\u2581C", width


def test_what_is_higher_than_the_terminal_says_so() -> None:
    console, screen = Console(width=80, height=6), Screen(history=[made_view()])
    with console.capture() as capture:
        console.print(CutToHeight(screen), height=6)
    lines = capture.get().splitlines()
    assert len(lines) == 6 and re.match(r"\d+ more lines", lines[-1])
    with console.capture() as capture:
        console.print(CutToHeight(screen), height=60)
    assert "more lines" not in capture.get() and "chain" in capture.get()


def test_another_size_of_the_terminal_is_seen_while_waiting(monkeypatch: pytest.MonkeyPatch) -> None:
    class SeenError(Exception):
        pass

    def resized() -> None:
        raise SeenError

    mine, theirs = pty.openpty()
    before = signal.getsignal(signal.SIGWINCH)
    with os.fdopen(theirs) as terminal, os.fdopen(mine):
        monkeypatch.setattr(sys, "stdin", terminal)
        with pytest.raises(SeenError), Keys(str, resized) as keys:
            os.kill(os.getpid(), signal.SIGWINCH)
            keys.wait(60)
    assert signal.getsignal(signal.SIGWINCH) is before


def test_order_pause_and_trend() -> None:
    screen = Screen(costliest_first=True)
    screen.add(made_view())
    screen.paused = True
    screen.add(made_view(500))
    console = Console(width=120)
    with console.capture() as capture:
        console.print(screen)
    shown = capture.get()
    assert "CPP 100.0" in shown
    assert shown.index("a_stage") < shown.index("rx")


def read_terminal(terminal: int, seconds: float) -> str:
    """Output of the program on the other side: "" after the program has closed it, or after `seconds`."""
    if not select.select([terminal], [], [], seconds)[0]:
        return ""
    try:
        return os.read(terminal, 65536).decode(errors="replace")
    except OSError:  # EIO: nobody has the other side open
        return ""


def test_keys_on_a_terminal(open_nf: RunningNf, nalm: Nalm, tmp_path: Path) -> None:
    mine, theirs = pty.openpty()
    command = [str(NALM), "top", "--pid", str(open_nf.probe.pid), "--interval", "0.1"]
    process = subprocess.Popen(
        command, stdin=theirs, stdout=theirs, stderr=theirs, env=nalm.environment() | {"TERM": "xterm"}
    )
    os.close(theirs)
    seen, all_seen, expected = "", "", ["q quit", "0 running", "paused"]
    keys = dict(zip(expected, ["l", " ", "q"], strict=True))
    try:
        while text := read_terminal(mine, 60):  # to its end: a full terminal stops who writes to it
            seen, all_seen = seen + text, all_seen + text
            if expected and expected[0] in seen:
                os.write(mine, keys[expected.pop(0)].encode())
                seen = ""
        assert not expected, seen
        assert "\x1b[?1049h" in all_seen, "a screen of its own, which survives a resize"
        assert process.wait(timeout=60) == 0
    finally:
        process.kill()
        process.wait()
        os.close(mine)


def test_a_program_gets_whole_lines(nalm: Nalm, tmp_path: Path) -> None:
    why = " ".join(["perf_event_paranoid"] * 20)
    (tmp_path / "day.jsonl").write_text(
        made_view().model_copy(update={"missing": {"ipp": why}}).model_dump_json() + "\n"
    )
    assert f"IPP missing: {why}" in nalm.run("top", "--replay", "day.jsonl", cwd=tmp_path).stdout.splitlines()


def test_json_lines_are_views(open_nf: RunningNf, nalm: Nalm, tmp_path: Path) -> None:
    path = str(of_process(open_nf.probe.pid).path)
    listed = nalm.run("top", "--list", "--json", cwd=tmp_path).stdout.splitlines()
    assert path in [json.loads(line)["path"] for line in listed]


def test_who_looks_keeps_off_the_lcores_cpus() -> None:
    cpus = sorted(os.sched_getaffinity(0))
    code = (
        "import os, sys; from nalm_agent.top.keep_off import keep_off\n"
        "keep_off([int(sys.argv[1]), 4194304]); print(sorted(os.sched_getaffinity(0)))"
    )
    with subprocess.Popen(["taskset", "-c", str(cpus[0]), "sleep", "60"]) as bound:
        try:
            assert until(lambda: os.sched_getaffinity(bound.pid) == {cpus[0]})
            done = subprocess.run(
                [sys.executable, "-c", code, str(bound.pid)], capture_output=True, text=True, check=False
            )
        finally:
            bound.kill()
    assert done.stdout.strip() == str(cpus[1:] or cpus), done.stderr


def test_that_there_is_none_is_said(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("nalm_agent.top.find.running", lambda: [])
    done = CliRunner().invoke(app, ["top", "--list"])
    assert (done.exit_code, done.stdout) == (0, "")
    assert "no NF with a readable probe" in done.stderr
