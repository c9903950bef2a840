# SPDX-License-Identifier: Apache-2.0
"""SQL of reconciliation."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime

from sqlalchemy import or_, select
from sqlalchemy.orm import Session

from nalm_server.projects.models import ProjectRow
from nalm_server.refs.models import BranchRow, PullRequestRow, TagRow
from nalm_server.watches.models import WatchRow


@dataclass(frozen=True)
class KnownRefs:
    """As the database has them."""

    branches: dict[str, str]
    tags: dict[str, str]
    pull_requests: list[PullRequestRow]
    """Open ones."""


def lock_due(session: Session, now: datetime) -> ProjectRow | None:
    """The project whose turn it has been longest, and that nobody else is taking."""
    return session.scalars(
        select(ProjectRow)
        .outerjoin(WatchRow, WatchRow.project_id == ProjectRow.id)
        .where(or_(WatchRow.reconcile_at.is_(None), WatchRow.reconcile_at <= now))
        .order_by(WatchRow.reconcile_at.is_not(None), WatchRow.reconcile_at, ProjectRow.id)
        .limit(1)
        .with_for_update(of=ProjectRow, skip_locked=True)
    ).one_or_none()


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
