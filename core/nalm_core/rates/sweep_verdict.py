# SPDX-License-Identifier: Apache-2.0
"""The verdict on the sweeps of two builds: cycles per packet at each load, and the knee.

A change is shown if its interval excludes 1 and its estimate is beyond the margin; its absence, if the
interval is within the margin. The intervals of the loads hold for all of them together (sweep.py).
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from nalm_core.rates.rate_change import WORSE_IF_GROWN
from nalm_core.rates.rate_report import RateReport, SweepMargins, SweepVerdict
from nalm_core.rates.rate_result import RateVerdict, judge_rates
from nalm_core.rates.sweep import Sweep, SweepChange, compare_sweeps
from nalm_core.report.outcome import WORST_FIRST, Outcome
from nalm_core.text.amounts import pps_text
from nalm_core.text.percents import change_percent, margin_percent
from nalm_core.verdict.rank_change import Decision

_Judged = tuple[Outcome, str]
"""What a figure's change is, and the reason."""


def judge_sweeps(base: RateReport, head: RateReport, margins: SweepMargins) -> SweepVerdict:
    """The worst of the changes of cycles at each load and of the knee; `inconclusive` if something could not
    be measured and nothing regressed; `broken` or `invalid` if nothing could."""
    results = {"base": judge_rates(base), "head": judge_rates(head)}
    failed = [
        f"{name}: {reason}"
        for name, one in results.items()
        if one.verdict in (RateVerdict.BROKEN, RateVerdict.INVALID)
        for reason in one.reasons
    ]
    if failed:
        broken = results["head"].verdict is RateVerdict.BROKEN
        outcome = Outcome.BROKEN if broken else Outcome.INVALID
        return SweepVerdict(outcome=outcome, reasons=failed, margins=margins)
    judged = [
        (Outcome.INCONCLUSIVE, f"{name}: {reason}") for name, one in results.items() for reason in one.reasons
    ]
    curves = [one.sweep for one in results.values()]
    change = compare_sweeps(base, head, curves)
    if change is not None:
        judged += _cycles(change, margins.load_cpp)
        judged += _knee_move(curves, change, margins.knee_pps)
    worst = min((outcome for outcome, _ in judged), key=WORST_FIRST.index)
    reasons = [reason for outcome, reason in judged if outcome is worst and outcome is not Outcome.SAME]
    return SweepVerdict(outcome=worst, reasons=reasons, margins=margins)


def _cycles(change: SweepChange, margin: float) -> Iterator[_Judged]:
    """One for each load. With no load in both curves, nothing is decided."""
    if not change.cpp:
        yield Outcome.INCONCLUSIVE, "no load has valid trials of both builds in the same launch"
    for one in change.cpp:
        decision = _decided(one.ratio, one.low, one.high, margin)
        reason = f"CPP {change_percent(one.ratio - 1)} at {pps_text(one.pps)}"
        if decision == "undecided":
            reason += f": neither a change of {margin_percent(margin)} nor its absence is shown"
        yield WORSE_IF_GROWN[decision], reason


def _knee_move(curves: Sequence[Sweep | None], change: SweepChange, margin: float) -> Iterator[_Judged]:
    """None if neither build has a knee: there is nothing that could have moved. curves: base's and head's."""
    moved = change.knee
    if moved is None:
        without = [name for name, curve in zip(("base", "head"), curves, strict=True) if not _has_knee(curve)]
        if len(without) == 1:
            yield Outcome.INCONCLUSIVE, f"{without[0]} has no knee, so its move has no size"
        return
    decision = _decided(moved.ratio, moved.low, moved.high, margin)
    if decision == "undecided":
        said = f"neither a move of {margin_percent(margin)} nor its absence is shown"
        yield Outcome.INCONCLUSIVE, f"knee: {said}"
        return
    opposite: dict[Decision, Decision] = {"grew": "fell", "fell": "grew", "same": "same"}
    size = change_percent(moved.ratio - 1)
    yield WORSE_IF_GROWN[opposite[decision]], f"the knee moved by {size} of the load"


def _has_knee(curve: Sweep | None) -> bool:
    return curve is not None and curve.knee is not None and curve.knee.load is not None


def _decided(ratio: float, low: float | None, high: float | None, margin: float) -> Decision:
    """By the interval of a ratio; an open end is infinite."""
    if low is not None and low > 1 and ratio >= 1 + margin:
        return "grew"
    if high is not None and high < 1 and ratio <= 1 / (1 + margin):
        return "fell"
    if low is not None and high is not None and 1 / (1 + margin) < low and high < 1 + margin:
        return "same"
    return "undecided"
