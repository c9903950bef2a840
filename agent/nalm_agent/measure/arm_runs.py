# SPDX-License-Identifier: Apache-2.0
"""How a built arm is started on this host."""

from __future__ import annotations

import os
from pathlib import Path

from nalm_core.report.run_report import Arm

from nalm_agent.host.cores import Cores
from nalm_agent.measure.arms import Ready
from nalm_agent.measure.rounds import ArmRun
from nalm_agent.store.home import Home


def arm_run(
    arm: Arm, ready: Ready, traffic: Path | None, cores: Cores, home: Home, *, huge_pages: bool
) -> ArmRun:
    """The arm on these CPUs. traffic: its capture; None: its own packets. Raises HostError."""
    return ArmRun(
        arm,
        ready.start(traffic, cores, ready.environment(home), huge_pages=huge_pages),
        counter_commands=ready.counter_commands(),
    )


def has_cpus_of_its_own(cores: Cores) -> bool:
    """True if the agent runs on other CPUs, so that the NF may take precedence over all other programs."""
    return not os.sched_getaffinity(0) & set(cores.cpus)
