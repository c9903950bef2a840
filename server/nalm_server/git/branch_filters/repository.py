# SPDX-License-Identifier: Apache-2.0
"""SQL of repository settings."""

from __future__ import annotations

from sqlalchemy.orm import Session

from nalm_server.git.branch_filters.filters import ForkPullRequests, PushCommits
from nalm_server.git.branch_filters.models import RepositorySettingsRow


def find(session: Session, project_id: int) -> RepositorySettingsRow | None:
    return session.get(RepositorySettingsRow, project_id)


def require(session: Session, project_id: int) -> RepositorySettingsRow:
    """The row, created with the defaults if necessary. The caller holds the project's lock."""
    row = find(session, project_id)
    if row is None:
        row = RepositorySettingsRow(
            project_id=project_id,
            push_commits=PushCommits.EACH,
            fork_pull_requests=ForkPullRequests.APPROVE,
            measure_tags=False,
            local=False,
            reconcile_failures=0,
        )
        session.add(row)
        session.flush()
    return row
