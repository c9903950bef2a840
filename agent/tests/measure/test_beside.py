# SPDX-License-Identifier: Apache-2.0
"""Arms start and end on the agent's CPUs beside another, and run on the measuring ones."""

from __future__ import annotations

import errno
import os
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest
from nalm_agent.host import cores as host_cores
from nalm_agent.host.cores import Cores, choose, hold, spare
from nalm_agent.measure import rounds
from nalm_agent.measure.beside import Moved, every_second
from nalm_agent.measure.rounds import ArmRun, Bench, measure_rounds
from nalm_agent.nf.launch import RunningNf
from nalm_agent.nf.lcore_threads import lcore_threads
from nalm_agent.nf.start import NfStart
from nalm_agent.runtime.errors import HostError
from nalm_agent.store.home import WorkDir
from nalm_core.report.run_report import Arm, Settings

WAITS_UNTIL_MOVED = """
moved() { test "$(taskset -cp $$ | sed 's/.*: //')" = "$OTHERS"; }
until moved; do :; done
"$@" || exit
until moved; do :; done
"""
"""It becomes ready, and ends, only on the agent's CPUs."""


@pytest.fixture
def cores() -> Iterator[Cores]:
    """A measuring CPU, and the agent on another one."""
    chosen = choose(1)
    with hold(chosen, lambda line: None):
        if not spare(chosen):
            pytest.skip("needs two CPUs near each other")
        first = min(spare(chosen))
        before = os.sched_getaffinity(0)
        os.sched_setaffinity(0, {first})
        yield chosen
        os.sched_setaffinity(0, before)


def test_an_arm_starts_and_ends_beside_the_other_and_runs_on_the_measuring_cpu(
    tiny_nf: list[str], work: WorkDir, cores: Cores, monkeypatch: pytest.MonkeyPatch
) -> None:
    (other,), (cpu,) = spare(cores), cores.cpus
    bound = ["taskset", "--cpu-list", str(cpu)]
    waits = [*bound, "sh", "-c", WAITS_UNTIL_MOVED, "sh", *tiny_nf]
    runs = {
        Arm.BASE: ArmRun(Arm.BASE, NfStart([*bound, *tiny_nf], ready_seconds=30)),
        Arm.HEAD: ArmRun(Arm.HEAD, NfStart(waits, ready_seconds=30, environment={"OTHERS": str(other)})),
    }
    seen: list[set[int]] = []

    def warm_up(nf: RunningNf, turn_ms: float) -> None:
        seen.extend(os.sched_getaffinity(one.tid) for one in lcore_threads(nf))

    monkeypatch.setattr(rounds, "warm_up", warm_up)
    settings = Settings(margin=0.02, alpha=0.05, looks=1, turn_ms=1, turns_per_launch=2, max_launches=1)
    done = 0

    def after(launch: int, seconds: float) -> None:
        nonlocal done
        done = launch

    measure_rounds(Bench(settings, cores, work), runs, lambda rounds, looks: False, after)
    assert done == 1 and seen == [{cpu}, {cpu}]


def test_arms_take_turns(cores: Cores) -> None:
    assert [every_second("abc", launch, cores) for launch in (0, 1, 2)] == [["b"], ["a", "c"], ["b"]]
    assert every_second("ab", 0, Cores((*cores.cpus, 1000))) == [], "the agent has one CPU for two lcores"


def test_an_lcore_that_a_moved_thread_started_is_bound(cores: Cores) -> None:
    (other,), (cpu,) = spare(cores), cores.cpus
    moved = Moved([], frozenset({cpu}), frozenset({other}))
    started, free = (subprocess.Popen(["sleep", "600"]) for _ in range(2))
    try:
        os.sched_setaffinity(free.pid, {cpu, other})
        moved.bind([started.pid, free.pid])
        assert os.sched_getaffinity(started.pid) == {cpu}
        assert os.sched_getaffinity(free.pid) == {cpu, other}, "one that chose its CPUs itself"
    finally:
        for process in (started, free):
            process.kill()
            process.wait()


def test_a_cpu_that_was_taken_away_is_reported(cores: Cores, monkeypatch: pytest.MonkeyPatch) -> None:
    """A thread that cannot return is on the agent's CPUs, where nothing may be measured."""
    bound = subprocess.Popen(["sleep", "600"])
    moved = Moved([bound.pid], frozenset(cores.cpus), spare(cores))
    try:
        os.sched_setaffinity(bound.pid, set(cores.cpus))
        moved.move()
        assert os.sched_getaffinity(bound.pid) == spare(cores)

        def refuses(thread: int, cpus: object) -> None:
            raise OSError(errno.EINVAL, "Invalid argument")

        with monkeypatch.context() as kernel:
            kernel.setattr(os, "sched_setaffinity", refuses)
            with pytest.raises(HostError, match=f"cannot be bound to CPU {cores.cpus[0]} again"):
                moved.back()
    finally:
        bound.kill()
        bound.wait()
    moved.back()  # of a process that has ended


def test_cpus_of_another_numa_node_are_not_spare(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(host_cores, "CPUS", tmp_path)
    monkeypatch.setattr(os, "sched_getaffinity", lambda pid: {0, 1, 2, 3})
    for cpu, node in enumerate([0, 0, 1, 1]):
        (tmp_path / f"cpu{cpu}" / f"node{node}").mkdir(parents=True)
    assert spare(Cores((3,))) == {2} and spare(Cores((0,))) == {1}
    assert spare(Cores((0, 2))) == frozenset(), "none is near to both"
