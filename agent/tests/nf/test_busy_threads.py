# SPDX-License-Identifier: Apache-2.0
"""Threads that use a CPU, also one that they hardly get."""

from __future__ import annotations

import os
import signal
import subprocess

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
