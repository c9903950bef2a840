# SPDX-License-Identifier: Apache-2.0
"""Launches end before the report of a job is larger than its server takes."""

from __future__ import annotations

import pytest
from nalm_agent.host.cores import choose
from nalm_agent.measure.report_room import ReportRoom
from nalm_agent.measure.rounds import ArmRun, Bench, measure_rounds
from nalm_agent.nf.start import NfStart
from nalm_agent.store.home import WorkDir
from nalm_core.report.run_report import Arm, Settings
from nalm_core.report.serialization import dump_report
from nalm_synthetic import Side, make_report


@pytest.mark.parametrize("limit", [50_000, 200_000])
def test_a_report_that_is_full_is_not_larger_than_the_limit(limit: int) -> None:
    report = make_report(Side(), launches=200, turns=4)
    room = ReportRoom(limit)
    launches = sorted({one.launch for one in report.rounds})
    for done in launches:
        rounds = [one for one in report.rounds if one.launch <= done]
        if not room.holds_another(rounds, []):
            break
    assert room.full and 1 < done + 1 < len(launches)
    assert limit / 2 < len(dump_report(report.model_copy(update={"rounds": rounds}))) < limit


@pytest.mark.parametrize(("planned", "full"), [(9, True), (1, False)])
def test_a_run_ends_when_another_launch_has_no_room(
    tiny_nf: list[str], work: WorkDir, planned: int, full: bool
) -> None:
    """The limit did not end a run that has all its launches."""
    settings = Settings(
        margin=0.001, alpha=0.05, looks=1, turn_ms=1, turns_per_launch=2, max_launches=planned
    )
    runs = {arm: ArmRun(arm, NfStart(list(tiny_nf), ready_seconds=30)) for arm in (Arm.BASE, Arm.HEAD)}
    launches: list[int] = []
    room = ReportRoom(1000)
    bench = Bench(settings, choose(1), work, room=room)
    ended = measure_rounds(bench, runs, lambda *_: False, lambda done, _: launches.append(done))
    assert (ended, launches, room.full) == ("launches", [1], full)


def test_the_note_names_the_limit() -> None:
    note = ReportRoom(16 << 20).note(144)
    assert "ended at 144" in note and "at most 16 MiB (NALM_REPORT_BYTES)" in note
