# SPDX-License-Identifier: Apache-2.0
"""A project's branch filters, webhook secret and read token."""

from __future__ import annotations

from datetime import datetime, timedelta

from sqlalchemy.orm import Session

from nalm_server.auth.access import project_repository as project_rows
from nalm_server.auth.access.project_models import ProjectRow
from nalm_server.auth.access.roles import Role
from nalm_server.auth.access.service import require_project
from nalm_server.auth.audit.service import record
from nalm_server.auth.tokens import service as tokens
from nalm_server.auth.tokens.principal import Principal
from nalm_server.db.context import Context
from nalm_server.git.branch_filters import repository
from nalm_server.git.branch_filters.filters import branch_filters_of
from nalm_server.git.branch_filters.models import RepositorySettingsRow
from nalm_server.jobs import approvals
from nalm_server.jobs import service as jobs
from nalm_server.projects.branch_filters.schemas import (
    BranchFilterSettings,
    BranchFilterSettingsShown,
    ReadToken,
    SecretChange,
    SecretChanged,
)


def get_branch_filters(session: Session, caller: Principal, project: str) -> BranchFilterSettingsShown:
    found = require_project(session, caller, project, Role.MAINTAINER)
    return _shown(found, repository.find(session, found.id))


def set_branch_filters(
    session: Session, caller: Principal, project: str, settings: BranchFilterSettings, now: datetime
) -> BranchFilterSettingsShown:
    found, row = _changeable(session, caller, project)
    row.branches, row.paths_ignore = settings.branches, settings.paths_ignore
    row.push_commits, row.fork_pull_requests = settings.push_commits, settings.fork_pull_requests
    row.measure_tags = settings.measure_tags
    detail = settings.model_dump_json()
    record(session, caller, "branch_filters.change", project, now, project_id=found.id, detail=detail)
    session.flush()
    for job in approvals.policy_changed(session, found.id):
        why = f"forks' pull requests: {settings.fork_pull_requests}"
        jobs.settled(session, job, now, why, caller.name)
    return _shown(found, row)


def change_secret(
    session: Session, context: Context, caller: Principal, project: str, change: SecretChange
) -> SecretChanged:
    """Sets a new secret; the old one stays valid for a while, until the forge has the new one."""
    found, row = _changeable(session, caller, project)
    now = context.clock()
    secret = change.secret or tokens.new_secret()
    row.previous_secret = found.webhook_secret
    row.previous_until = now + timedelta(hours=change.overlap_hours)
    found.webhook_secret = context.box.seal(secret)
    record(session, caller, "secret.change", f"webhook secret of {project}", now, project_id=found.id)
    return SecretChanged(webhook_secret=secret, previous_until=row.previous_until)


def set_read_token(
    session: Session, context: Context, caller: Principal, project: str, token: ReadToken | None
) -> None:
    """None removes the token."""
    found, row = _changeable(session, caller, project)
    row.read_credential = context.box.seal(f"{token.user}:{token.token}") if token else None
    row.reconcile_at, row.reconcile_failures, row.reconcile_error = None, 0, None
    action = "read-token.set" if token else "read-token.remove"
    record(session, caller, action, f"read token of {project}", context.clock(), project_id=found.id)


def _changeable(
    session: Session, caller: Principal, project: str
) -> tuple[ProjectRow, RepositorySettingsRow]:
    found = require_project(session, caller, project, Role.MAINTAINER)
    locked = project_rows.lock(session, found.id)
    return locked, repository.require(session, found.id)


def _shown(project: ProjectRow, row: RepositorySettingsRow | None) -> BranchFilterSettingsShown:
    filters = branch_filters_of(project, row)
    return BranchFilterSettingsShown(
        branches=row.branches if row else None,
        paths_ignore=list(filters.paths_ignore),
        push_commits=filters.push_commits,
        fork_pull_requests=filters.fork_pull_requests,
        measure_tags=filters.measure_tags,
        has_read_token=row is not None and row.read_credential is not None,
        previous_secret_until=row.previous_until if row else None,
        reconciled_at=row.reconciled_at if row else None,
        reconcile_error=row.reconcile_error if row else None,
    )
