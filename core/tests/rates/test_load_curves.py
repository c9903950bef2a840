# SPDX-License-Identifier: Apache-2.0
"""The curves of a run's sweep as a page shows them, from known truth."""

from __future__ import annotations

from functools import cache

import pytest
from nalm_core.rates.load_curves import LoadCurves, curves_of
from nalm_core.report.event_counts import EventCount
from nalm_core.report.run_report import Arm, RunReport
from nalm_core.report.trials.trial import LoadEvents, Phase
from rate_runs import NDR, SHARES, rate_run, soak_run
from rate_synthetic import TSC_HZ, latency_of

LEAST = NDR * 2 * SHARES[0]


@cache
def swept() -> RunReport:
    """A poll of head costs half as much again: its packets are alone up to two thirds of base's load."""
    return rate_run(polls={Arm.BASE: 900.0, Arm.HEAD: 1350.0}, packets=200, launches=7)


def curves(report: RunReport) -> LoadCurves:
    found = curves_of(report)
    assert found is not None
    return found


def test_both_builds_have_a_point_at_each_load() -> None:
    for curve, poll in zip(curves(swept()).arms, (900, 1350), strict=True):
        assert [one.pps for one in curve.points] == [round(NDR * 2 * share) for share in SHARES]
        least, most = curve.points[0], curve.points[-1]
        assert least.cpp is not None and least.cur is not None and least.forwarded_pps is not None
        assert least.cpp.value == pytest.approx(1.01 * (poll + 100), rel=0.02)
        assert least.cur.value == pytest.approx(LEAST * least.cpp.value / TSC_HZ, rel=0.02)
        assert least.forwarded_pps.value == pytest.approx(LEAST, rel=1e-3)
        assert most.cpp is not None and most.cpp.value < 0.7 * least.cpp.value
        assert (least.trials, least.of, least.share) == (7, 7, SHARES[0])
        rx, nat = least.stages["rx"], least.stages["nat"]
        assert rx.cpp is not None and nat.cpp is not None and nat.batch is not None
        assert rx.cpp.value + nat.cpp.value == pytest.approx(least.cpp.value, rel=0.01)
        assert nat.batch.value == pytest.approx(1, rel=1e-3)


def test_the_spread_is_that_of_the_launches() -> None:
    """Launches scatter by a per cent of the poll, and every third one by a per cent of CPP more."""
    for one in curves(swept()).arms[0].points:
        assert one.cpp is not None and one.cpp.low is not None and one.cpp.high is not None
        assert one.cpp.low < one.cpp.value < one.cpp.high
        assert 0.005 < one.cpp.high / one.cpp.low - 1 < 0.06
    few = rate_run(polls={Arm.BASE: 900.0, Arm.HEAD: 900.0}, packets=200, launches=2)
    one = curves(few).arms[0].points[0]
    assert one.cpp is not None and (one.cpp.low, one.cpp.high) == (None, None)


def test_the_knees_and_how_far_the_knee_moved() -> None:
    """A packet is alone while the gap is longer than a poll and its own cycles."""
    found = curves(swept())
    for curve, poll in zip(found.arms, (900, 1350), strict=True):
        assert curve.knee is not None and curve.knee.reason is None
        assert curve.knee.low is not None and curve.knee.high is not None
        assert curve.knee.low < 1.02 * TSC_HZ / (poll + 100) < curve.knee.high
        assert set(curve.stage_knees) == {"rx", "nat"}
    assert found.knee is not None and found.knee.low is not None and found.knee.high is not None
    assert found.knee.low < 1000 / 1450 < found.knee.high < 1


def test_the_change_at_each_load_has_an_interval() -> None:
    found = curves(swept())
    least = found.cpp[0]
    assert least.low is not None and least.high is not None
    assert least.low < 1450 / 1000 < least.high
    assert [one.pps for one in found.cpp] == [one.pps for one in found.arms[0].points]


def test_what_was_not_counted_is_missing() -> None:
    """A report from before histograms of a sweep were kept, from a host without a PMU."""
    for one in curves(swept()).arms[0].points:
        assert (one.latency_p50_ns, one.latency_p99_ns, one.ipp, one.eipc) == (None, None, None, None)
        assert {stage.ipp for stage in one.stages.values()} == {None}


def test_events_are_those_of_a_launch_of_their_own() -> None:
    report = swept()
    assert report.rates is not None
    pps = round(NDR * 2 * SHARES[0])
    stages = {"rx": {"cycles": 500, "instructions": 1000}, "nat": {"cycles": 500, "instructions": 500}}
    counted = LoadEvents(pps=pps, count=EventCount(arm=Arm.HEAD, launch=0, packets=10, stages=stages))
    run = report.rates.model_copy(update={"load_events": {Arm.HEAD: [counted]}})
    base, head = curves(report.model_copy(update={"rates": run})).arms
    assert {one.ipp for one in base.points} == {None} and {one.ipp for one in head.points[1:]} == {None}
    one = head.points[0]
    assert one.ipp is not None and (one.ipp.value, one.ipp.low) == (150, None)
    assert one.eipc is not None and one.eipc.value == 1.5
    nat = one.stages["nat"]
    assert nat.ipp is not None and nat.eipc is not None and (nat.ipp.value, nat.eipc.value) == (50, 1)


def test_latency_is_that_of_each_launch() -> None:
    report = swept()
    assert report.rates is not None
    trials = [
        one.model_copy(
            update={
                "trial": one.trial.model_copy(update={"latency": latency_of(1000.0 * (one.trial.launch + 1))})
            }
        )
        for one in report.rates.trials
        if one.trial.phase is Phase.SWEEP
    ]
    run = report.rates.model_copy(update={"trials": trials})
    one = curves(report.model_copy(update={"rates": run})).arms[0].points[0]
    assert one.latency_p50_ns is not None and one.latency_p50_ns.value == pytest.approx(4000, rel=0.04)
    assert one.latency_p50_ns.low == pytest.approx(2500, rel=0.04)


def test_a_load_without_a_valid_trial_has_no_figure() -> None:
    report = rate_run(
        polls={Arm.BASE: 900.0, Arm.HEAD: 900.0},
        packets=200,
        launches=3,
        invalid=lambda arm, phase, launch: "late" if phase is Phase.SWEEP and arm is Arm.HEAD else None,
    )
    base, head = curves(report).arms
    assert base.knee is not None and head.knee is None
    one = head.points[0]
    assert (one.cpp, one.loss_ratio, one.trials, one.of) == (None, None, 0, 3)
    assert curves(report).knee is None and curves(report).cpp == []


def test_without_a_sweep_there_is_no_curve() -> None:
    assert curves_of(rate_run(packets=200, launches=3)) is None
    assert curves_of(soak_run(intervals=20)) is None
