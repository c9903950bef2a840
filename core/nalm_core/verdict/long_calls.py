# SPDX-License-Identifier: Apache-2.0
"""The stages whose long calls explain a change of latency.

A stage is named if the time of its long calls moved as the latency did, by the test of the figures themselves
(Wilcoxon's signed ranks over launches), and it has a fair share of the waiting that all such stages added. A
packet that comes during a call waits for half of it on average, so calls count by the square of their length.
A stage with larger batches after a stall elsewhere has more calls that are just long enough: it adds little.
"""

from __future__ import annotations

from collections.abc import Sequence
from statistics import median

from nalm_core.report.defaults import CULPRIT_SHARE
from nalm_core.report.terms import Arm, Model, Name
from nalm_core.report.trials.long_calls import LongCalls
from nalm_core.stats.signed_rank import Differences
from nalm_core.text.percents import share_percent


class PayingStage(Model):
    """A stage that bears a fair share of a change."""

    name: Name
    share: float
    """Of the waiting that all such stages added, or saved."""
    reason: str


def long_call_stages(calls: LongCalls, arm: Arm, alpha: float, *, grew: bool) -> list[PayingStage]:
    """The stages whose long calls changed as the latency did, the one with most first.

    alpha: the error rate of all stages together. grew: the latency did.
    """
    old, new = calls.stages[Arm.BASE], calls.stages[arm]
    waits = calls.waits or calls.stages
    moved: dict[str, float] = {}
    for name in old.keys() & new.keys():
        found = _grown(old[name], new[name], grew=grew).location(alpha / len(old))
        if found.low > 0:
            waited = _grown(waits[Arm.BASE][name], waits[arm][name], grew=grew).estimate
            moved[name] = max(waited, 0.0)
    whole = sum(moved.values())
    if whole == 0:
        return []
    return [
        PayingStage(
            name=name,
            share=moved[name] / whole,
            reason=f"calls of at least {calls.at_least_us:,.1f} us take "
            f"{median(new[name]):,.0f} us of a second, {median(old[name]):,.0f} in base: "
            f"{share_percent(moved[name] / whole)} of the waiting",
        )
        for name in sorted(moved, key=lambda name: -moved[name])
        if moved[name] >= CULPRIT_SHARE * whole
    ]


def _grown(base: Sequence[float], head: Sequence[float], *, grew: bool) -> Differences:
    sign = 1 if grew else -1
    return Differences([sign * (new - old) for old, new in zip(base, head, strict=True)])
