# SPDX-License-Identifier: Apache-2.0
"""The search for NDR and PDR with a simulated NF, and invalid trials."""

from __future__ import annotations

import pytest
from nalm_agent.trials.search import Goal, Loads, search
from nalm_core.rates.rate_report import Ended, LcoreStages, Phase, RateSettings, Traffic, Trial
from nalm_core.report.run_report import (
    ArmInfo,
    Build,
    LcoreCounters,
    OutcomeKind,
    RunDefinition,
    StageCounters,
    StageInfo,
)

BUILD = Build(commit="a" * 40, tree="t", code_digest="c", compiler="gcc")
DEFINITION = RunDefinition(features=[], command=["nf"], traffic="made")
STAGES = [
    StageInfo(name="gen", apart=True),
    StageInfo(name="tx", outcomes={"sent": OutcomeKind.SENT, "full": OutcomeKind.LOST}),
]
INFO = ArmInfo(build=BUILD, run=DEFINITION, stages=STAGES)
SEARCH = RateSettings(trial_s=0.1, trials_per_load=2, search_s=30, max_repeats=2)


def simulated(seconds: float, pps: int, capacity: int, invalid: str | None = None) -> Trial:
    """A trial of an NF that carries so much and drops the rest."""
    sent = round(pps * seconds)
    lost = max(0, sent - round(capacity * seconds))
    wall = round(seconds * 1e9)
    tx = StageCounters(cycles=1, packets=sent, batches=1, outcomes={"sent": sent - lost, "full": lost})
    return Trial(
        phase=Phase.SEARCH,
        launch=0,
        intended_pps=pps,
        intended_s=seconds,
        traffic=Traffic(
            sending_ns=wall, sent=sent, late=0, received=None, reordered=None, duplicates=None, damaged=None
        ),
        lcores=[
            LcoreCounters(
                lcore=0,
                packets=sent,
                busy_cycles=1,
                idle_cycles=1,
                apart_cycles=0,
                turn_tsc_cycles=1,
                turn_wall_ns=wall,
                turn_cpu_ns=wall,
                involuntary_switches=0,
                voluntary_switches=0,
                minor_faults=0,
                major_faults=0,
            )
        ],
        stages=[LcoreStages(lcore=0, stages={"tx": tx})],
        invalid=invalid,
    )


@pytest.mark.parametrize("capacity", [12_345, 800_000, 1_099_000])
def test_the_search_finds_a_known_rate_within_its_width(capacity: int) -> None:
    goals = [Goal("ndr", 0.0), Goal("pdr", 0.05)]
    loads = Loads(10_000, 1_200_000)
    ndr, pdr = search(goals, loads, lambda s, pps: simulated(s, pps, capacity), INFO, SEARCH)
    assert (ndr.ended, pdr.ended) == (Ended.FOUND, Ended.FOUND)
    for found, truth in ((ndr, capacity), (pdr, capacity / 0.95)):
        assert found.lower_pps is not None and found.upper_pps is not None
        # one packet of a trial is what a trial cannot see
        assert found.lower_pps <= truth * 1.001 + 10
        assert found.upper_pps >= truth * 0.999 - 10
        assert found.upper_pps / found.lower_pps - 1 <= SEARCH.width * 1.05


def test_a_search_beyond_its_bounds_says_so() -> None:
    (none,) = search([Goal("ndr", 0.0)], Loads(1000, 2000), lambda s, p: simulated(s, p, 10), INFO, SEARCH)
    assert (none.ended, none.lower_pps) == (Ended.LOSS_AT_LEAST, None)
    assert "even at 1000 pps" in (none.reason or "")
    (all_,) = search([Goal("ndr", 0.0)], Loads(1000, 2000), lambda s, p: simulated(s, p, 9999), INFO, SEARCH)
    assert (all_.ended, all_.upper_pps) == (Ended.NO_LOSS_AT_MOST, None)


def test_a_disturbed_search_ends_after_so_many_repeats() -> None:
    tried = 0

    def disturbed(seconds: float, pps: int) -> Trial:
        nonlocal tried
        tried += 1
        return simulated(seconds, pps, 500, invalid="an lcore lost 9 ms to other programs")

    (found,) = search([Goal("ndr", 0.0)], Loads(1000, 2000), disturbed, INFO, SEARCH)
    assert (found.ended, tried) == (Ended.DISTURBED, SEARCH.max_repeats + 1)
    assert "3 trials in a row were invalid, the last because an lcore lost 9 ms" in (found.reason or "")


def test_single_invalid_trials_are_repeated() -> None:
    tried = 0

    def sometimes(seconds: float, pps: int) -> Trial:
        nonlocal tried
        tried += 1
        return simulated(seconds, pps, 700_000, invalid="late" if tried % 3 == 0 else None)

    (found,) = search([Goal("ndr", 0.0)], Loads(10_000, 1_200_000), sometimes, INFO, SEARCH)
    assert found.lower_pps == pytest.approx(700_000, rel=0.011)


def test_a_search_without_end_is_cut_short() -> None:
    short = SEARCH.model_copy(update={"search_s": 1e-6})
    (found,) = search(
        [Goal("ndr", 0.0)], Loads(10_000, 1_200_000), lambda s, p: simulated(s, p, 700_000), INFO, short
    )
    assert found.ended is Ended.OUT_OF_TIME
