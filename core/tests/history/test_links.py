# SPDX-License-Identifier: Apache-2.0
"""Links of metrics that the verdict does not compare: over launches, or over their layouts."""

from __future__ import annotations

import numpy as np
import pytest
from nalm_core.history.links import CHAIN, LinkValue, links_of
from nalm_core.report.event_counts import EventCount
from nalm_core.report.own_metrics import OwnMetric
from nalm_core.report.run_report import Arm, RunReport
from nalm_synthetic import Noise, Side, make_report
from placed_runs import as_if_independent, spread_out

LAUNCHES = 36


def laid_out() -> RunReport:
    return spread_out(make_report(Side(code="b"), launches=LAUNCHES, turns=6, noise=Noise(launch=0.001)))


def link(report: RunReport, metric: str) -> LinkValue:
    (found,) = (one for one in links_of(report) if (one.stage, one.metric) == (CHAIN, metric))
    return found


def with_sessions(report: RunReport) -> RunReport:
    """A metric with one value in both launches of a layout."""
    rng = np.random.default_rng(3)
    values = {
        arm: [float(one) for one in np.repeat(np.exp(rng.normal(7, 0.01, LAUNCHES // 2)), 2)]
        for arm in (Arm.BASE, Arm.HEAD)
    }
    metric = OwnMetric(
        name="sessions",
        unit="1",
        better="higher",
        every="launch",
        exact=False,
        source="command",
        margin=0.05,
        values=values,
    )
    return report.model_copy(update={"own_metrics": [metric]})


def without_a_launch(report: RunReport) -> RunReport:
    """The rounds of one launch are not used; its metrics are."""
    rounds = [
        one.model_copy(update={"set_aside": "stolen"}) if one.launch == 4 else one for one in report.rounds
    ]
    return report.model_copy(update={"rounds": rounds})


def test_launches_of_one_layout_are_one() -> None:
    report = laid_out()
    whole, by_launch = link(report, "pps"), link(as_if_independent(report), "pps")
    assert whole.variance > 1.6 * by_launch.variance
    assert whole.ln_ratio == pytest.approx(by_launch.ln_ratio, abs=0.01)


@pytest.mark.parametrize("aside", [False, True])
def test_values_of_launches_are_of_their_layouts(aside: bool) -> None:
    report = with_sessions(laid_out())
    report = without_a_launch(report) if aside else report
    whole, by_launch = link(report, "sessions"), link(as_if_independent(report), "sessions")
    assert whole.variance > 1.6 * by_launch.variance


def test_launches_that_counted_events_have_the_builds_as_they_are() -> None:
    report = laid_out()
    counts = [
        EventCount(
            arm=arm, launch=launch, packets=1000, stages={"nat": {"l1d_replacements": 900 + 7 * launch}}
        )
        for arm in (Arm.BASE, Arm.HEAD)
        for launch in range(4)
    ]
    counted = report.model_copy(update={"event_counts": counts})
    name = "l1d_replacements_per_packet"
    assert link(counted, name) == link(as_if_independent(counted), name)
