# SPDX-License-Identifier: Apache-2.0
"""SQL of retention."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from typing import Any, NamedTuple

from nalm_core.report.outcome import CHANGED
from sqlalchemy import ColumnElement, Select, delete, exists, func, or_, select, update
from sqlalchemy.orm import Session

from nalm_server.campaigns.experiments.models import CellRow
from nalm_server.db.reports.stored import Kept
from nalm_server.git.refs.models import TagRow
from nalm_server.jobs.models import CampaignRow, JobRow
from nalm_server.jobs.schemas import OPEN
from nalm_server.ops.retention.models import RemovalRow, RuleRow
from nalm_server.ops.retention.schemas import Amount, Removed, RetentionKind
from nalm_server.results.extracts.models import ReportExtractRow
from nalm_server.results.models import ReportRow, RunRow, VerdictRow
from nalm_server.results.repository import kept_of
from nalm_server.webhooks.models import DeliveryRow
from nalm_server.webhooks.schemas import DeliveryStatus


def rule(session: Session, project_id: int) -> RuleRow | None:
    return session.get(RuleRow, project_id)


def set_rule(session: Session, project_id: int, report_days: int, log_days: int) -> None:
    session.merge(RuleRow(project_id=project_id, report_days=report_days, log_days=log_days))
    session.flush()


def _old_reports(project_id: int, before: datetime, *columns: Any) -> Select[Any]:
    released = exists().where(
        TagRow.project_id == project_id, TagRow.sha == RunRow.head_sha, TagRow.deleted_at.is_(None)
    )
    return (
        select(*columns)
        .join(RunRow, RunRow.id == ReportRow.run_id)
        .join(VerdictRow, VerdictRow.run_id == RunRow.id)
        .where(
            RunRow.project_id == project_id,
            RunRow.received_at < before,
            ReportRow.expired_at.is_(None),
            VerdictRow.outcome.not_in(CHANGED),
            ~released,
        )
    )


def _old_deliveries(project_id: int, before: datetime, *columns: Any) -> Select[Any]:
    """Without those that wait, however long: the server may have been off."""
    return select(*columns).where(
        DeliveryRow.project_id == project_id,
        DeliveryRow.received_at < before,
        DeliveryRow.status != DeliveryStatus.RECEIVED,
    )


def _old_logs(project_id: int, before: datetime, *columns: Any) -> Select[Any]:
    return select(*columns).where(
        JobRow.project_id == project_id,
        JobRow.state.not_in(OPEN),
        JobRow.updated_at < before,
        JobRow.log_tail.is_not(None),
    )


def _old_cells(project_id: int, before: datetime, *columns: Any) -> Select[Any]:
    """Cells of ended experiments: their reports are fitted already."""
    return (
        select(*columns)
        .join(CampaignRow, CampaignRow.id == CellRow.campaign_id)
        .where(
            CampaignRow.project_id == project_id,
            ~CampaignRow.active,
            CellRow.received_at < before,
            or_(func.length(CellRow.compressed) > 0, CellRow.stored_digest.is_not(None)),
        )
    )


def due(session: Session, project_id: int, reports_before: datetime, logs_before: datetime) -> list[Amount]:
    size = func.coalesce(func.sum(_size(ReportRow)), 0)
    tails = func.coalesce(func.sum(func.length(JobRow.log_tail)), 0)
    reports = session.execute(_old_reports(project_id, reports_before, func.count(), size)).one()
    packed = func.coalesce(func.sum(_size(CellRow)), 0)
    cells = session.execute(_old_cells(project_id, reports_before, func.count(), packed)).one()
    deliveries = session.execute(_old_deliveries(project_id, logs_before, func.count())).one()
    logs = session.execute(_old_logs(project_id, logs_before, func.count(), tails)).one()
    return [
        Amount(kind=RetentionKind.REPORTS, number=reports[0] + cells[0], bytes=reports[1] + cells[1]),
        Amount(kind=RetentionKind.DELIVERIES, number=deliveries[0], bytes=0),
        Amount(kind=RetentionKind.LOGS, number=logs[0], bytes=logs[1]),
    ]


def _size(row: type[ReportRow] | type[CellRow]) -> ColumnElement[int]:
    """Size of a report, in the store or in the row."""
    return func.coalesce(row.stored_bytes, func.length(row.compressed))


def old_reports(
    session: Session, project_id: int, before: datetime, after: int, limit: int
) -> list[tuple[int, Kept]]:
    """(run, report) of the runs after this one, oldest first."""
    query = _old_reports(project_id, before, ReportRow).where(RunRow.id > after)
    found = session.scalars(query.order_by(RunRow.id).limit(limit))
    return [(row.run_id, kept_of(session, row)) for row in found]


def expire(session: Session, run_id: int, remains: dict[str, Any], now: datetime) -> bool:
    """False: another sweep was first."""
    changed = session.execute(
        update(ReportRow)
        .where(ReportRow.run_id == run_id, ReportRow.expired_at.is_(None))
        .values(compressed=b"", stored_digest=None, stored_bytes=None, expired_at=now, remains=remains)
        .returning(ReportRow.run_id)
    )
    session.execute(delete(ReportExtractRow).where(ReportExtractRow.run_id == run_id))
    return changed.first() is not None


class Gone(NamedTuple):
    digest: str | None
    """Its name in the report store; None: it was in its row."""
    size: int


def expire_cells(session: Session, project_id: int, before: datetime, limit: int) -> list[Gone]:
    """Returns the removed reports. Cells stay, with the results computed from them."""
    found = session.execute(
        _old_cells(project_id, before, CellRow.id, CellRow.stored_digest, _size(CellRow))
        .order_by(CellRow.id)
        .limit(limit)
    )
    reports = {cell_id: Gone(digest, size) for cell_id, digest, size in found}
    gone = session.scalars(
        update(CellRow)
        .where(CellRow.id.in_(reports), _size(CellRow) > 0)
        .values(compressed=b"", stored_digest=None, stored_bytes=None)
        .returning(CellRow.id)
        .execution_options(synchronize_session=False)
    ).all()
    return [reports[cell_id] for cell_id in gone]


def remove_deliveries(session: Session, project_id: int, before: datetime, limit: int) -> int:
    some = _old_deliveries(project_id, before, DeliveryRow.id).order_by(DeliveryRow.id).limit(limit)
    gone = session.execute(delete(DeliveryRow).where(DeliveryRow.id.in_(some)).returning(DeliveryRow.id))
    return len(gone.all())


def remove_logs(session: Session, project_id: int, before: datetime, limit: int) -> tuple[int, int]:
    """(jobs, characters)."""
    found = session.execute(
        _old_logs(project_id, before, JobRow.id, func.length(JobRow.log_tail))
        .order_by(JobRow.id)
        .limit(limit)
    ).all()
    sizes: dict[int, int] = {job_id: size for job_id, size in found}  # noqa: C416 (dict() of rows is untyped)
    changed = session.scalars(
        update(JobRow)
        .where(JobRow.id.in_(sizes), JobRow.log_tail.is_not(None))
        .values(log_tail=None, updated_at=JobRow.updated_at)
        .returning(JobRow.id)
    ).all()
    return len(changed), sum(sizes[job_id] for job_id in changed)


def count_removed(session: Session, project_id: int, amounts: Sequence[Amount], now: datetime) -> None:
    session.add_all(
        RemovalRow(project_id=project_id, at=now, kind=one.kind, number=one.number, bytes=one.bytes)
        for one in amounts
        if one.number
    )
    session.flush()


def removed(session: Session, project_id: int) -> list[Removed]:
    found = session.execute(
        select(
            RemovalRow.kind, func.sum(RemovalRow.number), func.sum(RemovalRow.bytes), func.max(RemovalRow.at)
        )
        .where(RemovalRow.project_id == project_id)
        .group_by(RemovalRow.kind)
        .order_by(RemovalRow.kind)
    )
    return [
        Removed(kind=RetentionKind(kind), number=number, bytes=size, last_at=at)
        for kind, number, size, at in found
    ]
