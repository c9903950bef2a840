# SPDX-License-Identifier: Apache-2.0
"""Rate reports as points of a speedup curve."""

import pytest
from nalm_core.models.quantity import ModelInputError
from nalm_core.rates.experiments.speedup_points import throughput
from nalm_core.rates.rate_report import Phase
from rate_synthetic import Truth, rate_report, trial


def full_load(sent: int, launch: int, *, shared: bool = False) -> Truth:
    return Truth(None, sent=sent, phase=Phase.MRR, launch=launch, shared_core=shared)


def test_a_launch_has_the_median_of_its_valid_trials() -> None:
    sent = [(900_000, 0), (1_000_000, 0), (1_300_000, 0), (2_000_000, 1)]
    trials = [trial(full_load(count, launch)) for count, launch in sent]
    trials.append(trial(full_load(9_000_000, 1), invalid="the host was busy"))
    found = throughput(rate_report(trials))
    assert found.lcores == 1 and found.rates == pytest.approx((1e6, 2e6))


def test_reports_without_a_rate_of_the_nf_alone_are_refused() -> None:
    with pytest.raises(ModelInputError, match="no trial at full load"):
        throughput(rate_report([trial(Truth())]))
    with pytest.raises(ModelInputError, match="shares an lcore"):
        throughput(rate_report([trial(full_load(1_000_000, 0, shared=True))]))
