# SPDX-License-Identifier: Apache-2.0
"""Launches of a fine margin have as many turns as the noise before them asks for."""

from __future__ import annotations

from itertools import groupby
from pathlib import Path

import pytest
from nalm_agent.config.nalm_toml import JudgeConfig
from nalm_agent.host.cores import choose
from nalm_agent.measure.rounds import ArmRun, Bench, measure_rounds
from nalm_agent.measure.turns_of_launches import TurnsOfLaunches
from nalm_agent.nf.start import NfStart
from nalm_agent.store.home import WorkDir
from nalm_core.pooling.constants import FINE_MARGIN, MOST_TURNS, PILOT_LAUNCHES
from nalm_core.report.defaults import MARGIN, TURNS_PER_LAUNCH
from nalm_core.report.run_report import Arm, Round, RunReport, Settings
from nalm_synthetic import Noise, Side, make_report


class Given:
    """Numbers of turns by launch."""

    def of(self, launch: int, seconds: float) -> int:
        assert (seconds > 0) == (launch > 0)
        return (2, 3, 5)[launch]


def test_every_launch_has_the_turns_that_were_chosen_for_it(tiny_nf: list[str], work: WorkDir) -> None:
    settings = Settings(margin=0.001, alpha=0.05, looks=1, turn_ms=1, turns_per_launch=2, max_launches=3)
    bench = Bench(settings, choose(1), work, turns=Given())
    runs = {arm: ArmRun(arm, NfStart(list(tiny_nf), ready_seconds=30)) for arm in (Arm.BASE, Arm.HEAD)}
    measured: list[Round] = []

    def decided(rounds: list[Round], looks: object) -> bool:
        measured[:] = rounds
        return False

    assert measure_rounds(bench, runs, decided, lambda launch, seconds: None) == "launches"
    for arm in runs:
        own = [one for one in measured if one.arm is arm]
        turns = [[one.turn for one in ones] for _, ones in groupby(own, key=lambda one: one.launch)]
        assert turns == [[0, 1], [0, 1, 2], [0, 1, 2, 3, 4]]


def loud(launches: int) -> RunReport:
    return make_report(Side(), noise=Noise(launch=0.0005, turn=0.1), launches=launches, turns=32)


def test_the_number_follows_the_noise_after_the_first_launches() -> None:
    done = PILOT_LAUNCHES
    reports = 0

    def report() -> RunReport:
        nonlocal reports
        reports += 1
        return loud(done)

    chosen = TurnsOfLaunches(32, MOST_TURNS, report)
    assert [chosen.of(launch, 1.5 * launch) for launch in range(done)] == [32] * done and reports == 0
    more = chosen.of(done, 1.5 * done)
    assert 32 < more <= MOST_TURNS and reports == 1
    # The next look is at twice as many launches.
    assert [chosen.of(launch, 1.5 * launch) for launch in range(done, 2 * done)] == [more] * done
    assert reports == 1
    chosen.of(2 * done, 3.0 * done)
    assert reports == 2


def test_a_run_without_usable_launches_keeps_its_number(tmp_path: Path) -> None:
    empty = loud(1).model_copy(update={"rounds": []})
    assert TurnsOfLaunches(32, MOST_TURNS, lambda: empty).of(PILOT_LAUNCHES, 20.0) == 32


@pytest.mark.parametrize(
    ("given", "margin", "most"), [(None, FINE_MARGIN / 2, MOST_TURNS), (None, MARGIN, None), (8, 0.001, None)]
)
def test_only_fine_margins_without_a_number_of_their_own_choose(
    given: int | None, margin: float, most: int | None
) -> None:
    settings = JudgeConfig(turns_per_launch=given).settings(margin)
    assert (settings.turns_per_launch, settings.most_turns) == (given or TURNS_PER_LAUNCH, most)
    assert ("most_turns" in settings.model_dump()) == (most is not None)
