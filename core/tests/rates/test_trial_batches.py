# SPDX-License-Identifier: Apache-2.0
"""Batches by size in rate reports."""

import pytest
from nalm_core.models.quantity import ModelInputError
from nalm_core.rates.rate_report import RateReport, Trial
from nalm_core.rates.trial_batches import batches_by_rate
from nalm_core.report.batch_sizes import BatchCounts, LcoreBatches, summed_by_lcore
from rate_synthetic import Truth, rate_report, trial


def counted(
    sizes: BatchCounts, pps: int | None, *, shared: bool = False, invalid: str | None = None
) -> Trial:
    made = trial(Truth(intended_pps=pps, shared_core=shared), invalid)
    return made.model_copy(update={"batches": [LcoreBatches(lcore=0, sizes=sizes)]})


def test_batches_are_kept_and_summed_by_rate() -> None:
    trials = [
        counted({0: (5, 50), 32: (10, 1000)}, 1000),
        counted({32: (1, 90), 1024: (1, 9)}, 1000),
        counted({1: (1, 20)}, 2000),
        counted({2: (9, 9)}, 2000, invalid="stolen"),
    ]
    report = RateReport.model_validate_json(rate_report(trials).model_dump_json(by_alias=True))
    assert batches_by_rate(report) == {
        1000: {0: (5, 50), 32: (11, 1090), 1024: (1, 9)},
        2000: {1: (1, 20)},
    }


def test_older_reports_have_none_and_say_so() -> None:
    document = rate_report([trial(Truth())]).model_dump(mode="json", by_alias=True)
    del document["trials"][0]["batches"], document["settings"]["arrivals"]
    report = RateReport.model_validate(document)
    with pytest.raises(ModelInputError, match="the report has none"):
        batches_by_rate(report)


def test_a_shared_lcore_has_no_time_of_a_batch() -> None:
    with pytest.raises(ModelInputError, match="the generator shares an lcore"):
        batches_by_rate(rate_report([counted({1: (1, 1)}, 1000, shared=True)]))
    with pytest.raises(ModelInputError, match="no valid trial"):
        batches_by_rate(rate_report([counted({1: (1, 1)}, 1000, invalid="stolen")]))


def test_launches_are_summed_by_lcore() -> None:
    launches = [
        LcoreBatches(lcore=1, sizes={4: (1, 8)}),
        LcoreBatches(lcore=0, sizes={}),
        LcoreBatches(lcore=1, sizes={4: (2, 9), 5: (1, 1)}),
    ]
    assert [(one.lcore, one.sizes) for one in summed_by_lcore(launches)] == [
        (0, {}),
        (1, {4: (3, 17), 5: (1, 1)}),
    ]
