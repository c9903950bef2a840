# SPDX-License-Identifier: Apache-2.0
"""Leftovers of killed processes are told from files in use, also of processes that are not seen here."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest
from nalm_agent.store.process_stamp import OLD_SECONDS, Owner, abandoned, is_abandoned, owner_of, stamp

PRINT = "from nalm_agent.store.process_stamp import stamp; print(stamp())"


def elsewhere(name: str) -> str:
    """The stamp of a process in another PID namespace."""
    first, second = name.rsplit(".", 1)
    return f"{first}.00000000-{second.rpartition('-')[2]}"


def of_another_boot(name: str) -> str:
    *first, place, last = name.split("-")
    return "-".join((*first, f"00000000.{place.partition('.')[2]}", last))


def test_a_process_that_runs_and_one_that_ended() -> None:
    ended = subprocess.run([sys.executable, "-c", PRINT], capture_output=True, text=True, check=True)
    assert owner_of(stamp()) is Owner.RUNS and not is_abandoned(stamp())
    assert owner_of(ended.stdout.strip()) is Owner.ENDED and is_abandoned(ended.stdout.strip())
    assert owner_of("nalm-1-1-abcd0123") is Owner.NOT_FOUND, "names of before have no place"
    assert is_abandoned("nalm-1-1-abcd0123")
    assert owner_of("nalm-x-1-abcd0123") is owner_of("other") is None


def test_a_process_of_another_pid_namespace_is_not_taken_for_an_ended_one() -> None:
    unshare = ["unshare", "--map-root-user", "--pid", "--fork", "--mount-proc"]
    done = subprocess.run(
        [*unshare, sys.executable, "-c", PRINT], capture_output=True, text=True, check=False
    )
    if done.returncode != 0:
        pytest.skip(f"not tried: {done.stderr.strip()}")
    assert owner_of(done.stdout.strip()) is Owner.UNSEEN and not is_abandoned(done.stdout.strip())


def test_a_process_of_an_earlier_boot_is_gone() -> None:
    assert owner_of(of_another_boot(stamp())) is Owner.OTHER_BOOT and is_abandoned(of_another_boot(stamp()))


def test_files_of_unseen_processes_stay_until_they_are_old(tmp_path: Path) -> None:
    """Their host may be another one, which shares the folder."""
    names = [elsewhere(stamp()), of_another_boot(stamp()), "nalm-1-1-abcd0123", stamp()]
    for name in names:
        (tmp_path / name).mkdir()
    assert list(abandoned(tmp_path)) == []
    for name in names:
        os.utime(tmp_path / name, (0, (tmp_path / name).stat().st_mtime - OLD_SECONDS - 1))
    assert {path.name for path in abandoned(tmp_path)} == set(names[:3])
