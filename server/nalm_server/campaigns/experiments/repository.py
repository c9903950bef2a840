# SPDX-License-Identifier: Apache-2.0
"""SQL of experiments."""

from __future__ import annotations

from collections.abc import Sequence

from sqlalchemy import func, or_, select
from sqlalchemy.orm import Session, undefer

from nalm_server.campaigns.experiments.models import CellRow, ExperimentRow
from nalm_server.campaigns.experiments.schemas import ACTIVE
from nalm_server.db.claims import locked
from nalm_server.db.reports.opening import store_of
from nalm_server.db.reports.stored import Kept, kept
from nalm_server.git.commits.models import CommitRow
from nalm_server.jobs.models import JobRow


def add(session: Session, row: ExperimentRow) -> ExperimentRow:
    session.add(row)
    session.flush()
    return row


def find(session: Session, experiment_id: int) -> ExperimentRow | None:
    return session.get(ExperimentRow, experiment_id)


def of_job(session: Session, job_id: int | None) -> ExperimentRow | None:
    query = select(ExperimentRow).join(JobRow, JobRow.experiment_id == ExperimentRow.id)
    return session.scalars(query.where(JobRow.id == job_id)).one_or_none()


def lock(session: Session, experiment_id: int, *, wait: bool = True) -> ExperimentRow | None:
    """The row, held until the commit. None: there is none, or without `wait` another worker has it."""
    query = select(ExperimentRow).where(ExperimentRow.id == experiment_id)
    return session.scalars(locked(query, wait=wait)).one_or_none()


def of_project(
    session: Session, project_id: int, kind: str | None, limit: int
) -> list[tuple[ExperimentRow, str, int]]:
    """Newest first, each with its commit and how many cells it has."""
    cells = (
        select(func.count())
        .select_from(CellRow)
        .where(CellRow.experiment_id == ExperimentRow.id)
        .correlate(ExperimentRow)
        .scalar_subquery()
    )
    query = (
        select(ExperimentRow, CommitRow.sha, cells)
        .join(CommitRow, CommitRow.id == ExperimentRow.commit_id)
        .where(ExperimentRow.project_id == project_id)
    )
    if kind is not None:
        query = query.where(ExperimentRow.kind == kind)
    found = session.execute(query.order_by(ExperimentRow.id.desc()).limit(limit))
    return [(row, sha, count) for row, sha, count in found]


def result_of(session: Session, experiment_id: int) -> ExperimentRow:
    """The row with its result."""
    query = select(ExperimentRow).where(ExperimentRow.id == experiment_id)
    return session.scalars(query.options(undefer(ExperimentRow.result))).one()


def newest_by_kind(session: Session, project_id: int) -> list[ExperimentRow]:
    newest = select(func.max(ExperimentRow.id)).where(ExperimentRow.project_id == project_id)
    query = select(ExperimentRow).where(ExperimentRow.id.in_(newest.group_by(ExperimentRow.kind)))
    return list(session.scalars(query.order_by(ExperimentRow.id)))


def active_of_commit(session: Session, commit_id: int, kind: str) -> list[ExperimentRow]:
    query = select(ExperimentRow).where(
        ExperimentRow.commit_id == commit_id, ExperimentRow.kind == kind, ExperimentRow.state.in_(ACTIVE)
    )
    return list(session.scalars(query.order_by(ExperimentRow.id)))


def active_ids(session: Session) -> list[int]:
    query = select(ExperimentRow.id).where(ExperimentRow.state.in_(ACTIVE)).order_by(ExperimentRow.id)
    return list(session.scalars(query))


def cells(session: Session, experiment_id: int) -> list[CellRow]:
    """In the order in which they came in."""
    query = select(CellRow).where(CellRow.experiment_id == experiment_id)
    return list(session.scalars(query.order_by(CellRow.id)))


def fitting(session: Session, experiment_id: int) -> list[int]:
    """Numbers of the cells that gave a ratio and whose report is there."""
    query = select(CellRow.id).where(
        CellRow.experiment_id == experiment_id,
        CellRow.unusable.is_(None),
        or_(func.length(CellRow.compressed) > 0, CellRow.stored_digest.is_not(None)),
    )
    return list(session.scalars(query.order_by(CellRow.id)))


def cell_names(session: Session, experiment_id: int) -> list[str]:
    query = select(CellRow.name).where(CellRow.experiment_id == experiment_id)
    return list(session.scalars(query.order_by(CellRow.id)))


def cell_named(session: Session, experiment_id: int, name: str) -> CellRow | None:
    query = select(CellRow).where(CellRow.experiment_id == experiment_id, CellRow.name == name)
    return session.scalars(query).one_or_none()


def cell_of_run(session: Session, run_id: str) -> CellRow | None:
    return session.scalars(select(CellRow).where(CellRow.run_id == run_id)).one_or_none()


def add_cell(session: Session, row: CellRow) -> CellRow:
    session.add(row)
    session.flush()
    return row


def report(session: Session, experiment_id: int, number: int) -> Kept | None:
    """The cell's report; None if the experiment has no such cell."""
    query = select(CellRow.compressed, CellRow.stored_digest, CellRow.stored_bytes)
    found = session.execute(
        query.where(CellRow.experiment_id == experiment_id, CellRow.id == number)
    ).one_or_none()
    return None if found is None else kept(store_of(session), *found)


def newest_job(session: Session, experiment_id: int) -> JobRow | None:
    query = select(JobRow).where(JobRow.experiment_id == experiment_id).order_by(JobRow.id.desc()).limit(1)
    return session.scalars(query).one_or_none()


def open_jobs(session: Session, experiment_id: int, states: Sequence[str]) -> list[int]:
    query = select(JobRow.id).where(JobRow.experiment_id == experiment_id, JobRow.state.in_(states))
    return list(session.scalars(query.order_by(JobRow.id)))


def scenarios_of_job(session: Session, job_id: int) -> list[str]:
    """Cells that are in, of the job's experiment."""
    query = select(CellRow.name).join(JobRow, JobRow.experiment_id == CellRow.experiment_id)
    return list(session.scalars(query.where(JobRow.id == job_id).order_by(CellRow.id)))


def valid_of_job(session: Session, job_id: int) -> list[bool]:
    """Of each cell that is in: whether it gave a ratio."""
    query = select(CellRow.unusable).join(JobRow, JobRow.experiment_id == CellRow.experiment_id)
    return [unusable is None for unusable in session.scalars(query.where(JobRow.id == job_id))]
