# SPDX-License-Identifier: Apache-2.0
"""Accepts reports of every kind: parses, checks the sender, stores each once."""

from __future__ import annotations

from datetime import datetime

from nalm_core.report.run_report import Arm
from nalm_core.text.commit_name import short
from sqlalchemy.orm import Session

from nalm_server.auth.access import project_repository as projects
from nalm_server.auth.access.project_models import ProjectRow
from nalm_server.auth.access.roles import Role
from nalm_server.auth.access.service import NO_PROJECT, may_upload, require_role
from nalm_server.auth.tokens.principal import Principal
from nalm_server.auth.tokens.scopes import Scope
from nalm_server.base.errors import ConflictError, FencedOffError, ForbiddenError, NotFoundError
from nalm_server.db.context import Context
from nalm_server.db.reports.packing import pack
from nalm_server.db.reports.writing import written
from nalm_server.jobs import leasing
from nalm_server.jobs import repository as jobs
from nalm_server.jobs.agents.identity import require_own
from nalm_server.jobs.models import JobRow
from nalm_server.jobs.schemas import HELD
from nalm_server.results import acceptance, ports
from nalm_server.results.draft import Accepted, Draft, Upload
from nalm_server.results.schemas import ReportTaken


def take_report(
    context: Context,
    caller: Principal,
    body: bytes,
    job_id: int | None,
    fence: int | None,
    *,
    proposed: bool = False,
    project: str | None = None,
) -> ReportTaken:
    """The answer is the same for repeated uploads."""
    report, canonical = acceptance.parse(body)
    upload = Upload(report, pack(canonical), caller, job_id, fence, proposed, project)
    draft = _draft(context, upload)
    with written(context.reports, upload.packed) as stored, context.sessions() as session:
        accepted = _take(session, upload, draft, context.clock())
        session.commit()
        stored.kept = accepted.keep
    return accepted.reply


def _draft(context: Context, upload: Upload) -> Draft:
    """The draft of the kind that the job requires."""
    with context.read_sessions() as session:
        job = _find_job(session, upload)
    return ports.draft_for(job)(upload)


def _find_job(session: Session, upload: Upload) -> JobRow | None:
    return jobs.find(session, upload.job_id) if upload.job_id is not None else None


def _take(session: Session, upload: Upload, draft: Draft, now: datetime) -> Accepted:
    project = _project(session, upload)
    stored = draft.stored(session, project)
    if stored is not None:
        if stored.digest != upload.packed.digest or not stored.belongs:
            raise ConflictError(
                f"Run {upload.report.run_id} is stored with other content: each run needs a new id."
            )
        return Accepted(stored.reply)
    if upload.job_id is None:
        return draft.store(session, project, None, now)
    job = _job(session, project, upload, upload.job_id, now)
    result = draft.of_job(session, job)
    if result is not None:
        return Accepted(result, keep=False)
    return draft.store(session, project, job, now)


def _project(session: Session, upload: Upload) -> ProjectRow:
    """The job's project, regardless of the name in nalm.toml; without a job, the project that the caller or
    the report names."""
    caller, job = upload.caller, _find_job(session, upload)
    if job is not None and _may_send(session, upload, job.project_id):
        return projects.lock(session, job.project_id)
    if caller.scope is Scope.AGENT:
        if upload.job_id is None or upload.fence is None:
            raise ForbiddenError("An agent uploads reports of its jobs only: give job_id and fence.")
        raise NotFoundError(f"There is no job {upload.job_id}.")
    found = projects.find(session, upload.project or upload.report.project)
    if found is None:
        raise NotFoundError(NO_PROJECT)
    if not _may_send(session, upload, found.id):
        require_role(session, caller, found.id, Role.READER)
        raise ForbiddenError(
            "Reports of this project need the role developer, or one of its tokens of scope upload."
        )
    return projects.lock(session, found.id)


def _may_send(session: Session, upload: Upload, project_id: int) -> bool:
    """True for an agent with a lease, which the fence proves; others need access."""
    if upload.caller.scope is Scope.AGENT:
        return upload.job_id is not None and upload.fence is not None
    return may_upload(session, upload.caller, project_id)


def _job(session: Session, project: ProjectRow, upload: Upload, job_id: int, now: datetime) -> JobRow:
    """The job, if the report may still be its result."""
    job = jobs.lock(session, job_id)
    if job is None or job.project_id != project.id:
        raise NotFoundError(f"Project {project.name!r} has no job {job_id}.")
    require_own(session, upload.caller, job)
    if upload.fence is not None:
        leasing.require_holder(session, job, upload.fence, now)
    elif job.state not in HELD:
        raise FencedOffError(f"Job {job_id} is {job.state}: the report came too late.")
    head = upload.report.arms.get(Arm.HEAD)
    if head is not None and head.build.commit != job.head_sha:
        raise ConflictError(
            f"Job {job_id} measures {short(job.head_sha)}, the report is of {short(head.build.commit)}."
        )
    return job
