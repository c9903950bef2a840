# SPDX-License-Identifier: Apache-2.0
"""Retention of a project: its rules and due removals."""

from __future__ import annotations

from datetime import datetime, timedelta

from sqlalchemy.orm import Session

from nalm_server.auth.access.project_models import ProjectRow
from nalm_server.auth.audit import service as audit
from nalm_server.auth.tokens.service import Principal
from nalm_server.base.settings import Settings
from nalm_server.ops.retention import repository
from nalm_server.ops.retention.schemas import Retention, Rules


def rules_of(session: Session, project_id: int, settings: Settings) -> Rules:
    row = repository.rule(session, project_id)
    if row is None:
        return Rules(report_days=settings.report_days, log_days=settings.log_days)
    return Rules(report_days=row.report_days, log_days=row.log_days)


def limits(rules: Rules, now: datetime) -> tuple[datetime, datetime]:
    """Times before which reports, and deliveries and logs, are too old."""
    return now - timedelta(days=rules.report_days), now - timedelta(days=rules.log_days)


def show(session: Session, project: ProjectRow, settings: Settings, now: datetime) -> Retention:
    rules = rules_of(session, project.id, settings)
    return Retention(
        rules=rules,
        own=repository.rule(session, project.id) is not None,
        due=repository.due(session, project.id, *limits(rules, now)),
        removed=repository.removed(session, project.id),
    )


def change(session: Session, caller: Principal, project: ProjectRow, rules: Rules, now: datetime) -> None:
    repository.set_rule(session, project.id, rules.report_days, rules.log_days)
    detail = f"reports {rules.report_days} days, deliveries and logs {rules.log_days} days"
    audit.record(session, caller, "retention.change", project.name, now, project_id=project.id, detail=detail)
