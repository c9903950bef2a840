# SPDX-License-Identifier: Apache-2.0
"""`nalm watch` with a real repository, real saves and a real interrupt."""

from __future__ import annotations

import os
import signal
import subprocess
import time
from pathlib import Path

import pytest
from nalm_agent.desk.watch import snapshot
from nalm_agent.source.git import Repository
from nalm_agent.store.home import SHARED_MEMORY
from tiny import NALM, Nalm, NfRepository


def read_until(process: subprocess.Popen[str], said: str, lines: list[str]) -> None:
    """Reads the command's output until a line has these words, and keeps the lines."""
    assert process.stdout is not None
    for line in process.stdout:
        lines.append(line)
        if said in line:
            return
    raise AssertionError(f"never said {said!r}: {''.join(lines)}")


@pytest.mark.nightly
def test_a_session(nf_repository: NfRepository, nalm: Nalm) -> None:
    process = subprocess.Popen(
        [str(NALM), "watch"],
        cwd=nf_repository.path,
        env=nalm.environment(),
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
    )
    lines: list[str] = []
    read_until(process, "waiting for a save", lines)
    nf_repository.write("work.h", "#error half a thought\n")
    read_until(process, "half a thought", lines)
    read_until(process, "waiting for a save", lines)
    nf_repository.write("work.h", "/* only a comment */\n")
    read_until(process, "waiting for a save", lines)
    process.send_signal(signal.SIGINT)
    rest, _ = process.communicate(timeout=60)
    said = "".join(lines) + rest
    assert process.returncode == 0, said
    assert "3 judged: 2 same, 1 broken" in rest
    assert "Traceback" not in said
    assert list(SHARED_MEMORY.glob(f"nalm-{process.pid}-*")) == []


def test_a_scenario_that_is_not_there_is_not_waited_for(nf_repository: NfRepository, nalm: Nalm) -> None:
    done = nalm.run("watch", "--scenario", "typo", cwd=nf_repository.path)
    assert done.returncode == 2
    assert "no scenario 'typo'; there are: tiny" in done.stderr


def test_a_snapshot_sees_saves_and_new_files_but_not_ignored_ones(
    nf_repository: NfRepository, tmp_path: Path
) -> None:
    repository = Repository(nf_repository.path, tmp_path / "scratch")
    nf_repository.write(".gitignore", "*.o\n")
    before = snapshot(repository)
    nf_repository.write("x.o", "object")
    assert snapshot(repository) == before
    nf_repository.write("new.h", "")
    os.utime(nf_repository.path / "work.h", ns=(1, time.time_ns()))
    changed = {name for name, state in snapshot(repository).items() if before.get(name) != state}
    assert changed == {"new.h", "work.h"}
    (nf_repository.path / "work.h").unlink()
    assert "work.h" not in snapshot(repository)
