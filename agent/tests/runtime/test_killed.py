# SPDX-License-Identifier: Apache-2.0
"""`nalm check` killed at each step and started again: nothing is left, and the verdict is as ever."""

from __future__ import annotations

import os
import signal
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest
from building import toml
from nalm_agent.runtime.process import dying_with
from nalm_agent.store.home import SHARED_MEMORY
from nalm_core.report.run_report import RunStatus
from nalm_core.report.serialization import parse_report
from nalm_core.verdict.verdict import judge
from tiers import by_night
from tiny import Nalm, NfRepository
from waiting import until

STEPS = ["checkout:", "build: base", "build: head", "start:", "instructions: 20000", "cycles:", "report:"]
SIGNALS = [signal.SIGKILL, signal.SIGTERM]
SLOWER = "#define ALPHA_WORK 90\n"


def under(home: Path) -> set[int]:
    """Living processes whose command line, environment or working directory is of this NALM_HOME."""
    found = set()
    for process in Path("/proc").glob("[0-9]*"):
        try:
            words = (process / "cmdline").read_bytes() + (process / "environ").read_bytes()
            at = str((process / "cwd").readlink())
            state = (process / "stat").read_text().rpartition(")")[2].split()[0]
        except OSError:
            continue
        if state != "Z" and (f"{home}".encode() in words or at.startswith(f"{home}/")):
            found.add(int(process.name))
    return found


def outside(nalm: Nalm, nf: NfRepository, pids: list[int]) -> set[Path]:
    """What runs could leave where it does not belong: shared memory, huge pages, /tmp, the repository."""
    memory = {path for pid in pids for path in SHARED_MEMORY.glob(f"nalm-{pid}-*")}
    pages = {path for pid in pids for path in Path("/dev/hugepages").glob(f"*{pid}*")}
    temporary = set((nalm.home.parent / "tmp").iterdir())
    return memory | pages | temporary | {path for path in nf.path.rglob("*") if ".git" not in path.parts}


def half_written(home: Path) -> list[Path]:
    return [*home.glob("store/*/.new-*"), *home.glob("work/*"), *home.glob("build/*/*")]


@pytest.fixture
def changed(nf_repository: NfRepository) -> NfRepository:
    """A regression in the working tree."""
    nf_repository.write("work.h", SLOWER)
    return nf_repository


@pytest.fixture
def nalm(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Nalm:
    """The command with a NALM_HOME and a /tmp of its own."""
    (tmp_path / "tmp").mkdir()
    monkeypatch.setenv("TMPDIR", str(tmp_path / "tmp"))
    return Nalm(tmp_path / "home")


def killed_at(nalm: Nalm, nf: NfRepository, step: str, number: signal.Signals) -> subprocess.Popen[str]:
    """Starts a check and kills it when it says that a step begins."""
    process = nalm.start("check", "--json", "run.json", cwd=nf.path)
    assert process.stderr is not None
    seen = next((line for line in process.stderr if line.startswith(step)), None)
    assert seen is not None, f"never came to {step}"
    process.send_signal(number)
    process.communicate(timeout=60)
    return process


@pytest.mark.nightly
@pytest.mark.parametrize("number", SIGNALS, ids=["kill", "term"])
def test_killed_at_each_step_and_started_again(
    changed: NfRepository, nalm: Nalm, number: signal.Signals
) -> None:
    document, pids = changed.path / "run.json", list[int]()
    before = outside(nalm, changed, pids)
    for step in STEPS:
        pids.append(killed_at(nalm, changed, step, number).pid)
        assert until(lambda: under(nalm.home) == set()), f"killed at {step}"
        assert not document.exists() or parse_report(document.read_bytes())
    again = nalm.run("check", "--json", "run.json", cwd=changed.path)
    assert again.returncode == 1, again.stdout + again.stderr
    report = parse_report(document.read_bytes())
    verdict = judge(report)
    assert report.status is RunStatus.MEASURED
    assert (verdict.outcome, verdict.culprit_stages) == ("regressed", ["alpha"])
    assert half_written(nalm.home) == []
    assert outside(nalm, changed, pids) - before == {document}
    assert under(nalm.home) == set()


@pytest.mark.parametrize("number", [signal.SIGKILL, *by_night(signal.SIGTERM)])
def test_killed_in_a_build_with_children(
    changed: NfRepository, nalm: Nalm, monkeypatch: pytest.MonkeyPatch, number: signal.Signals
) -> None:
    monkeypatch.setenv("NALM_ISOLATION", "required")
    mark = "31536001"
    script = f"echo half >$1/half; setsid sh -c 'sleep {mark} & sleep {mark}' & sleep {mark}\n"
    changed.commit("hangs", build__sh=script, nalm__toml=toml(""))

    def sleepers() -> set[int]:
        found = set()
        for path in Path("/proc").glob("[0-9]*/cmdline"):
            try:
                if path.read_bytes().split(b"\0")[:2] == [b"sleep", mark.encode()]:
                    found.add(int(path.parent.name))
            except OSError:
                continue
        return found

    process = nalm.start("check", "--base", "HEAD", "--head", "HEAD~1", cwd=changed.path)
    assert until(lambda: len(sleepers()) == 3)
    process.send_signal(number)
    process.communicate(timeout=60)
    assert until(lambda: sleepers() == set())
    changed.git("checkout", "-q", "-B", "mended", "HEAD~1")
    done = nalm.run("check", "--base", "HEAD", "--head", "HEAD", cwd=changed.path)
    assert done.returncode == 0, done.stderr
    assert half_written(nalm.home) == []
    assert list(nalm.home.glob("store/builds/*")) == []


@pytest.mark.parametrize(("parent", "runs"), [(os.getpid, True), (os.getppid, False)])
def test_a_command_whose_parent_has_ended_does_not_start(
    parent: Callable[[], int], runs: bool, tmp_path: Path
) -> None:
    subprocess.run(dying_with(parent(), ["touch", str(tmp_path / "ran")]), check=runs)
    assert (tmp_path / "ran").exists() == runs
