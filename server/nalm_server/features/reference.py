# SPDX-License-Identifier: Apache-2.0
"""The reference commit: its feature sets are the scale of NCPP."""

from __future__ import annotations

from datetime import datetime

from nalm_core.text.commit_name import short
from sqlalchemy.orm import Session

from nalm_server.auth.access.project_models import ProjectRow
from nalm_server.auth.audit.service import record
from nalm_server.auth.tokens.principal import Principal
from nalm_server.campaigns.experiments import queueing
from nalm_server.git.commits import repository as commits
from nalm_server.git.commits.models import CommitRow
from nalm_server.git.commits.service import resolve


def move(
    session: Session, caller: Principal, project: ProjectRow, revision: str | None, now: datetime
) -> CommitRow | None:
    """Sets the reference to the present commit of a SHA, tag or branch; None removes it.

    Raises NotFoundError, or ConflictError for a prefix of several commits.
    """
    row = resolve(session, project.id, revision) if revision is not None else None
    sha = row.sha if row else None
    if sha != project.reference_sha:
        project.reference_sha = sha
        subject = f"project {project.name}"
        detail = f"reference {short(sha)}" if sha else "no reference"
        record(session, caller, "project.reference", subject, now, project_id=project.id, detail=detail)
        session.flush()
        if row is not None:
            queueing.reference_moved(session, row, now)
    return row


def commit_of(session: Session, project: ProjectRow) -> CommitRow | None:
    if project.reference_sha is None:
        return None
    return commits.find(session, project.id, project.reference_sha)
