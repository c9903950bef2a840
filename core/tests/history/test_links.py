# SPDX-License-Identifier: Apache-2.0
"""Links of metrics that the verdict does not compare: over launches, or over their layouts."""

from __future__ import annotations

import numpy as np
import pytest
from nalm_core.history.links import CHAIN, LinkValue, _compared, links_of
from nalm_core.report.event_counts import EventCount
from nalm_core.report.history_figure import over_launches
from nalm_core.report.own_metrics import OwnMetric
from nalm_core.report.run_report import Arm, RunReport
from nalm_core.report.summary import Summaries
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


def with_latencies(report: RunReport, width: float) -> RunReport:
    """A metric of 100 in base and 200 in head, in bins of this width."""
    values = {Arm.BASE: [100.0] * LAUNCHES, Arm.HEAD: [200.0] * LAUNCHES}
    begins = {arm: [one - width for one in each] for arm, each in values.items()}
    known = with_sessions(report).own_metrics[0]
    metric = known.model_copy(update={"name": "latency", "values": values, "begins": begins})
    return report.model_copy(update={"own_metrics": [metric]})


def test_values_that_are_known_to_a_bin_have_the_error_of_the_bins() -> None:
    report = laid_out()
    found = link(with_latencies(report, 10), "latency")
    assert found.ln_ratio == pytest.approx(np.log(2))
    assert found.variance == pytest.approx(np.log(100 / 90) ** 2 + np.log(200 / 190) ** 2)
    first_bin = links_of(with_latencies(report, 100))
    assert not [one for one in first_bin if one.metric == "latency"]


@pytest.mark.parametrize("launches", [3, 6])
def test_links_of_few_launches_hold_the_truth_as_often_as_their_errors_say(launches: int) -> None:
    """By the plain standard error 81 % of bands at 95 % did with 3 launches, and 89 % with 6."""
    rng = np.random.default_rng(4)
    report, runs = make_report(Side(code="b"), launches=launches, turns=3), 300
    arm, hits = Summaries(report).of(Arm.HEAD), 0
    for _ in range(runs):
        sides = [over_launches(list(np.exp(rng.normal(7, 0.02, launches))), "command") for _ in range(2)]
        found = _compared(report, *sides, arm, arm)
        assert found is not None
        hits += abs(found[0]) < 1.96 * np.sqrt(found[1])
    assert hits / runs > 0.93


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
