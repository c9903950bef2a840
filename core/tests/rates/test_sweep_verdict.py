# SPDX-License-Identifier: Apache-2.0
"""The verdict on two sweeps made from known truth."""

from __future__ import annotations

import pytest
from nalm_core.rates.rate_report import RateReport, SweepMargins
from nalm_core.rates.sweep_verdict import judge_sweeps
from nalm_core.report.outcome import Outcome
from nalm_core.text.amounts import pps_text
from rate_synthetic import Truth, rate_report, trial
from sweep_synthetic import SEARCH, SHARES, at, report

MARGINS = SweepMargins()


@pytest.mark.parametrize(
    ("base", "head", "outcome"),
    [(900, 900, Outcome.SAME), (600, 900, Outcome.REGRESSED), (900, 600, Outcome.IMPROVED)],
)
def test_a_cost_of_polls_is_judged(base: float, head: float, outcome: Outcome) -> None:
    verdict = judge_sweeps(report(base), report(head), MARGINS)
    assert verdict.outcome is outcome, verdict.reasons
    assert bool(verdict.reasons) == (outcome is not Outcome.SAME)
    assert verdict.margins == MARGINS


def test_reasons_say_where_cycles_and_how_far_the_knee_moved() -> None:
    reasons = judge_sweeps(report(600), report(900), MARGINS).reasons
    assert any(one == f"CPP +42.9 % at {pps_text(200_000)}" for one in reasons), reasons
    assert any(one.startswith("the knee moved by -") for one in reasons), reasons


def test_a_change_within_the_margins_is_the_same() -> None:
    wide = SweepMargins(load_cpp=0.9, knee_pps=0.9)
    verdict = judge_sweeps(report(600), report(900), wide)
    assert verdict.outcome is Outcome.SAME, verdict.reasons


def of_one_launch() -> RateReport:
    return rate_report([at(share, 0, 900) for share in SHARES], [SEARCH], mode="sweep")


def test_one_launch_decides_nothing() -> None:
    verdict = judge_sweeps(of_one_launch(), of_one_launch(), MARGINS)
    assert verdict.outcome is Outcome.INCONCLUSIVE
    assert any("neither a change of 3 % nor its absence is shown" in one for one in verdict.reasons)


def flat() -> RateReport:
    """Without a cost of polls, CPP is that of the least load everywhere: there is no knee."""
    return report(1)


@pytest.mark.nightly
def test_a_knee_of_one_build_alone_is_never_the_same() -> None:
    wide = SweepMargins(load_cpp=20, knee_pps=20)
    assert judge_sweeps(flat(), flat(), MARGINS).outcome is Outcome.SAME
    verdict = judge_sweeps(flat(), report(900), wide)
    assert verdict.outcome is Outcome.INCONCLUSIVE, verdict.reasons
    assert "base has no knee, so its move has no size" in verdict.reasons


def test_what_one_build_lacks_leaves_the_verdict_open() -> None:
    trials = [
        at(share, launch, 900, "late" if share == 0.4 else None) for launch in range(3) for share in SHARES
    ]
    verdict = judge_sweeps(report(), rate_report(trials, [SEARCH], mode="sweep"), MARGINS)
    assert (verdict.outcome, verdict.reasons) == (
        Outcome.INCONCLUSIVE,
        ["head: sweep: no trial at 1600000 pps was valid"],
    )
    without = rate_report([trial(Truth())], mode="sweep")
    verdict = judge_sweeps(without, without, MARGINS)
    assert verdict.outcome is Outcome.INCONCLUSIVE and len(verdict.reasons) == 2


def test_a_head_that_does_not_run_is_broken() -> None:
    failed = report().model_copy(update={"build": None, "failure": "it does not start"})
    assert judge_sweeps(report(), failed, MARGINS).outcome is Outcome.BROKEN
    assert judge_sweeps(failed, report(), MARGINS).outcome is Outcome.INVALID
