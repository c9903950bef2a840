# SPDX-License-Identifier: Apache-2.0
"""Removes data past its project's retention, in transactions too small to block others."""

from __future__ import annotations

from datetime import datetime

from nalm_core.report.serialization import parse_report

from nalm_server.auth.access import project_repository as projects
from nalm_server.db.context import Context
from nalm_server.ops.report_store import repository as reports
from nalm_server.ops.retention import repository
from nalm_server.ops.retention.schemas import Amount, RetentionKind
from nalm_server.ops.retention.service import limits, rules_of
from nalm_server.results import summary

REPORTS_AT_ONCE = 20
ROWS_AT_ONCE = 500


def drain(context: Context) -> None:
    """Sweeps all projects until nothing is too old. May run concurrently: each row is counted once."""
    with context.read_sessions() as session:
        ids = [row.id for row in projects.list_all(session)]
    for project_id in ids:
        now = context.clock()
        with context.read_sessions() as session:
            reports_before, logs_before = limits(rules_of(session, project_id, context.settings), now)
        while _expire_reports(context, project_id, reports_before, now):
            pass
        while _expire_cells(context, project_id, reports_before, now):
            pass
        while _remove_rows(context, project_id, logs_before, now):
            pass


def _expire_reports(context: Context, project_id: int, before: datetime, now: datetime) -> bool:
    """Expires a batch; reads the reports outside of the transaction. False: there were none."""
    with context.read_sessions() as session:
        found = repository.old_reports(session, project_id, before, REPORTS_AT_ONCE)
    kept = {
        run_id: summary.of(parse_report(report.json())).model_dump(mode="json") for run_id, report in found
    }
    with context.sessions() as session:
        gone = [one for run_id, one in found if repository.expire(session, run_id, kept[run_id], now)]
        reports.release(session, [one.digest for one in gone], now)
        amount = Amount(kind=RetentionKind.REPORTS, number=len(gone), bytes=sum(one.size for one in gone))
        repository.count_removed(session, project_id, [amount], now)
        session.commit()
    return bool(found)


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
