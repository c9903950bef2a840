# SPDX-License-Identifier: Apache-2.0
"""Queues an experiment with the job that measures it."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime

from nalm_core.report.cell import Kind
from sqlalchemy.orm import Session

from nalm_server.auth.access import project_repository as projects
from nalm_server.campaigns.experiments import repository
from nalm_server.campaigns.experiments.models import ExperimentRow
from nalm_server.campaigns.experiments.schemas import ACTIVE, ExperimentState
from nalm_server.git.commits.models import CommitRow
from nalm_server.jobs import service as jobs
from nalm_server.jobs.schemas import JobReason


def queue(
    session: Session,
    commit: CommitRow,
    kind: Kind,
    *,
    names: Sequence[str],
    cell_seconds: float | None,
    requested_by: str,
    now: datetime,
) -> ExperimentRow:
    """The experiment and its job; the same one that is under way is not asked again.

    The caller holds the project's lock.
    """
    for known in repository.active_of_commit(session, commit.id, kind):
        if (known.names, known.cell_seconds) == (list(names), cell_seconds):
            return known
    row = repository.add(
        session,
        ExperimentRow(
            project_id=commit.project_id,
            commit_id=commit.id,
            kind=kind,
            names=list(names),
            seed=commit.id,
            cell_seconds=cell_seconds,
            state=ExperimentState.QUEUED,
            fitted_cells=0,
            requested_by=requested_by,
            created_at=now,
            updated_at=now,
        ),
    )
    jobs.enqueue(
        session,
        commit,
        commit.sha,
        reason=JobReason.EXPERIMENT,
        why=f"experiment {row.id}: {kind}, asked for by {requested_by}",
        now=now,
        requested_by=requested_by,
        budget_seconds=cell_seconds,
        experiment_id=row.id,
    )
    return row


def reference_moved(session: Session, commit: CommitRow, now: datetime) -> list[ExperimentRow]:
    """The project's reference is another commit: what was last asked of each kind is asked of it, features
    in any case. What is under way for this commit is not asked again."""
    projects.lock(session, commit.project_id)
    before = repository.newest_by_kind(session, commit.project_id)
    by_kind = {Kind(row.kind): (row.names, row.cell_seconds) for row in before}
    by_kind.setdefault(Kind.FEATURES, ([], None))
    here = {row.kind for row in before if row.commit_id == commit.id and _counts(row)}
    return [
        queue(
            session,
            commit,
            kind,
            names=names,
            cell_seconds=cell_seconds,
            requested_by="the reference that moved",
            now=now,
        )
        for kind, (names, cell_seconds) in by_kind.items()
        if kind not in here
    ]


def _counts(row: ExperimentRow) -> bool:
    return row.state in (*ACTIVE, ExperimentState.DONE)
