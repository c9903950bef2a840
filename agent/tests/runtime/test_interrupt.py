# SPDX-License-Identifier: Apache-2.0
"""An interrupted or killed run leaves nothing behind that the next one minds."""

from __future__ import annotations

import signal
import subprocess
from pathlib import Path

import pytest
from nalm_agent.store.home import SHARED_MEMORY
from tiers import by_night
from tiny import Nalm, NfRepository
from waiting import until


def leftovers(home: Path) -> list[Path]:
    """What any command of this NALM_HOME left: its process ids are in the names of its work directories."""
    return [*(home / "work").iterdir()]


def nf_processes(home: Path) -> list[str]:
    """Command lines of living processes that run something of this NALM_HOME."""
    found = []
    for path in Path("/proc").glob("[0-9]*/cmdline"):
        try:
            command = path.read_bytes().replace(b"\0", b" ").decode()
            state = (path.parent / "stat").read_text().rpartition(")")[2].split()[0]
        except OSError:
            continue
        if f"{home}/" in command and state != "Z":
            found.append(command)
    return found


def start_until(nalm: Nalm, nf: NfRepository, step: str, *command: str) -> subprocess.Popen[str]:
    nf.write("work.h", "#define ALPHA_WORK 90\n")
    process = nalm.start(*(command or ("check",)), cwd=nf.path)
    assert process.stderr is not None
    for line in process.stderr:
        if line.startswith(f"{step}:"):
            return process
    raise AssertionError(f"never came to {step}")


@pytest.mark.parametrize("step", ["build", pytest.param("instructions", marks=pytest.mark.nightly), "cycles"])
@pytest.mark.parametrize("number", [signal.SIGINT, pytest.param(signal.SIGTERM, marks=pytest.mark.nightly)])
def test_interrupt(nf_repository: NfRepository, tmp_path: Path, step: str, number: signal.Signals) -> None:
    nalm = Nalm(tmp_path / "home")
    process = start_until(nalm, nf_repository, step)
    process.send_signal(number)
    process.send_signal(number)  # as an impatient person does
    _, errors = process.communicate(timeout=60)
    assert process.returncode == 130
    assert "interrupted; nothing is left running" in errors
    assert "Traceback" not in errors
    assert leftovers(nalm.home) == []
    assert list(SHARED_MEMORY.glob(f"nalm-{process.pid}-*")) == []
    assert until(lambda: nf_processes(nalm.home) == [])
    assert nf_repository.git("worktree", "list").count("\n") == 0


@pytest.mark.parametrize(("number", "code"), [*by_night((signal.SIGINT, 130)), (signal.SIGKILL, -9)])
def test_an_ended_hook_lets_what_it_started_clean_up(
    nf_repository: NfRepository,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    number: signal.Signals,
    code: int,
) -> None:
    nf_repository.commit("slower", work__h="#define ALPHA_WORK 80\n")
    monkeypatch.setenv("PRE_COMMIT_TO_REF", "HEAD")
    nalm = Nalm(tmp_path / "home")
    process = start_until(nalm, nf_repository, "instructions", "hook", "run")
    process.send_signal(number)
    process.communicate(timeout=60)
    assert process.returncode == code
    assert until(lambda: leftovers(nalm.home) == [])
    assert until(lambda: nf_processes(nalm.home) == [])


@pytest.mark.nightly
def test_killed(nf_repository: NfRepository, tmp_path: Path) -> None:
    nalm = Nalm(tmp_path / "home")
    process = start_until(nalm, nf_repository, "cycles")
    process.kill()
    process.communicate()
    assert until(lambda: nf_processes(nalm.home) == [])
    assert leftovers(nalm.home) != []
    done = nalm.run("check", "--base", "HEAD", "--head", "HEAD", cwd=nf_repository.path)
    assert done.returncode == 0, done.stderr
    assert leftovers(nalm.home) == []
    assert list(SHARED_MEMORY.glob(f"nalm-{process.pid}-*")) == []
