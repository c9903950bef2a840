# SPDX-License-Identifier: Apache-2.0
"""Soaks of known truth: steady, drifting, leaking, too short, resumed."""

from math import inf

import numpy as np
import pytest
from nalm_core.rates.comparison_report import ComparisonSettings
from nalm_core.rates.defaults import SOAK_MIN_INTERVALS
from nalm_core.rates.latency import Histogram
from nalm_core.rates.rate_report import RateSettings
from nalm_core.rates.soak import SoakInterval, SoakOutcome, SoakSettings, judge_soak, settled
from nalm_core.report.offered_load import LoadShape
from pydantic import ValidationError
from rate_synthetic import Truth, interval, latency_of, soak_header

NUMBER = 120
rng = np.random.default_rng(7)
NOISE = rng.normal(0, 0.003, NUMBER)


def truth(number: int, *, drift: float = 0.0, level: float = 500.0, tail: float = 0.0) -> Truth:
    """Cycles and tail grow by these shares over the soak."""
    grown = number / NUMBER
    wait: Histogram = latency_of(5000 * (1 + tail * grown))
    return Truth(cycles_per_packet=level * (1 + drift * grown + NOISE[number % NUMBER]), latency=wait)


def soak(**changes: float) -> list[SoakInterval]:
    return [interval(number, truth(number, **changes)) for number in range(NUMBER)]


def test_steady() -> None:
    verdict = judge_soak(soak_header(), soak())
    assert (verdict.outcome, verdict.intervals, verdict.hours) == (SoakOutcome.STEADY, NUMBER, NUMBER / 360)
    assert verdict.loss_ratio == 0
    assert {one.name for one in verdict.trends} == {"cpp", "pps", "latency_p99_9", "memory"}


@pytest.mark.parametrize(("drift", "sign"), [(0.06, 1), (-0.06, -1)])
def test_cycles_drift_either_way(drift: float, sign: int) -> None:
    verdict = judge_soak(soak_header(), soak(drift=drift))
    assert verdict.outcome is SoakOutcome.DRIFTING
    (cpp,) = (one for one in verdict.trends if one.name == "cpp")
    assert cpp.change == pytest.approx(30 * sign, rel=0.1)
    assert cpp.low < cpp.change < cpp.high


def test_a_drift_below_the_limit_is_steady() -> None:
    assert judge_soak(soak_header(), soak(drift=0.008)).outcome is SoakOutcome.STEADY


def test_the_tail_grows() -> None:
    verdict = judge_soak(soak_header(), soak(tail=1.0))
    assert verdict.outcome is SoakOutcome.DRIFTING
    assert verdict.reasons[0].startswith("latency_p99_9 +")


@pytest.mark.parametrize(("tail", "outcome"), [(0.0, SoakOutcome.INCONCLUSIVE), (5.0, SoakOutcome.DRIFTING)])
def test_bins_of_the_latency_hide_a_drift(tail: float, outcome: SoakOutcome) -> None:
    """A generator that counts in bins of 10 us cannot tell 6 us from 9 us."""
    wide = [(end - 10_000.0, end) for end in np.arange(10_000.0, 50_000.0, 10_000.0).tolist()]

    def binned(number: int) -> SoakInterval:
        exact = 9_000 * (1 + tail * number / NUMBER)
        end = next(end for _, end in wide if exact <= end or end == wide[-1][1])
        return interval(number, Truth(latency=latency_of(end).model_copy(update={"bins": wide})))

    verdict = judge_soak(soak_header(), [binned(number) for number in range(NUMBER)])
    assert verdict.outcome is outcome
    assert verdict.reasons[0].startswith("latency_p99_9")
    assert ("its bins of 1e+04 ns hide a change" in verdict.reasons[0]) is (tail == 0.0)


def test_memory_and_buffers_leak() -> None:
    memory = [interval(n, truth(n), memory=(1 << 27) + n * 65_536) for n in range(NUMBER)]
    assert judge_soak(soak_header(), memory).outcome is SoakOutcome.LEAKING
    buffers = [interval(n, truth(n), buffers=64 + n) for n in range(NUMBER)]
    verdict = judge_soak(soak_header(), buffers)
    assert verdict.outcome is SoakOutcome.LEAKING
    assert "buffers_in_use" in verdict.reasons[0]


