# SPDX-License-Identifier: Apache-2.0
"""The arithmetic of what a host can see, against the rule itself run on launches of known noise."""

from math import exp, log

import numpy as np
import pytest
from nalm_core.report.defaults import DEFAULT_SETTINGS, MIN_LAUNCHES
from nalm_core.report.run_report import Settings
from nalm_core.stats.estimate import RatioEstimate, estimate_ratio, middle_launches
from nalm_core.stats.resolution import POWER, LaunchNoise, resolutions, smallest_change, spread
from nalm_core.stats.sequential import look_schedule, spent_at

SD = 0.012


def found_share(settings: Settings, change: float, trials: int) -> float:
    """How often the looks' intervals leave a change of this size out of doubt."""
    rng = np.random.default_rng(7)
    schedule, found = look_schedule(settings), 0
    for _ in range(trials):
        base = np.exp(rng.normal(0, SD / 2**0.5, schedule[-1]))
        head = np.exp(rng.normal(log(1 + change), SD / 2**0.5, schedule[-1]))
        for look, launches in enumerate(schedule, start=1):
            old, new = list(base[:launches]), list(head[:launches])
            estimate = estimate_ratio(old, new, kept=middle_launches(old, new))
            if estimate is not None and estimate.interval(spent_at(settings.alpha, settings, look))[0] > 1:
                found += 1
                break
    return found / trials


@pytest.mark.parametrize("launches", [5, 18, 60])
def test_the_change_is_found_as_often_as_said(launches: int) -> None:
    change = smallest_change(SD, launches, DEFAULT_SETTINGS)
    assert change is not None
    looks = min(DEFAULT_SETTINGS.looks, launches)
    settings = DEFAULT_SETTINGS.model_copy(update={"max_launches": launches, "looks": looks})
    # A bound by one look, of untrimmed launches: trimming takes a little, the other looks give some.
    assert POWER - 0.05 <= found_share(settings, change, 800) <= 0.995
    assert found_share(settings, change / 2, 300) < 0.6


@pytest.mark.parametrize("launches", [6, 12, 24])
def test_launches_of_a_layout_find_as_much_as_said(launches: int) -> None:
    """Two launches of a layout. Of changes said to be found in 90 %, when these were counted as launches, 6
    found 27 %, 12 found 49 % and 24 found 73 %."""
    layout = SD
    change = smallest_change(2**0.5 * layout, launches, DEFAULT_SETTINGS, per_unit=2)
    assert change is not None
    planned = DEFAULT_SETTINGS.model_copy(update={"max_launches": launches, "looks": min(8, launches)})
    rng, found, trials = np.random.default_rng(8), 0, 800
    for _ in range(trials):
        head = np.exp(rng.normal(log(1 + change), layout, launches // 2))
        for look, done in enumerate(look_schedule(planned), start=1):
            units = done // 2
            if units < MIN_LAUNCHES:
                continue
            old, new = [1.0] * units, list(head[:units])
            estimate = estimate_ratio(old, new, kept=middle_launches(old, new))
            if estimate is not None and estimate.interval(spent_at(planned.alpha, planned, look))[0] > 1:
                found += 1
                break
    assert found / trials >= POWER - 0.05


def test_a_spread_is_the_one_its_launches_have() -> None:
    rng = np.random.default_rng(3)
    sds = []
    for _ in range(200):
        base, head = (list(np.exp(rng.normal(0, SD / 2**0.5, 30))) for _ in range(2))
        estimate = estimate_ratio(base, head, kept=middle_launches(base, head))
        assert estimate is not None
        found = spread(estimate, 2.0)
        assert found.ln_sd < found.ln_sd_high < 2 * found.ln_sd
        sds.append(found.ln_sd)
    assert np.mean(sds) == pytest.approx(SD, rel=0.08)


def test_more_time_sees_less_and_too_little_sees_nothing() -> None:
    found = resolutions(LaunchNoise(SD, SD, 0.0, 18, 4.0), DEFAULT_SETTINGS, (8.0, 60.0, 600.0))
    assert [one.launches for one in found] == [2, 15, 150]
    assert found[0].launches < MIN_LAUNCHES and found[0].change is None
    assert found[1].change is not None and found[2].change is not None
    assert 0 < found[2].change < found[1].change < 0.05


def test_a_host_too_noisy_to_see_a_doubling_says_so() -> None:
    assert smallest_change(5.0, 3, DEFAULT_SETTINGS) is None


def test_a_quiet_host_has_no_spread() -> None:
    quiet = spread(RatioEstimate(0.0, 0.0, 10, 9), 1.0)
    assert quiet.ln_sd == 0 and resolutions(quiet, DEFAULT_SETTINGS)[0].change == exp(0) - 1
