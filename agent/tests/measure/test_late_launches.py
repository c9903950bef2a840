# SPDX-License-Identifier: Apache-2.0
"""An NF that hangs after its try-out is reported while it is waited for, not only when its time is over."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest
from nalm_agent.host.cores import choose
from nalm_agent.measure.replay import replay_arms
from nalm_agent.measure.rounds import ArmFailedError, ArmRun, Bench, measure_rounds, try_out
from nalm_agent.nf import nf_process
from nalm_agent.nf.start import NfStart
from nalm_agent.store.home import WorkDir
from nalm_core.report.run_report import Arm, Settings
from tiers import by_night

HANGS_AT_SECOND = """#!/bin/sh
echo x >> "$0.launches"
test $(wc -l < "$0.launches") = 1 && exec "$@"
echo waits for its neighbour
exec sleep 600
"""


def rounds(run: ArmRun, work: WorkDir) -> None:
    settings = Settings(margin=0.02, alpha=0.05, looks=1, turn_ms=1, turns_per_launch=2, max_launches=3)
    bench = Bench(settings, choose(1), work)
    measure_rounds(bench, {run.arm: run}, lambda rounds, looks: False, lambda launch, seconds: None)


def replays(run: ArmRun, work: WorkDir) -> None:
    replay_arms({run.arm: run}, {}, work, 4096)


@pytest.mark.parametrize("launch", [rounds, *by_night(replays)])
def test_a_program_that_hangs_at_its_second_launch_is_reported(
    tiny_nf: list[str],
    tmp_path: Path,
    work: WorkDir,
    monkeypatch: pytest.MonkeyPatch,
    launch: Callable[[ArmRun, WorkDir], None],
) -> None:
    script = tmp_path / "nf.sh"
    script.write_text(HANGS_AT_SECOND)
    said: list[str] = []
    run = ArmRun(Arm.HEAD, NfStart(["sh", str(script), *tiny_nf], ready_seconds=30, say=said.append))
    try_out(run, work, 1)
    assert said == []
    monkeypatch.setattr(nf_process, "REPORT_SECONDS", 2)
    with pytest.raises(ArmFailedError, match="did not open its probe within 4 s"):
        launch(replace(run, how=replace(run.how, ready_seconds=4)), work)
    (report,) = said
    assert report.startswith("the NF did not open its probe for 2 s; it has 4 s")
    assert "| waits for its neighbour" in report
