# SPDX-License-Identifier: Apache-2.0
"""The procedure of Veitch et al.: loads, the worst direction, losses with and without a disturbed host."""

from __future__ import annotations

from typing import Any

import pytest
from nalm_core.rates.latency import Histogram, histogram
from nalm_core.rates.presets import Preset
from nalm_core.rates.rate_report import DIRECTIONS, Phase, Times, Trial
from nalm_core.rates.soak import SoakHeader, SoakPreset, soak_figures
from nalm_core.rates.vcpe import LOADS, VcpeLoad, VcpeReport, judge_vcpe
from rate_synthetic import (
    BUILD,
    HOST,
    RUN,
    SCENARIO,
    STAGES,
    STARTED,
    Truth,
    interval,
    soak_header,
    trial,
)

STOLEN = "an lcore lost 20.0 ms to other programs"


def times(*ns: float) -> Histogram:
    return histogram([(one, 1) for one in ns], sum_ns=sum(ns), min_ns=min(ns), max_ns=max(ns))


def both(outbound: tuple[float, ...], inbound: tuple[float, ...], **given: Any) -> Trial:
    invalid = given.pop("invalid", None)
    found = trial(Truth(phase=Phase.LATENCY, **given), invalid)
    directions = {
        name: Times(latency=times(*ns), jitter=times(*(one / 10 for one in ns)))
        for name, ns in zip(DIRECTIONS, (outbound, inbound), strict=True)
    }
    return found.model_copy(update={"directions": directions})


def report(*trials: Trial, failure: str | None = None) -> VcpeReport:
    load = VcpeLoad(frame="64", mbit=25, pps=48_828, stages=STAGES, trials=list(trials), failure=failure)
    return VcpeReport(
        run_id="0" * 32,
        nalm_version="0.1.0",
        project="demo",
        scenario=SCENARIO,
        host=HOST,
        started_at=STARTED,
        finished_at=STARTED,
        preset=Preset.VCPE,
        seconds=300,
        leave_out_s=20,
        build=BUILD,
        run=RUN,
        loads=[load],
    )


def test_loads_are_those_of_the_paper_by_frame_bits() -> None:
    assert {one.frame: one.pps for one in LOADS} == {
        "64": 48_828,
        "256": 12_207,
        "imix": 17_273,
        "1500": 8_333,
    }
    assert (Preset.VCPE.seconds, Preset.VCPE_LONG.seconds) == (300, 57_600)


def test_each_figure_is_of_the_worst_direction_over_all_trials() -> None:
    result = judge_vcpe(report(both((1000, 3000), (2000, 2200)), both((1000,), (15e6,))))
    (load,) = result.loads
    assert result.verdict == "measured" and result.reasons == []
    assert load.latency is not None and load.jitter is not None
    assert load.latency.min_ns == 2000
    assert load.latency.mean_ns == pytest.approx((2000 + 2200 + 15e6) / 3)
    assert load.latency.max_ns == 15e6 and load.budget_share == pytest.approx(0.1)
    assert load.jitter.max_ns == pytest.approx(1.5e6)


def test_a_soak_has_the_same_figures_and_only_with_a_preset() -> None:
    kept = [
        interval(number, Truth()).model_copy(update={"trial": both(*ns)})
        for number, ns in enumerate([((1000.0,), (2000.0,)), ((1000.0,), (3e6,))])
    ]
    assert soak_figures(soak_header(), kept) is None
    preset = SoakPreset(preset=Preset.VCPE, frame="256", mbit=25, leave_out_s=20)
    header = soak_header().model_copy(update={"preset": preset})
    found = soak_figures(header, kept)
    assert found is not None and found.latency is not None
    assert (found.frame, found.pps, found.trials) == ("256", 12_207, 2)
    assert found.latency.max_ns == 3e6 and found.budget_share == pytest.approx(0.02)
    assert SoakHeader.model_validate_json(header.model_dump_json(by_alias=True)) == header
    assert "preset" not in soak_header().model_dump(mode="json")


def test_a_disturbed_trial_counts_and_its_losses_decide_nothing() -> None:
    lossy = both((9000,), (1000,), no_port=7, invalid=STOLEN)
    result = judge_vcpe(report(both((1000,), (1000,)), lossy))
    (load,) = result.loads
    assert load.latency is not None and load.latency.max_ns == 9000
    assert (load.lost, load.disturbed, load.trials) == (7, 1, 2)
    assert result.verdict == "inconclusive" and STOLEN in result.reasons[0]


def test_a_loss_that_nothing_explains_is_the_nfs() -> None:
    disturbed = both((1000,), (1000,), no_port=5, invalid=STOLEN)
    result = judge_vcpe(report(both((1000,), (1000,), no_port=3), disturbed))
    assert result.verdict == "lossy"
    assert "8 of 2000000 packets lost" in result.reasons[0] and "3 of them" in result.reasons[0]


def test_what_is_missing_has_a_reason_and_is_not_zero() -> None:
    undirected = judge_vcpe(report(trial(Truth(phase=Phase.LATENCY))))
    (load,) = undirected.loads
    assert (load.latency, load.jitter, load.budget_share) == (None, None, None)
    assert undirected.verdict == "inconclusive" and "version 3 of nalm_traffic.h" in undirected.reasons[0]
    outside = trial(Truth(phase=Phase.LATENCY)).model_copy(update={"outside": True})
    assert "the generator outside measures no latency" in judge_vcpe(report(outside)).reasons[0]
    empty = histogram([], sum_ns=0, min_ns=0, max_ns=0)
    timed = {name: Times(latency=times(1000), jitter=empty) for name in DIRECTIONS}
    jitterless = judge_vcpe(report(outside.model_copy(update={"directions": timed})))
    (load,) = jitterless.loads
    assert jitterless.verdict == "measured" and load.latency is not None and load.jitter is None
    assert load.no_jitter == "the generator outside measures no jitter"
    failed = judge_vcpe(report(failure="the NF did not start"))
    assert failed.verdict == "inconclusive" and "the NF did not start" in failed.reasons[0]
    assert failed.loads[0].latency is None
