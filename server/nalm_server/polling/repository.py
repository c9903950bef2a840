# SPDX-License-Identifier: Apache-2.0
"""SQL of polling."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass
from datetime import datetime, timedelta

from sqlalchemy import or_, select
from sqlalchemy.orm import Session

from nalm_server.auth.access.project_models import ProjectRow
from nalm_server.db.claims import Claim, locked
from nalm_server.git.branch_filters.models import RepositorySettingsRow
from nalm_server.git.commits.models import CommitRow
from nalm_server.git.refs.models import BranchRow, PullRequestRow, TagRow
from nalm_server.jobs.models import JobRow
from nalm_server.notify.integrations.models import IntegrationRow


@dataclass(frozen=True)
class KnownRefs:
    """Refs in the database."""

    branches: dict[str, str]
    tags: dict[str, str]
    pull_requests: list[PullRequestRow]
    """Open ones."""


def lock_due(session: Session, now: datetime, longest: timedelta) -> ProjectRow | None:
    """The project that is longest due and that no other worker has locked; `longest`: longest interval."""
    due = (
        select(ProjectRow)
        .outerjoin(RepositorySettingsRow, RepositorySettingsRow.project_id == ProjectRow.id)
        .where(Claim(RepositorySettingsRow.reconcile_at, longest).free(now))
        .order_by(
            RepositorySettingsRow.reconcile_at.is_not(None), RepositorySettingsRow.reconcile_at, ProjectRow.id
        )
        .limit(1)
    )
    return session.scalars(locked(due, wait=False, of=ProjectRow)).one_or_none()


def known_refs(session: Session, project_id: int) -> KnownRefs:
    branches = session.execute(
        select(BranchRow.name, BranchRow.sha).where(
            BranchRow.project_id == project_id, BranchRow.deleted_at.is_(None)
        )
    )
    tags = session.execute(
        select(TagRow.name, TagRow.sha).where(TagRow.project_id == project_id, TagRow.deleted_at.is_(None))
    )
    requests = session.scalars(
        select(PullRequestRow).where(PullRequestRow.project_id == project_id, PullRequestRow.state == "open")
    )
    return KnownRefs(
        {row.name: row.sha for row in branches}, {row.name: row.sha for row in tags}, list(requests)
    )


def planned(session: Session, project_id: int, shas: Collection[str]) -> set[str]:
    """Those of the commits that were queued at any time, or that need no measurement."""
    queued = select(JobRow.head_sha).where(JobRow.project_id == project_id, JobRow.head_sha.in_(shas))
    skipped = select(CommitRow.sha).where(
        CommitRow.project_id == project_id, CommitRow.sha.in_(shas), CommitRow.skipped.is_not(None)
    )
    return set(session.scalars(queued.union(skipped)))


def known_pull_requests(
    session: Session, project_id: int, numbers: Collection[int]
) -> dict[int, PullRequestRow]:
    """By number: these, and all open ones in the database."""
    query = select(PullRequestRow).where(
        PullRequestRow.project_id == project_id,
        or_(PullRequestRow.state == "open", PullRequestRow.number.in_(numbers)),
    )
    return {row.number: row for row in session.scalars(query.order_by(PullRequestRow.number))}


def leave_alone(session: Session, integration_id: int, until: datetime) -> None:
    """Pauses the integration, if it still exists and has no longer pause."""
    row = session.get(IntegrationRow, integration_id)
    if row is not None and (row.paused_until is None or row.paused_until < until):
        row.paused_until = until
