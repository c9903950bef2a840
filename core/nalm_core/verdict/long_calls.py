# SPDX-License-Identifier: Apache-2.0
"""The stages whose long calls explain a change of latency.

A stage is named if the time of its long calls moved as the latency did, by the test of the figures themselves
(Wilcoxon's signed ranks over launches), and it has a fair share of what all such stages moved by.
"""

from __future__ import annotations

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
    """Of what all such stages changed by."""
    reason: str


def long_call_stages(calls: LongCalls, arm: Arm, alpha: float, *, grew: bool) -> list[PayingStage]:
    """The stages whose long calls changed as the latency did, the one with most first.

    alpha: the error rate of all stages together. grew: the latency did.
    """
    old, new = calls.stages[Arm.BASE], calls.stages[arm]
    moved: dict[str, float] = {}
    for name in old.keys() & new.keys():
        differences = [head - base for base, head in zip(old[name], new[name], strict=True)]
        found = Differences(differences if grew else [-one for one in differences]).location(alpha / len(old))
        if found.low > 0:
            moved[name] = found.estimate
    whole = sum(moved.values())
    return [
        PayingStage(
            name=name,
            share=moved[name] / whole,
            reason=f"calls of at least {calls.at_least_us:,.1f} us take "
            f"{median(new[name]):,.0f} us of a second, {median(old[name]):,.0f} in base: "
            f"{share_percent(moved[name] / whole)} of the change",
        )
        for name in sorted(moved, key=lambda name: -moved[name])
        if moved[name] >= CULPRIT_SHARE * whole
    ]
