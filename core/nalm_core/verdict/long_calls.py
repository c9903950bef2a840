# SPDX-License-Identifier: Apache-2.0
"""The stages whose long calls explain a change of latency.

A stage is named if the time of its long calls moved as the latency did, by the test of the figures themselves
(Wilcoxon's signed ranks over launches), and it has a fair share of what all such stages moved by.
"""

from __future__ import annotations

from statistics import median
from typing import TYPE_CHECKING

from nalm_core.report.defaults import CULPRIT_SHARE
from nalm_core.report.run_report import Arm
from nalm_core.report.trials.long_calls import LongCalls
from nalm_core.stats.signed_rank import Differences
from nalm_core.text.percents import share_percent

if TYPE_CHECKING:
    from nalm_core.verdict.metric_change import MetricChange


def long_call_stages(chain: MetricChange, calls: LongCalls, arm: Arm, alpha: float) -> list[MetricChange]:
    """A row for each stage, the one with most first. They explain the change, and have no value of their own.

    chain: a latency that regressed or improved. alpha: the error rate of all stages together.
    """
    grew = (chain.outcome == "regressed") == (chain.better == "lower")
    old, new = calls.stages[Arm.BASE], calls.stages[arm]
    moved: dict[str, float] = {}
    for name in old.keys() & new.keys():
        differences = [head - base for base, head in zip(old[name], new[name], strict=True)]
        found = Differences(differences if grew else [-one for one in differences]).location(alpha / len(old))
        if found.low > 0:
            moved[name] = found.estimate
    whole = sum(moved.values())
    return [
        chain.model_copy(
            update={
                "stage": name,
                "base": None,
                "head": None,
                "ratio": None,
                "low": None,
                "high": None,
                "level": None,
                "reason": f"calls of at least {calls.at_least_us:,.1f} us take "
                f"{median(new[name]):,.0f} us of a second, {median(old[name]):,.0f} in base: "
                f"{share_percent(moved[name] / whole)} of the change",
            }
        )
        for name in sorted(moved, key=lambda name: -moved[name])
        if moved[name] >= CULPRIT_SHARE * whole
    ]
