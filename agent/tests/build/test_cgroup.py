# SPDX-License-Identifier: Apache-2.0
"""Control groups of builds: their place in the hierarchy and their limits, on recorded trees."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

import pytest
from nalm_agent.build.isolation import cgroup
from nalm_agent.build.isolation.cgroup import Limits, Parent, build_group
from nalm_agent.store.process_stamp import stamp
from stamps import stamp_of_another

LIMITS = Limits(500 << 20, 64)


@pytest.fixture(autouse=True)
def untried() -> Iterator[None]:
    for requested in (cgroup.groups_parent, cgroup.scope_reason):
        requested.cache_clear()
    yield
    for requested in (cgroup.groups_parent, cgroup.scope_reason):
        requested.cache_clear()


@pytest.fixture
def unified(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A group of version 2 that is delegated to this process."""
    folder = tmp_path / "system.slice" / "nalm-agent.service"
    folder.mkdir(parents=True)
    (folder / "cgroup.controllers").write_text("cpu memory pids\n")
    (tmp_path / "mountinfo").write_text(
        f"30 23 0:26 / {tmp_path} rw,nosuid - cgroup2 cgroup2 rw,nsdelegate\n"
        "35 30 0:30 /sub /elsewhere rw - cgroup cgroup rw,memory\n"
    )
    (tmp_path / "own").write_text("0::/system.slice/nalm-agent.service\n")
    monkeypatch.setattr(cgroup, "MOUNTS", tmp_path / "mountinfo")
    monkeypatch.setattr(cgroup, "OWN", tmp_path / "own")
    return folder


def test_a_delegated_group_of_version_2(unified: Path) -> None:
    assert cgroup._version_2() == Parent(2, {"memory": unified, "pids": unified})
    assert (unified / cgroup.LEAF / "cgroup.procs").read_text() == str(os.getpid())
    assert (unified / "cgroup.subtree_control").read_text() == "+memory +pids"
    (unified.parent.parent / "own").write_text(f"0::/system.slice/nalm-agent.service/{cgroup.LEAF}\n")
    assert cgroup._version_2() == Parent(2, {"memory": unified, "pids": unified})


def test_a_group_with_others_in_it_is_left_as_it_was(unified: Path) -> None:
    (unified / "cgroup.subtree_control").mkdir()  # a write to it fails, as with EBUSY
    assert cgroup._version_2() is None
    assert (unified / "cgroup.procs").read_text() == str(os.getpid())


def test_groups_of_killed_agents_are_removed(unified: Path) -> None:
    killed, living = unified / stamp_of_another(os.getpid()), unified / stamp()
    for group in (killed, living):
        group.mkdir()
    cgroup.groups_parent()
    assert (killed.exists(), living.exists()) == (False, True)


def test_a_group_without_controllers(unified: Path) -> None:
    (unified / "cgroup.controllers").write_text("cpu\n")
    assert cgroup._version_2() is None
    assert not (unified / cgroup.LEAF).exists()


def test_what_is_written(unified: Path) -> None:
    parent = Parent(2, {"memory": unified, "pids": unified})
    files = {name: value for _, name, value in cgroup._files(parent, LIMITS)}
    assert files == {
        "memory.max": 500 << 20,
        "-memory.swap.max": 0,
        "-memory.oom.group": 1,
        "pids.max": 64,
    }


def test_without_any_group(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(cgroup, "OWN", tmp_path / "none")
    monkeypatch.setattr(cgroup, "MOUNTS", tmp_path / "none")
    monkeypatch.setenv("PATH", str(tmp_path))
    assert cgroup.without_group() == "no control group can be made here, and there is no systemd-run"
    with build_group(LIMITS) as group:
        assert group.prefix == []
        assert not group.out_of_memory()
