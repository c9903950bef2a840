# SPDX-License-Identifier: Apache-2.0
"""Matches improvements with the regressions they undo, along the first parent, in any order of arrival.

An expected regression is not matched. What remains of a regression after an improvement stays open for the
next one."""

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
from nalm_server.results.models import RunRow, VerdictRow


def refresh(session: Session, scenario_id: int) -> None:
    """Matches all of the scenario's regressions and improvements again."""
    expected = ports.expected_commits.call(session, scenario_id)
    still_open: list[OpenRegression] = []
    culprits: dict[str, tuple[RunRow, Verdict]] = {}
    undone: dict[str, list[tuple[str, Ratio | float]]] = defaultdict(list)
    fixing: set[int] = set()
    moved = repository.moved(session, scenario_id)
    for row in repository.fixes_besides(session, scenario_id, [run.id for run, _ in moved]):
        row.fixes_sha = row.recovery = None
    for run, row in moved:
        verdict = Verdict.model_validate(row.document)
        others = [one for one in still_open if one.commit != run.head_sha]
        # A second run of a commit takes nothing back again; no commit fixes its own regression.
        fixed = match_fix(others, verdict) if run.commit_id not in fixing else None
        if fixed is not None:
            fixing.add(run.commit_id)
            others = left_open(others, fixed, verdict)
            undone[fixed].append((run.head_sha, ratio_of(verdict, worst_figure(culprits[fixed][1]))))
        if row.fixes_sha != fixed:
            row.fixes_sha, row.recovery = fixed, None
        _recover(session, row, culprits, undone)
        still_open = others
        if run.commit_id not in expected and run.commit_id not in fixing:
            still_open += open_regressions(run.head_sha, verdict)
            culprits[run.head_sha] = run, verdict
    session.flush()


def worst_figure(verdict: Verdict) -> MetricChange | None:
    """The figure of a run under load that regressed most; None for a run of cycles."""
    return max(under_load(verdict), key=worse_by, default=None)


def ratio_of(verdict: Verdict, figure: MetricChange | None) -> Ratio | float:
    """The chain's ratio, with its interval if there is one, or that of a figure of a run under load, above 1
    if it became worse; 1 for a verdict without it."""
    if figure is not None:
        same = next((one for one in under_load(verdict) if one.metric == figure.metric), None)
        return 1.0 if same is None else worse_ratio(same)
    chain = verdict.chain
    if chain is None or chain.ratio_cpp is None:
        return 1.0
    if chain.low is None or chain.high is None or chain.level is None:
        return chain.ratio_cpp
    return Ratio(chain.ratio_cpp, chain.low, chain.high, chain.level)


def _recover(
    session: Session,
    row: VerdictRow,
    culprits: dict[str, tuple[RunRow, Verdict]],
    undone: dict[str, list[tuple[str, Ratio | float]]],
) -> None:
    if row.fixes_sha is None:
        return
    run, verdict = culprits[row.fixes_sha]
    figure = worst_figure(verdict)
    if row.recovery is not None:
        margin = row.recovery["margin"]
    else:
        margin = summary.settings_of(session, run.id).margin if figure is None else figure.margin
    found = computed(verdict.scenario, ratio_of(verdict, figure), undone[row.fixes_sha], margin, figure)
    recovery = found.model_dump(mode="json")
    if row.recovery != recovery:
        row.recovery = recovery
