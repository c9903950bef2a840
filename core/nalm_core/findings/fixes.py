# SPDX-License-Identifier: Apache-2.0
"""Which earlier regression an improvement undoes."""

from __future__ import annotations

from collections.abc import Sequence

from nalm_core.report.defaults import FIX_SHARE, MARGIN
from nalm_core.report.outcome import Outcome
from nalm_core.report.run_report import Model
from nalm_core.verdict.verdict import Verdict


class OpenRegression(Model):
    """A regression nobody has fixed yet, on one stage of one scenario."""

    commit: str
    scenario: str
    stage: str
    contribution_cycles: float
    """What the stage came to cost, in cycles per packet of the chain."""


def open_regressions(commit: str, verdict: Verdict) -> list[OpenRegression]:
    """What a regressed verdict leaves open; nothing for any other outcome."""
    if verdict.outcome != Outcome.REGRESSED:
        return []
    return [
        OpenRegression(
            commit=commit,
            scenario=verdict.scenario,
            stage=stage.stage,
            contribution_cycles=stage.contribution_cycles,
        )
        for stage in verdict.stages
        if stage.stage in verdict.culprit_stages and stage.contribution_cycles is not None
    ]


def restores(lost: float, regained: float) -> bool:
    """A level that came back by `regained`, after it had got worse by `lost`; both in the same unit."""
    return lost > 0 and regained >= FIX_SHARE * lost


def match_fix(regressions: Sequence[OpenRegression], verdict: Verdict) -> str | None:
    """The commit whose regression this improvement fixes, None if it fixes none.

    regressions: oldest first; of several that fit, the newest is taken. It fits if the same stage of the same
    scenario gets back at least FIX_SHARE of what it had lost.
    """
    if verdict.outcome != Outcome.IMPROVED:
        return None
    restored = {
        stage.stage: -stage.contribution_cycles
        for stage in verdict.stages
        if stage.stage in verdict.culprit_stages and stage.contribution_cycles is not None
    }
    fitting = [
        one.commit
        for one in regressions
        if one.scenario == verdict.scenario
        and restores(one.contribution_cycles, restored.get(one.stage, 0.0))
    ]
    return fitting[-1] if fitting else None


def left_open(regressions: Sequence[OpenRegression], fixed: str, verdict: Verdict) -> list[OpenRegression]:
    """The regressions after an improvement that fixes `fixed`: of that commit, what it did not restore.

    A rest that does not matter for the chain, by the default margin, is over.
    """
    restored = {stage.stage: -(stage.contribution_cycles or 0.0) for stage in verdict.stages}
    matters = MARGIN * verdict.chain.base.cpp if verdict.chain and verdict.chain.base else 0.0
    found = []
    for one in regressions:
        if one.commit != fixed:
            found.append(one)
            continue
        rest = one.contribution_cycles - restored.get(one.stage, 0.0)
        if rest > matters:
            found.append(one.model_copy(update={"contribution_cycles": rest}))
    return found
