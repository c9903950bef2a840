# SPDX-License-Identifier: Apache-2.0
"""Threads that use a CPU, also one that they hardly get."""

from __future__ import annotations

import os
import signal
import subprocess

import pytest
from nalm_agent.nf import busy_threads as module
from nalm_agent.nf.busy_threads import busy_threads

BUSY = 60
"""So many share a CPU that each waits for longer than a look lasts."""


def test_threads_that_wait_for_their_cpu_are_busy_and_a_sleeping_one_is_not() -> None:
    loops = f"for i in $(seq {BUSY}); do while :; do :; done & done; sleep 600"
    cpu = str(min(os.sched_getaffinity(0)))
    command = ["taskset", "--cpu-list", cpu, "bash", "-c", loops]
    with subprocess.Popen(command, start_new_session=True) as parent:
        try:
            while len(busy_threads(parent.pid)) < BUSY:
                assert parent.poll() is None
            assert busy_threads(parent.pid) == ["bash"] * BUSY
        finally:
            os.killpg(parent.pid, signal.SIGKILL)


def test_a_thread_that_waited_for_its_cpu_before_the_look_is_not_busy(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """The kernel adds the time for which it waited when it runs, here right after the look's begin."""
    looks = [("R", 0), *[("S", 900_000_000)] * 3]
    threads = iter([{1: module._Thread("nf", demand_ns, state)} for state, demand_ns in looks])
    monkeypatch.setattr(module, "_threads", lambda _: next(threads))
    assert busy_threads(1) == []
