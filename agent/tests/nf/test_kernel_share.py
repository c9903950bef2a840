# SPDX-License-Identifier: Apache-2.0
"""Time in the kernel, whose instructions are not counted, is seen of a running NF."""

from __future__ import annotations

from pathlib import Path

import pytest
from nalm_agent.measure.comparison import MOSTLY_KERNEL
from nalm_agent.measure.rounds import ArmRun, try_out
from nalm_agent.nf.start import NfStart
from nalm_agent.store.home import WorkDir
from nalm_core.report.run_report import Arm
from tiny import build_tiny


@pytest.mark.parametrize(("work_h", "in_kernel"), [("", False), ("#define KERNEL_CALLS 400\n", True)])
def test_time_in_the_kernel_is_seen(tmp_path: Path, work: WorkDir, work_h: str, *, in_kernel: bool) -> None:
    run = ArmRun(Arm.HEAD, NfStart(build_tiny(tmp_path, work_h), ready_seconds=60))
    share = try_out(run, work, 300).kernel_share
    assert share is not None and (share >= MOSTLY_KERNEL) == in_kernel, share
