# SPDX-License-Identifier: Apache-2.0
"""Curves of sweeps made from known truth."""

from __future__ import annotations

import pytest
from nalm_core.rates.rate_report import LoadEvents
from nalm_core.rates.rate_result import RateVerdict, judge_rates
from nalm_core.rates.sweep import busy_point, compare_sweeps, sweep
from nalm_core.report.event_counts import EventCount
from nalm_core.report.run_report import Arm
from rate_synthetic import TSC_HZ, Truth, rate_report, trial
from sweep_synthetic import NDR, SEARCH, SHARES, at, report


def test_the_curve_and_its_knee() -> None:
    result = judge_rates(report())
    curve = result.sweep
    assert result.verdict is RateVerdict.MEASURED, result.reasons
    assert curve is not None and [one.share for one in curve.points] == list(SHARES)
    least, most = curve.points[0], curve.points[-1]
    assert (least.cpp, least.batch, least.forwarded_pps) == pytest.approx((1010, 1, 200_000), rel=1e-3)
    assert least.cur == pytest.approx(200_000 * 1010 / TSC_HZ, rel=1e-3)
    assert (most.batch, most.trials, most.of, most.loss_ratio) == (pytest.approx(2.25, rel=1e-3), 3, 3, 0)
    assert most.latency is not None and most.latency.p50_ns == pytest.approx(2250, rel=0.04)
    assert least.stages["rx"].cpp == pytest.approx(505, rel=1e-3)
    assert least.stages["nat"].batch == pytest.approx(1, rel=1e-3)
    assert (least.ipp, least.eipc) == (None, None)
    # a packet is alone while the gap is longer than 1,000 cycles
    assert curve.knee is not None and curve.knee.load == pytest.approx(1.02 * 2e6, rel=0.05)
    assert curve.knee.interval is not None and curve.knee.interval.low < 1.02 * 2e6 < (
        curve.knee.interval.high or 0
    )
    assert set(curve.stage_knees) == {"rx", "nat"}


def test_the_rate_at_a_cur_fulfils_eq_6_and_lies_between_two_loads() -> None:
    """Packets come alone while gaps are longer than a poll: the rate is that of CPP at one packet."""
    curve = sweep(report())
    assert curve is not None
    busy = busy_point(curve, 0.85)
    assert busy is not None
    assert busy.forwarded_pps == pytest.approx(TSC_HZ * 0.85 / busy.cpp, rel=0.01)
    assert busy.forwarded_pps == pytest.approx(TSC_HZ * 0.85 / 1010, rel=0.02)
    assert busy.between[0] < busy.forwarded_pps < busy.between[1]
    assert busy.batch < 1.1


def test_no_rate_at_a_cur_beyond_the_loads() -> None:
    trials = [at(share, launch, 900) for launch in range(3) for share in SHARES if share < 0.4]
    curve = sweep(rate_report(trials, [SEARCH], mode="sweep"))
    assert curve is not None and busy_point(curve, 0.85) is None


def test_events_belong_to_their_load() -> None:
    stages = {"gen": {"cycles": 7, "instructions": 7}, "rx": {"cycles": 500, "instructions": 1000}}
    count = EventCount(arm=Arm.HEAD, launch=0, packets=10, stages=stages)
    pps = round(NDR * 0.1)
    curve = sweep(report().model_copy(update={"load_events": [LoadEvents(pps=pps, count=count)]}))
    assert curve is not None
    (one,) = [point for point in curve.points if point.ipp is not None]
    assert (one.pps, one.ipp, one.eipc, one.stages["rx"].ipp) == (pps, 100, 2, 100)


def test_a_load_without_a_valid_trial_is_said() -> None:
    trials = [
        at(share, launch, 900, "late" if share == 0.4 else None) for launch in range(3) for share in SHARES
    ]
    result = judge_rates(rate_report(trials, [SEARCH], mode="sweep"))
    assert (result.verdict, result.reasons) == (
        RateVerdict.INCONCLUSIVE,
        ["sweep: no trial at 1600000 pps was valid"],
    )
    assert result.sweep is not None and result.sweep.points[4].cpp is None
    assert result.sweep.knee is not None and result.sweep.knee.load is not None


def test_without_ndr_there_is_no_curve() -> None:
    result = judge_rates(rate_report([trial(Truth())], mode="sweep"))
    assert result.sweep is None
    assert result.reasons == ["sweep: the loads are shares of NDR, which was not found"]


def test_a_cost_of_polls_changes_small_loads_and_the_knee() -> None:
    change = compare_sweeps(report(900), report(600))
    assert change is not None
    assert [one.pps for one in change.cpp] == [round(NDR * share) for share in SHARES]
    assert change.cpp[0].ratio == pytest.approx(700 / 1000, rel=1e-3)
    # where the gap decides, CPP is the gap of either build
    assert change.cpp[-1].ratio == pytest.approx(1, rel=1e-3)
    assert change.cpp[0].differs
    assert change.knee is not None and change.knee.ratio == pytest.approx(1000 / 700, rel=0.06)
    same = compare_sweeps(report(), report())
    assert same is not None and not any(one.differs for one in same.cpp + same.cur)
    assert compare_sweeps(report(), rate_report([trial(Truth())], mode="sweep")) is None
