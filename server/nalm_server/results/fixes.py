# SPDX-License-Identifier: Apache-2.0
"""Matches improvements with the regressions they undo, along the first parent, in any order of arrival.

Pull requests and bisections are left out. An expected regression is not matched. What remains of a
regression after an improvement stays open for the next one."""

from __future__ import annotations

from collections import defaultdict

from nalm_core.findings.confirmation import Ratio
from nalm_core.findings.fixes import (
    OpenRegression,
    left_open,
    match_fix,
    open_regressions,
    under_load,
    worse_by,
    worse_ratio,
)
from nalm_core.findings.recovery import computed
from nalm_core.verdict.metric_change import MetricChange
from nalm_core.verdict.verdict import Verdict
from sqlalchemy.orm import Session

from nalm_server.results import ports, repository, summary
from nalm_server.results.models import VerdictRow
from nalm_server.results.repository import Move


def refresh(session: Session, scenario_id: int) -> None:
    """Matches all of the scenario's regressions and improvements again."""
    expected = ports.expected_commits.call(session, scenario_id)
    still_open: list[OpenRegression] = []
    culprits: dict[str, tuple[Move, Verdict]] = {}
    undone: dict[str, list[tuple[str, Ratio | float]]] = defaultdict(list)
    fixing: set[int] = set()
    moved = repository.moved(session, scenario_id)
    for row in repository.fixes_besides(session, scenario_id, [one.run.id for one in moved]):
        row.fixes_sha = row.recovery = None
    for move in moved:
        run, row = move.run, move.verdict
        verdict = Verdict.model_validate(row.document)
        before = [one for one in still_open if culprits[one.commit][0].place <= move.after]
        # A second run of a commit takes nothing back again; no run fixes a regression within its range.
        fixed = match_fix(before, verdict) if run.commit_id not in fixing else None
        if fixed is not None:
            fixing.add(run.commit_id)
            still_open = left_open(still_open, fixed, verdict)
            undone[fixed].append((run.head_sha, ratio_of(verdict, worst_figure(culprits[fixed][1]))))
        if row.fixes_sha != fixed:
            row.fixes_sha, row.recovery = fixed, None
        _recover(session, row, culprits, undone)
        if run.commit_id not in expected and run.commit_id not in fixing:
            still_open = _opened(still_open, culprits, move, verdict)
    session.flush()


def _opened(
    still_open: list[OpenRegression],
    culprits: dict[str, tuple[Move, Verdict]],
    move: Move,
    verdict: Verdict,
) -> list[OpenRegression]:
    """With the run's regressions, except of stages with an open one within its range. A newer run replaces
    those of its pair."""
    head = move.run.head_sha
    if head in culprits and culprits[head][0].after == move.after:
        still_open = [one for one in still_open if one.commit != head]
        del culprits[head]
    within = {one.stage for one in still_open if culprits[one.commit][0].place > move.after}
    new = [one for one in open_regressions(head, verdict) if one.stage not in within]
    if new:
        culprits.setdefault(head, (move, verdict))
    return still_open + new


def worst_figure(verdict: Verdict) -> MetricChange | None:
    """The figure of a run under load that regressed most; None for a run of cycles."""
    return max(under_load(verdict), key=worse_by, default=None)


def ratio_of(verdict: Verdict, figure: MetricChange | None) -> Ratio | float:
    """The chain's ratio, with its interval if there is one, or that of a figure of a run under load, above 1
    if it became worse; 1 for a verdict without it."""
    if figure is not None:
        same = next((one for one in under_load(verdict) if one.metric == figure.metric), None)
        return 1.0 if same is None else worse_ratio(same)
    size = verdict.size
    if size is None:
        return 1.0
    if size.low is None or size.high is None or size.level is None:
        return size.ratio
    return Ratio(size.ratio, size.low, size.high, size.level)


def _recover(
    session: Session,
    row: VerdictRow,
    culprits: dict[str, tuple[Move, Verdict]],
    undone: dict[str, list[tuple[str, Ratio | float]]],
) -> None:
    if row.fixes_sha is None:
        return
    move, verdict = culprits[row.fixes_sha]
    figure = worst_figure(verdict)
    if row.recovery is not None:
        margin = row.recovery["margin"]
    else:
        margin = summary.settings_of(session, move.run.id).margin if figure is None else figure.margin
    found = computed(verdict.scenario, ratio_of(verdict, figure), undone[row.fixes_sha], margin, figure)
    recovery = found.model_dump(mode="json")
    if row.recovery != recovery:
        row.recovery = recovery
