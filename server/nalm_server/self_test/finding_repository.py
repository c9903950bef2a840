# SPDX-License-Identifier: Apache-2.0
"""SQL of findings: their delays and outcomes."""

from __future__ import annotations

from datetime import datetime
from typing import Any, NamedTuple

from sqlalchemy import ScalarSelect, func, or_, select
from sqlalchemy.orm import Session, aliased

from nalm_server.alerts.dropping import DROPPED
from nalm_server.alerts.models import AlertRow
from nalm_server.git.commits.models import CommitRow
from nalm_server.jobs.models import JobRow
from nalm_server.jobs.schemas import JobReason

MOST = 500
"""Maximum number of findings read, the newest."""
NEAR = 100
"""Number of commits after a culprit that are searched for the first measured one."""
LATER = (
    JobReason.CONFIRM,
    JobReason.BISECT,
    JobReason.EXPERIMENT,
    JobReason.SUSPICION,
    JobReason.CONTROL,
    JobReason.LINK,
    JobReason.REFINE,
)
"""Jobs that follow a finding, or do not search for one."""


class ListedFinding(NamedTuple):
    """One finding."""

    state: str
    merged: bool
    """Merged into another alert, or dismissed because a forced push dropped its commit."""
    created_at: datetime
    confirmed_at: datetime | None
    commits: int
    """Number of commits measured from the culprit until the confirmation."""
    begun_at: datetime | None
    """Time at which the culprit, or the first commit after it, could first be measured."""


def since(session: Session, project_id: int, moment: datetime) -> list[ListedFinding]:
    """Oldest first."""
    culprit = aliased(CommitRow)
    query = (
        select(
            AlertRow.state,
            or_(AlertRow.merged_into_id.is_not(None), AlertRow.reason.is_not_distinct_from(DROPPED)),
            AlertRow.created_at,
            AlertRow.confirmed_at,
            func.coalesce(AlertRow.measured_after, 0),
            _begun(culprit),
        )
        .join(culprit, culprit.id == AlertRow.commit_id)
        .where(AlertRow.project_id == project_id, AlertRow.created_at >= moment)
        .order_by(AlertRow.id.desc())
        .limit(MOST)
    )
    return [ListedFinding._make(row) for row in session.execute(query)][::-1]


def _begun(culprit: Any) -> ScalarSelect[datetime]:
    near = aliased(CommitRow)
    return (
        select(func.min(JobRow.created_at))
        .join(near, near.id == JobRow.commit_id)
        .where(
            near.project_id == culprit.project_id,
            near.position.between(culprit.position, culprit.position + NEAR),
            near.listed,
            JobRow.reason.not_in(LATER),
        )
        .correlate(culprit)
        .scalar_subquery()
    )
