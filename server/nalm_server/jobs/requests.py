# SPDX-License-Identifier: Apache-2.0
"""Measurements that people request."""

from __future__ import annotations

from nalm_core.text.commit_name import short
from sqlalchemy.orm import Session

from nalm_server.auth.access import project_repository as project_rows
from nalm_server.auth.access.roles import Role
from nalm_server.auth.access.service import require_project
from nalm_server.auth.audit.service import record as audit
from nalm_server.auth.tokens.service import Principal
from nalm_server.base.errors import InvalidError
from nalm_server.db.context import Context
from nalm_server.git.commits.order import record
from nalm_server.jobs import approvals, presentation, revisions, service
from nalm_server.jobs.revisions import Pair
from nalm_server.jobs.schemas import JobDetail, JobReason, JobRequest, names_to_measure


def request_job(context: Context, caller: Principal, project: str, request: JobRequest) -> JobDetail:
    """Resolves the revisions first, outside of a transaction: a repository may be slow."""
    with context.read_sessions() as session:
        row = require_project(session, caller, project, Role.DEVELOPER)
    pair = revisions.pair(context, row, request.head, request.base)
    if pair.base == pair.head:
        raise InvalidError(f"Head and base are both {short(pair.head)}: there is nothing to compare.")
    with context.sessions() as session:
        job = _queue(session, context, caller, pair, request)
        session.commit()
    return job


def _queue(
    session: Session, context: Context, caller: Principal, pair: Pair, request: JobRequest
) -> JobDetail:
    now, project_id = context.clock(), pair.project_id
    project_rows.lock(session, project_id)
    approvals.require_base(session, project_id, pair.base)
    read = pair.info is not None
    commit = record(session, project_id, pair.head, pair.parent, pair.info, listed=pair.listed, read=read)
    job = service.enqueue(
        session,
        commit,
        pair.base,
        reason=JobReason.PERSON,
        why=f"requested by {caller.name}",
        now=now,
        requested_by=caller.name[:128],
        branch=request.branch or pair.branch,
        scenarios=names_to_measure(request.kind, request.scenarios),
    )
    audit(session, caller, "job.request", f"job {job.id}", now, project_id=project_id)
    session.flush()
    return presentation.get_job(session, job.id, now)
