# SPDX-License-Identifier: Apache-2.0
"""The lock of a CPU, which agents of all users of a host share."""

from __future__ import annotations

import fcntl
import os
import stat
from pathlib import Path

import pytest
from nalm_agent.host import cores
from nalm_agent.host.cores import choose, hold
from nalm_agent.runtime.errors import HostError

ANOTHER_USER = 60_123


@pytest.fixture
def shared(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A directory that all users may write."""
    folder = tmp_path / "shared"
    folder.mkdir()
    folder.chmod(0o1777)
    monkeypatch.setenv("NALM_LOCKS", str(folder))
    return folder


def reserve() -> list[str]:
    """Reserves a CPU, and returns what was reported."""
    reports: list[str] = []
    with hold(choose(1), reports.append):
        pass
    return reports


@pytest.mark.skipif(os.geteuid() != 0, reason="only root gives a file to another user")
def test_a_lock_that_another_user_made_is_taken(shared: Path) -> None:
    assert reserve() == []
    (made,) = shared.iterdir()
    assert stat.S_IMODE(made.stat().st_mode) == 0o666
    os.chown(made, ANOTHER_USER, ANOTHER_USER)
    assert reserve() == []


def test_a_lock_that_is_a_link_is_refused(shared: Path, tmp_path: Path) -> None:
    (shared / f"nalm-cpu{choose(1).cpus[0]}.lock").symlink_to(tmp_path / "elsewhere")
    with pytest.raises(HostError, match="the lock of a CPU cannot be opened") as raised:
        reserve()
    assert "NALM_LOCKS" in (raised.value.hint or "")


@pytest.mark.parametrize("sys", [True, False])
def test_a_cpu_is_locked_where_nobody_can_remove_the_lock(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, sys: bool
) -> None:
    """The kernel's own directory; a file in a directory for all where there is no /sys."""
    monkeypatch.delenv("NALM_LOCKS", raising=False)
    monkeypatch.setattr(cores, "CPUS", tmp_path)
    monkeypatch.setattr(cores, "WITHOUT_SYS", tmp_path)
    (cpu,) = choose(1).cpus
    lock = tmp_path / (f"cpu{cpu}" if sys else f"nalm-cpu{cpu}.lock")
    if sys:
        lock.mkdir()
    with hold(choose(1), pytest.fail):
        file = os.open(lock, os.O_RDONLY)
        with pytest.raises(BlockingIOError):
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    os.close(file)
