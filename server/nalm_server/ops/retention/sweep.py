# SPDX-License-Identifier: Apache-2.0
"""Removes data past its project's retention, in transactions too small to block others."""

from __future__ import annotations

from datetime import datetime
from functools import partial
from typing import Any

import structlog
from nalm_core.report.serialization import ReportError, parse_report

from nalm_server.auth.access import project_repository as projects
from nalm_server.db.context import Context
from nalm_server.db.reports.store import ReportUnreadableError
from nalm_server.db.reports.stored import Kept
from nalm_server.ops.report_store import repository as reports
from nalm_server.ops.retention import repository
from nalm_server.ops.retention.schemas import Amount, RetentionKind
from nalm_server.ops.retention.service import limits, rules_of
from nalm_server.results import summary
from nalm_server.worker.for_each import each

log = structlog.get_logger()

REPORTS_AT_ONCE = 20
ROWS_AT_ONCE = 500


def drain(context: Context) -> None:
    """Sweeps all projects until nothing is too old. May run concurrently: each row is counted once."""
    with context.read_sessions() as session:
        ids = [row.id for row in projects.list_all(session)]
    each("retention of project", ids, partial(_sweep, context))


def _sweep(context: Context, project_id: int) -> None:
    now = context.clock()
    with context.read_sessions() as session:
        reports_before, logs_before = limits(rules_of(session, project_id, context.settings), now)
    last: int | None = 0
    while last is not None:
        last = _expire_reports(context, project_id, reports_before, now, after=last)
    while _expire_cells(context, project_id, reports_before, now):
        pass
    while _remove_rows(context, project_id, logs_before, now):
        pass


def _expire_reports(
    context: Context, project_id: int, before: datetime, now: datetime, *, after: int
) -> int | None:
    """Expires a batch of runs after this one; reads the reports outside of the transaction. Returns the
    batch's last run; None: there were none."""
    with context.read_sessions() as session:
        found = repository.old_reports(session, project_id, before, after, REPORTS_AT_ONCE)
    summaries = {run_id: _summary(run_id, report) for run_id, report in found}
    with context.sessions() as session:
        gone = [
            one
            for run_id, one in found
            if (remains := summaries[run_id]) is not None and repository.expire(session, run_id, remains, now)
        ]
        reports.release(session, [one.digest for one in gone], now)
        amount = Amount(kind=RetentionKind.REPORTS, number=len(gone), bytes=sum(one.size for one in gone))
        repository.count_removed(session, project_id, [amount], now)
        session.commit()
    return found[-1][0] if found else None


def _summary(run_id: int, report: Kept) -> dict[str, Any] | None:
    """None: it cannot be read. It stays due, as its run has no other summary, until it is repaired."""
    try:
        return summary.of(parse_report(report.json())).model_dump(mode="json")
    except (ReportUnreadableError, ReportError) as error:
        log.warning("report does not expire", run=run_id, reason=str(error))
        return None


def _expire_cells(context: Context, project_id: int, before: datetime, now: datetime) -> bool:
    with context.sessions() as session:
        gone = repository.expire_cells(session, project_id, before, REPORTS_AT_ONCE)
        reports.release(session, [one.digest for one in gone], now)
        amount = Amount(kind=RetentionKind.REPORTS, number=len(gone), bytes=sum(one.size for one in gone))
        repository.count_removed(session, project_id, [amount], now)
        session.commit()
    return bool(gone)


def _remove_rows(context: Context, project_id: int, before: datetime, now: datetime) -> bool:
    with context.sessions() as session:
        deliveries = repository.remove_deliveries(session, project_id, before, ROWS_AT_ONCE)
        logs, size = repository.remove_logs(session, project_id, before, ROWS_AT_ONCE)
        amounts = [
            Amount(kind=RetentionKind.DELIVERIES, number=deliveries, bytes=0),
            Amount(kind=RetentionKind.LOGS, number=logs, bytes=size),
        ]
        repository.count_removed(session, project_id, amounts, now)
        session.commit()
    return bool(deliveries or logs)