@pytest.mark.parametrize(
    ("changed", "margins", "outcome"),
    [
        (soak(drift=0.06), {"cpp_drift": 0.1, "pps_drift": 0.1}, SoakOutcome.STEADY),
        (soak(drift=0.008), {"cpp_drift": 0.004}, SoakOutcome.DRIFTING),
        (soak(tail=1.0), {"latency_p99_9_drift": 3.0}, SoakOutcome.STEADY),
        (
            [interval(n, truth(n), memory=(1 << 27) + n * 65_536) for n in range(NUMBER)],
            {"memory_growth": 1 << 30},
            SoakOutcome.STEADY,
        ),
        (
            [interval(n, truth(n), buffers=64 + n // 10) for n in range(NUMBER)],
            {"buffers_growth": 5},
            SoakOutcome.LEAKING,
        ),
    ],
    ids=["CPP, wide", "CPP, narrow", "tail", "memory", "buffers"],
)
def test_thresholds_of_the_soak_take_the_place_of_its_limits(
    changed: list[SoakInterval], margins: dict[str, float], outcome: SoakOutcome
) -> None:
    header = soak_header()
    settings = header.settings.model_copy(update={"margins": margins})
    assert judge_soak(header, changed).outcome is not outcome
    verdict = judge_soak(header.model_copy(update={"settings": settings}), changed)
    assert verdict.outcome is outcome, verdict.reasons


def test_memory_that_settles_at_the_begin_is_no_leak() -> None:
    grown = [interval(n, truth(n), memory=(1 << 27) + min(n, 5) * 4_194_304) for n in range(NUMBER)]
    assert judge_soak(soak_header(), grown).outcome is SoakOutcome.STEADY


def test_outliers_move_nothing() -> None:
    spiked = [interval(n, truth(n, level=500 if n % 5 else 700 + n)) for n in range(NUMBER)]
    (cpp,) = (one for one in judge_soak(soak_header(), spiked).trends if one.name == "cpp")
    assert abs(cpp.change) < 10


def test_too_few_intervals_decide_nothing() -> None:
    few = [interval(n, truth(n)) for n in range(SOAK_MIN_INTERVALS)]
    verdict = judge_soak(soak_header(), few)
    assert verdict.outcome is SoakOutcome.INCONCLUSIVE
    assert "usable intervals" in verdict.reasons[0]


def _not_sent(number: int) -> str:
    return f"{9000 + number} packets were not sent in time while the NF waited for packets 80 % of its time"


def test_intervals_that_cannot_be_used_say_why_and_what_helps() -> None:
    late = [interval(n, truth(n), invalid=_not_sent(n)) for n in range(40)]
    lost = [interval(n, truth(n), invalid=f"an lcore lost {n} ms to other programs") for n in range(40, 60)]
    verdict = judge_soak(soak_header(), late + lost)
    assert verdict.outcome is SoakOutcome.INCONCLUSIVE
    few, why = verdict.reasons
    assert few == "0 usable intervals; 12 are needed"
    used = [one for one in settled(late + lost) if one.number < 40]
    assert why.startswith(f"{len(used)} intervals are invalid, such as: {_not_sent(used[0].number)}. ")
    assert "lower --pps or --share" in why and "an lcore of its own" in why
    assert "quieter host" in judge_soak(soak_header(), lost).reasons[1]
    other = [interval(n, truth(n), invalid=f"the generator reports {n} packets sent") for n in range(60)]
    assert "nalm doctor --generator" in judge_soak(soak_header(), other).reasons[1]


def test_a_soak_that_is_too_short_says_so() -> None:
    few = [interval(n, truth(n)) for n in range(SOAK_MIN_INTERVALS)]
    (reason,) = judge_soak(soak_header(), few).reasons
    assert reason.endswith("12 are needed: soak for longer (--hours), or take shorter intervals (--interval)")


def test_noise_wider_than_the_limit_decides_nothing() -> None:
    wide = [interval(n, truth(n, level=float(v))) for n, v in enumerate(rng.normal(500, 100, 30))]
    assert judge_soak(soak_header(), wide).outcome is SoakOutcome.INCONCLUSIVE


def test_disturbed_intervals_are_in_no_speed() -> None:
    mixed = [
        interval(n, truth(n, level=500 if n % 3 else 900), invalid=None if n % 3 else "stolen")
        for n in range(NUMBER)
    ]
    verdict = judge_soak(soak_header(), mixed)
    assert verdict.outcome is SoakOutcome.STEADY
    assert verdict.used < verdict.intervals


def test_each_launch_has_a_level_of_its_own() -> None:
    half = NUMBER // 2
    resumed = [interval(n, truth(n), launch=0) for n in range(half)]
    resumed += [interval(n, truth(n, level=550), launch=1, at=n - half) for n in range(half, NUMBER)]
    verdict = judge_soak(soak_header(), resumed)
    assert verdict.outcome is SoakOutcome.STEADY
    assert verdict.hours == NUMBER / 360


def test_every_launch_settles_first() -> None:
    long = settled([interval(n, Truth()) for n in range(100)])
    assert long[0].launch_s == 70
    short = settled([interval(n, Truth()) for n in range(5)])
    assert [one.number for one in short] == [1, 2, 3, 4]


@pytest.mark.parametrize(
    ("kind", "settings"),
    [
        (SoakSettings, {"pps": 1000, "hours": inf}),
        (RateSettings, {"trial_s": inf}),
        (ComparisonSettings, {"leave_out_s": inf}),
    ],
)
def test_settings_that_no_document_can_have(kind: type[LoadShape], settings: dict[str, float]) -> None:
    with pytest.raises(ValidationError, match="finite"):
        kind.model_validate(settings)


def test_packets_that_vanish_make_it_invalid() -> None:
    gone = [interval(n, Truth(vanished=5000)) for n in range(NUMBER)]
    assert judge_soak(soak_header(), gone).outcome is SoakOutcome.INVALID
