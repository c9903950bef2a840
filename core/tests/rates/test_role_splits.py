# SPDX-License-Identifier: Apache-2.0
"""Splits of lcores between roles: the work of one run, predicted and measured rates, refusals."""

from __future__ import annotations

import pytest
from nalm_core.models.quantity import ModelInputError
from nalm_core.models.roles import Work
from nalm_core.rates.experiments.role_splits import Split, splits_answer, work_of_report
from nalm_core.rates.rate_report import Phase, RateReport
from rate_synthetic import Truth, rate_report, trial

WORK = Work(dispatch=100, workers=300, databases=50)
"""Of the test vector of docs/models.md: 16 lcores."""


def full_load(cycles: float = 100) -> RateReport:
    truths = [
        Truth(intended_pps=None, sent=2_000_000, phase=Phase.MRR, launch=launch, cycles_per_packet=cycles)
        for launch in range(3)
    ]
    return rate_report([trial(one) for one in truths], mode="mrr")


def test_predicted_and_measured_rates_of_splits() -> None:
    splits = [
        Split("right", 4, 8, 2, rates=(52e6, 54e6)),
        Split("off", 2, 3, 1, rates=(15e6, 15e6)),
        Split("elsewhere", 8, 20, 4, left_out="it needs 33 lcores"),
    ]
    answer = splits_answer("run", WORK, 2e9, splits, [16])
    right, off, elsewhere = answer.splits
    assert (right.predicted_pps, right.bottleneck) == (pytest.approx(8 * 2e9 / 300), "workers")
    assert right.measured_pps == 53e6 and right.error == pytest.approx(16e9 / 300 / 53e6 - 1)
    assert off.error == pytest.approx(20e6 / 15e6 - 1)
    assert (elsewhere.measured_pps, elsewhere.error) == (None, None)
    assert (answer.near, answer.notes) == (1, [])
    best = answer.plans[16]
    assert best.dispatch + best.workers + best.databases == 16
    assert splits_answer("run", WORK, 2e9, splits[2:]).notes == ["no split was measured"]


def test_a_role_with_work_needs_an_lcore() -> None:
    with pytest.raises(ModelInputError, match="split wrong: lcores: a role with work has no lcore"):
        splits_answer("run", WORK, 2e9, [Split("wrong", 0, 3, 1)])


def test_stages_are_of_the_roles_that_are_named() -> None:
    report = full_load()
    names = [stage.name for stage in report.stages if not stage.apart]
    work = work_of_report(report, {"dispatch": [names[0]], "databases": [f"{names[1][:2]}*"]})
    total = work_of_report(report, {"dispatch": ["*"]})
    assert (total.workers, total.databases) == (0, 0)
    assert sum(work.values) == pytest.approx(total.dispatch)
    assert work.dispatch > 0 and work.databases > 0


@pytest.mark.parametrize(
    ("roles", "said"),
    [
        ({"dispatch": ["nowhere_*"]}, r"no stage matches nowhere_\*; stages are "),
        ({"dispatch": ["*"], "databases": ["*"]}, "is of dispatch and databases"),
        ({}, "expected a pipeline with stages named handover_"),
    ],
)
def test_roles_that_stages_do_not_have(roles: dict[str, list[str]], said: str) -> None:
    with pytest.raises(ModelInputError, match=said):
        work_of_report(full_load(), roles)


def test_a_run_without_a_valid_trial_is_refused() -> None:
    report = full_load()
    spoilt = [one.model_copy(update={"invalid": "disturbed"}) for one in report.trials]
    with pytest.raises(ModelInputError, match="no trial at full load was valid"):
        work_of_report(report.model_copy(update={"trials": spoilt}), {"dispatch": ["*"]})
