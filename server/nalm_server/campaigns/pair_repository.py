# SPDX-License-Identifier: Apache-2.0
"""SQL of existing runs of two commits: what they decide about a figure."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass

from nalm_core.findings.figure import Figure
from sqlalchemy import ColumnElement, exists, select
from sqlalchemy.orm import Session, undefer

from nalm_server.alerts.figures import judged
from nalm_server.git.commits.models import CommitRow
from nalm_server.jobs.models import JobRow
from nalm_server.results.models import RunRow, VerdictRow
from nalm_server.results.series.models import ScenarioRow


@dataclass(frozen=True)
class ScenarioPair:
    """A scenario of two commits."""

    project_id: int
    scenario: str
    base_sha: str
    head_sha: str


def newest(
    session: Session,
    pair: ScenarioPair,
    figures: Sequence[Figure],
    outcomes: Collection[str],
    *,
    beside: bool = True,
) -> tuple[str, str] | None:
    """(run, outcome) of the newest run with one of these outcomes by these figures, from any job that judges
    by the margin of nalm.toml.

    beside: also runs on other hosts than the commit's own.
    """
    query = (
        select(RunRow.run_id, VerdictRow)
        .join(VerdictRow, VerdictRow.run_id == RunRow.id)
        .join(ScenarioRow, ScenarioRow.id == RunRow.scenario_id)
        .join(CommitRow, CommitRow.id == RunRow.commit_id)
        .where(
            CommitRow.project_id == pair.project_id,
            CommitRow.sha == pair.head_sha,
            ScenarioRow.name == pair.scenario,
            RunRow.base_sha == pair.base_sha,
            ~_at_another_margin(),
        )
        .order_by(RunRow.received_at.desc(), RunRow.id.desc())
    )
    query = query if beside else query.where(~RunRow.beside)
    if not figures:
        found = session.execute(query.where(VerdictRow.outcome.in_(outcomes)).limit(1)).one_or_none()
        return None if found is None else (found[0], found[1].outcome)
    for run_id, verdict in session.execute(query.options(undefer(VerdictRow.document))):
        outcome = judged(verdict, figures).outcome
        if outcome in outcomes:
            return run_id, outcome
    return None


def _at_another_margin() -> ColumnElement[bool]:
    """A condition: the run's job has a margin of its own, so its outcome is not comparable with others."""
    return exists().where(JobRow.id == RunRow.job_id, JobRow.margin.is_not(None))
