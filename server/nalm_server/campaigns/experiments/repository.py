# SPDX-License-Identifier: Apache-2.0
"""SQL of experiments and their cells."""

from __future__ import annotations

from collections.abc import Sequence

from nalm_core.report.cell import Kind
from sqlalchemy import ColumnElement, delete, func, or_, select
from sqlalchemy.orm import Session

from nalm_server.campaigns.experiments.models import CellRow
from nalm_server.campaigns.experiments.spec import UNDER_LOAD, note, result_of, spec_of
from nalm_server.db.reports.opening import store_of
from nalm_server.db.reports.stored import Kept, kept
from nalm_server.jobs.models import CampaignRow, JobRow
from nalm_server.jobs.schemas import HELD


def of_kind(kind: Kind) -> ColumnElement[bool]:
    return _named("kind", kind)


def at_commit(sha: str) -> ColumnElement[bool]:
    return _named("sha", sha)


def _named(name: str, value: str) -> ColumnElement[bool]:
    condition: ColumnElement[bool] = CampaignRow.spec[name].as_string() == str(value)
    return condition


def cell_counts(session: Session, campaign_ids: Sequence[int]) -> dict[int, int]:
    """Number of cells by experiment; an experiment without cells is missing."""
    query = select(CellRow.campaign_id, func.count()).where(CellRow.campaign_id.in_(campaign_ids))
    found = session.execute(query.group_by(CellRow.campaign_id))
    return {campaign_id: count for campaign_id, count in found}  # noqa: C416


def cells(session: Session, campaign_id: int) -> list[CellRow]:
    """In the order of their upload."""
    query = select(CellRow).where(CellRow.campaign_id == campaign_id)
    return list(session.scalars(query.order_by(CellRow.id)))


def fitting(session: Session, campaign_id: int) -> list[int]:
    """Numbers of cells with a ratio and a stored report."""
    query = select(CellRow.id).where(
        CellRow.campaign_id == campaign_id,
        CellRow.unusable.is_(None),
        or_(func.length(CellRow.compressed) > 0, CellRow.stored_digest.is_not(None)),
    )
    return list(session.scalars(query.order_by(CellRow.id)))


def count_cells(session: Session, campaign_id: int) -> int:
    query = select(func.count()).select_from(CellRow).where(CellRow.campaign_id == campaign_id)
    return session.scalar(query) or 0


def cell_named(session: Session, campaign_id: int, name: str) -> CellRow | None:
    query = select(CellRow).where(CellRow.campaign_id == campaign_id, CellRow.name == name)
    return session.scalars(query).one_or_none()


def cell_of_run(session: Session, run_id: str) -> CellRow | None:
    return session.scalars(select(CellRow).where(CellRow.run_id == run_id)).one_or_none()


def add_cell(session: Session, row: CellRow) -> CellRow:
    session.add(row)
    session.flush()
    return row


def report(session: Session, campaign_id: int, number: int) -> Kept | None:
    """The cell's report; None if the experiment has no such cell."""
    query = select(CellRow.compressed, CellRow.stored_digest, CellRow.stored_bytes)
    found = session.execute(
        query.where(CellRow.campaign_id == campaign_id, CellRow.id == number)
    ).one_or_none()
    return None if found is None else kept(store_of(session), *found)


def newest_job(session: Session, campaign_id: int) -> JobRow | None:
    query = select(JobRow).where(JobRow.campaign_id == campaign_id).order_by(JobRow.id.desc()).limit(1)
    return session.scalars(query).one_or_none()


def held(session: Session, campaign_ids: Sequence[int]) -> set[int]:
    """Those of these experiments whose job an agent has."""
    query = select(JobRow.campaign_id).where(JobRow.campaign_id.in_(campaign_ids), JobRow.state.in_(HELD))
    return {found for found in session.scalars(query) if found is not None} if campaign_ids else set()


def scenarios_of_job(session: Session, job_id: int) -> list[str]:
    """Names of stored cells of the job's experiment."""
    query = select(CellRow.name).join(JobRow, JobRow.campaign_id == CellRow.campaign_id)
    return list(session.scalars(query.where(JobRow.id == job_id).order_by(CellRow.id)))


def valid_of_job(session: Session, job_id: int) -> list[bool]:
    """For each stored cell, whether it has a ratio; of an experiment under load, whether it has a result."""
    job = session.get(JobRow, job_id)
    if job is not None and job.campaign is not None and spec_of(job.campaign).kind in UNDER_LOAD:
        return [] if result_of(job.campaign).document is None else [True]
    query = select(CellRow.unusable).join(JobRow, JobRow.campaign_id == CellRow.campaign_id)
    return [unusable is None for unusable in session.scalars(query.where(JobRow.id == job_id))]


def detach_from_job(session: Session, job_id: int) -> None:
    """Removes the experiment's unusable cells: they are measured again, and all are fitted again."""
    job = session.get(JobRow, job_id)
    if job is None or job.campaign is None:
        return
    session.execute(
        delete(CellRow).where(CellRow.campaign_id == job.campaign.id, CellRow.unusable.is_not(None))
    )
    note(job.campaign, fitted_cells=0)
