# SPDX-License-Identifier: Apache-2.0
"""Cells that end by their precision: prices that add up are not rejected, and intervals contain them."""

from __future__ import annotations

import numpy as np
import pytest
from nalm_core.experiments.constants import CELL_PILOT, LACK_OF_FIT
from nalm_core.experiments.fraction import resolution_iv
from nalm_core.experiments.precision import are_enough, cell_estimate, look
from nalm_core.report.defaults import DEFAULT_SETTINGS
from nalm_core.report.rounds import BareCpp, PairedLaunch
from nalm_core.report.units import CyclesPerPacket
from nalm_core.stats import least_squares
from nalm_core.stats.estimate import RatioEstimate
from nalm_core.stats.quantiles import t_quantile
from nalm_core.stats.sequential import look_schedule
from nalm_synthetic import Noise, changed, make_report
from tiers import by_night, size_of_tier

COSTS = np.array([-0.05, 0.1, 0.03, 0.02, 0.08, 0.04, 0.06, 0.01])
SCHEDULE = look_schedule(DEFAULT_SETTINGS)


def cell(rng: np.random.Generator, ratio: float, scatter: float) -> RatioEstimate:
    """A cell as it is when it ends. scatter: standard deviation of ln ratio between launches."""
    head = 300.0 * ratio * np.exp(rng.normal(0, scatter, SCHEDULE[-1]))
    units = [
        PairedLaunch(number, (), (), BareCpp(CyclesPerPacket(300.0), CyclesPerPacket(float(one))))
        for number, one in enumerate(head)
    ]
    ends = (n for n in SCHEDULE if n >= CELL_PILOT and are_enough(units[:n]))
    found = cell_estimate(units[: next(ends, SCHEDULE[-1])])
    assert found is not None
    return found


@pytest.mark.parametrize("scatter", [*by_night(0.006, 0.012), 0.016])
def test_prices_that_add_up_are_rejected_as_seldom_as_stated(scatter: float) -> None:
    """With cells that ended at the first look at which their error seemed small, and chi squared: 4 to 18 %,
    and intervals at 95 % contained 91 to 95 %."""
    rng, experiments, rejected, inside = np.random.default_rng(3), size_of_tier(150, 75), 0, []
    runs = np.array(resolution_iv(len(COSTS)), float)
    design = (runs - runs[0])[1:]
    for _ in range(experiments):
        found = [cell(rng, 1 + float(row @ COSTS), scatter) for row in design]
        fit = least_squares.fit(
            design,
            np.array([one.ratio - 1 for one in found]),
            np.array([one.ratio * one.standard_error for one in found]),
            np.array([one.degrees for one in found]),
            np.array([float(one.launches) for one in found]),
        )
        assert fit.lack_of_fit is not None
        rejected += fit.lack_of_fit < LACK_OF_FIT
        widened = np.diag(fit.covariance) * fit.excess
        reach = [t_quantile(one, 0.975) for one in fit.widened_degrees] * np.sqrt(widened)
        inside.extend(np.abs(fit.coefficients - COSTS) <= reach)
    assert rejected <= experiments * LACK_OF_FIT + 3 * (experiments * LACK_OF_FIT) ** 0.5
    assert np.mean(inside) > 0.93


def test_the_first_launches_decide_how_many_a_cell_has() -> None:
    quiet = make_report(changed(nat=160.0), launches=9, turns=3, noise=Noise(launch=0.001))
    assert look(quiet).outcome is None
    assert look(
        make_report(changed(nat=160.0), launches=CELL_PILOT, turns=3, noise=Noise(launch=0.001))
    ).outcome
    few = quiet.model_copy(update={"settings": quiet.settings.model_copy(update={"max_launches": 9})})
    assert look(few).outcome == "same", "at the last look all launches are the first ones"
