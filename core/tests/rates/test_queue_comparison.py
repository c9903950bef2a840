# SPDX-License-Identifier: Apache-2.0
"""The queue model beside trials whose batches are known."""

import pytest
from nalm_core.models.quantity import ModelInputError
from nalm_core.models.queue.gaps import Arrivals, Gaps, mean_gap_of_rate
from nalm_core.models.queue.service import BatchTimes, linear_times
from nalm_core.models.queue.solution import solve
from nalm_core.rates.experiments.queue_comparison import Cell, compare_loads
from nalm_core.rates.rate_report import Trial
from nalm_core.report.batch_sizes import LcoreBatches
from rate_synthetic import STAGES, TSC_HZ, Truth, trial

CELL = Cell(queue=128, batch=32)
TICKS_PER_STEP = TSC_HZ / 1e8
TIMES = linear_times(CELL.batch, 60.0, 7.0)
POISSON = (Arrivals.POISSON, None)


def of_the_model(pps: int, times_scale: float = 1.0, invalid: str | None = None) -> Trial:
    """A trial whose batches are as the model predicts for batches that take so much longer."""
    return of_times(pps, linear_times(CELL.batch, 60.0 * times_scale, 7.0), TIMES, invalid)


def of_times(
    pps: int, real: BatchTimes, counted: BatchTimes | None = None, invalid: str | None = None
) -> Trial:
    """A trial whose batches are as the model predicts for real times; counted: what the probe counts."""
    predicted = solve(CELL.queue, Gaps(mean_gap_of_rate(pps)), real)
    sizes = {}
    for size, share in enumerate(predicted.batches):
        count = round(1e6 * share)
        if count:
            sizes[size] = (count, round(count * (counted or real).means[size] * TICKS_PER_STEP))
    made = trial(Truth(intended_pps=pps, sent=pps, share=0.5, shared_core=False), invalid)
    return made.model_copy(update={"batches": [LcoreBatches(lcore=0, sizes=sizes)]})


def test_batches_of_the_model_agree_with_it() -> None:
    rates = (2_000_000, 6_000_000, 10_000_000)
    found = compare_loads(CELL, [of_the_model(pps) for pps in rates], STAGES, TSC_HZ, POISSON)
    assert [one.pps for one in found] == list(rates)
    for one in found:
        assert one.near and one.close
        assert one.divergence < 1e-3
        assert one.predicted_batch == pytest.approx(one.measured_batch, abs=0.05)
        assert one.measured_batch >= 1, "polls without packets do not count"
        assert (one.measured_loss, one.measured_latency_us) == (0, None)


def test_other_batches_do_not() -> None:
    trials = [of_the_model(5_000_000, times_scale=3), of_the_model(6_000_000, invalid="stolen")]
    (found,) = compare_loads(CELL, trials, STAGES, TSC_HZ, POISSON)
    assert not found.near and not found.close
    assert found.predicted_batch < found.measured_batch


def test_trials_of_a_load_are_one_sample() -> None:
    trials = [of_the_model(6_000_000), of_the_model(6_000_000), of_the_model(6_000_000, invalid="stolen")]
    found, other = compare_loads(CELL, [*trials, of_the_model(9_000_000)], STAGES, TSC_HZ, POISSON)
    (alone,) = compare_loads(CELL, trials[:1], STAGES, TSC_HZ, POISSON)
    assert (found.trials, found.left_out) == (2, 1) and (other.trials, other.left_out) == (1, 0)
    assert found.measured_batch == pytest.approx(alone.measured_batch)
    assert found.pps == alone.pps == 6_000_000


def test_a_host_that_changes_its_speed_is_predicted_by_speed() -> None:
    """Half of a load's trials run 12 % slower, which makes its batches half as large again."""
    trials = [of_times(9_500_000, linear_times(CELL.batch, 60.0 * by, 7.0 * by)) for by in (1.0, 1.12)]
    (slow,) = compare_loads(CELL, trials[1:], STAGES, TSC_HZ, POISSON)
    (fast,) = compare_loads(CELL, trials[:1], STAGES, TSC_HZ, POISSON)
    assert slow.measured_batch > 1.4 * fast.measured_batch
    (found,) = compare_loads(CELL, trials, STAGES, TSC_HZ, POISSON)
    assert found.trials == 2
    assert found.divergence < 2e-3
    assert found.predicted_batch == pytest.approx(found.measured_batch, rel=0.01)


def test_one_size_does_not_determine_times() -> None:
    made = trial(Truth(shared_core=False)).model_copy(
        update={"batches": [LcoreBatches(lcore=0, sizes={32: (100, 1000)})]}
    )
    with pytest.raises(ModelInputError, match="expected at least 2"):
        compare_loads(CELL, [made], STAGES, TSC_HZ, POISSON)
