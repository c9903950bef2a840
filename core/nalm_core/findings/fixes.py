# SPDX-License-Identifier: Apache-2.0
"""Finds the earlier regression that an improvement fixes."""

from __future__ import annotations

from collections.abc import Sequence
from math import exp, log, log1p

from nalm_core.findings.confirmation import Ratio
from nalm_core.report.defaults import FIX_SHARE, MARGIN
from nalm_core.report.outcome import Outcome
from nalm_core.report.run_report import Model
from nalm_core.report.trials.kinds import RunKind, split_name
from nalm_core.verdict.metric_change import MetricChange
from nalm_core.verdict.verdict import Verdict


class OpenRegression(Model):
    """A regression nobody has fixed yet, on one stage of one scenario."""

    commit: str
    scenario: str
    stage: str
    contribution_cycles: float
    """Increase of the stage's cost, in cycles per packet of the chain."""


def open_regressions(commit: str, verdict: Verdict) -> list[OpenRegression]:
    """Open regressions of a regressed verdict; empty for other outcomes. Of a run under load each figure
    stands for a stage, with the logarithm of its ratio."""
    if verdict.outcome != Outcome.REGRESSED:
        return []
    figures = [
        OpenRegression(
            commit=commit, scenario=verdict.scenario, stage=one.metric, contribution_cycles=worse_by(one)
        )
        for one in under_load(verdict)
        if one.fails and worse_by(one) > 0
    ]
    return figures + [
        OpenRegression(
            commit=commit,
            scenario=verdict.scenario,
            stage=stage.stage,
            contribution_cycles=stage.contribution_cycles,
        )
        for stage in verdict.stages
        if stage.stage in verdict.culprit_stages and stage.contribution_cycles is not None
    ]


def under_load(verdict: Verdict) -> list[MetricChange]:
    """The figures of a run under load; none for a run of cycles, whose chain is judged."""
    return verdict.metrics if split_name(verdict.scenario)[1] is not RunKind.CYCLES else []


def worse_by(change: MetricChange) -> float:
    """Logarithm of the ratio for the worse; negative for a better figure, 0 without a ratio."""
    if change.ratio is None or change.ratio <= 0:
        return 0.0
    return log(change.ratio) if change.better == "lower" else -log(change.ratio)


def worse_ratio(change: MetricChange) -> Ratio | float:
    """The figure's ratio, above 1 if it became worse, with its interval if known; 1 without a ratio."""
    ratio, low, high, level = change.ratio, change.low, change.high, change.level
    if ratio is None or ratio <= 0:
        return 1.0
    if low is None or high is None or level is None or not 0 < low <= high:
        return exp(worse_by(change))
    if change.better == "lower":
        return Ratio(ratio, low, high, level)
    return Ratio(1 / ratio, 1 / high, 1 / low, level)


def restores(lost: float, regained: float) -> bool:
    """True if `regained` is enough of `lost` for a fix; both in the same unit."""
    return lost > 0 and regained >= FIX_SHARE * lost


def match_fix(regressions: Sequence[OpenRegression], verdict: Verdict) -> str | None:
    """The commit whose regression this improvement fixes; None if it fixes none.

    regressions: oldest first; the newest match is taken. A regression matches if the same stage of the same
    scenario regains at least FIX_SHARE of its loss.
    """
    if verdict.outcome != Outcome.IMPROVED:
        return None
    restored = {
        stage.stage: -stage.contribution_cycles
        for stage in verdict.stages
        if stage.stage in verdict.culprit_stages and stage.contribution_cycles is not None
    }
    restored |= {one.metric: -worse_by(one) for one in under_load(verdict) if one.outcome == "improved"}
    fitting = [
        one.commit
        for one in regressions
        if one.scenario == verdict.scenario
        and restores(one.contribution_cycles, restored.get(one.stage, 0.0))
    ]
    return fitting[-1] if fitting else None


def left_open(regressions: Sequence[OpenRegression], fixed: str, verdict: Verdict) -> list[OpenRegression]:
    """The open regressions after an improvement that fixes `fixed`, with the unrestored rest of that commit.

    A rest below the chain's default margin is closed.
    """
    restored = {stage.stage: -(stage.contribution_cycles or 0.0) for stage in verdict.stages}
    restored |= {one.metric: -worse_by(one) for one in under_load(verdict)}
    margins = {one.metric: log1p(one.margin) for one in under_load(verdict)}
    matters = MARGIN * verdict.chain.base.cpp if verdict.chain and verdict.chain.base else 0.0
    found = []
    for one in regressions:
        if one.commit != fixed:
            found.append(one)
            continue
        rest = one.contribution_cycles - restored.get(one.stage, 0.0)
        if rest > margins.get(one.stage, matters):
            found.append(one.model_copy(update={"contribution_cycles": rest}))
    return found
