# SPDX-License-Identifier: Apache-2.0
"""What a forge should show now, read at the time of sending."""

from __future__ import annotations

from functools import partial

import structlog
from nalm_core.verdict.verdict import Verdict
from sqlalchemy.orm import Session

from nalm_server.alerts.acceptance import accepted_by
from nalm_server.alerts.rules.rule_repository import expectations_of
from nalm_server.auth.access.project_models import ProjectRow
from nalm_server.base.errors import NalmError, ReportExpiredError
from nalm_server.db.reports.store import ReportUnreadableError
from nalm_server.jobs.models import JobRow
from nalm_server.jobs.schemas import JobState
from nalm_server.notify.forges import repository
from nalm_server.notify.forges.alert_status import ACCEPTED, standings
from nalm_server.notify.forges.comment import Accepted, compose
from nalm_server.notify.forges.job_status import JobSaid, Said, conclude
from nalm_server.notify.forges.protocol import Comment, ForgeState, Status
from nalm_server.results import repository as runs
from nalm_server.results.extracts.renderable import renderable
from nalm_server.results.repository import JudgedRun

log = structlog.get_logger()

CONTEXT = "nalm"


def status_of(session: Session, project: ProjectRow, sha: str, base_url: str) -> Status | None:
    """The commit's status. None: nothing is known of it."""
    job = repository.newest_job_of_commit(session, project.id, sha)
    requested = job is not None and job.pull_request is not None
    known = standings([] if requested else repository.known(session, project.id, sha))
    declared = expectations_of(session, project.id, sha)
    found = []
    for name, run, row in repository.newest_verdicts(session, project.id, sha, job.id if job else None):
        verdict = Verdict.model_validate(row.document)
        standing = known.get(name)
        if (standing is None or standing.state is not ForgeState.SUCCESS) and accepted_by(
            verdict, name, declared
        ):
            standing = ACCEPTED
        found.append(Said(name, run.run_id, verdict, standing, row.fixes_sha, runs.recovery_of(row)))
    concluded = conclude(_job(job), found)
    if concluded is None:
        return None
    url = run_url(base_url, project.name, found[0].run_id if len(found) == 1 else None)
    return Status(sha, concluded[0], concluded[1], url, f"{CONTEXT}/{project.name}")


def comment_of(session: Session, project: ProjectRow, pull_request: int, base_url: str) -> Comment | None:
    """The pull request's comment, without runs whose report is expired or unreadable. None: nothing was
    measured."""
    job = repository.newest_job_of_pull_request(session, project.id, pull_request)
    if job is None:
        return None
    newest = repository.newest_verdicts(session, project.id, job.head_sha, job.id)
    judged = [JudgedRun(run, row, name, host="") for name, run, row in newest]
    found = renderable(session, judged, partial(run_url, base_url, project.name), _left_out)
    declared = expectations_of(session, project.id, job.head_sha)
    accepted = []
    for one in found:
        name = one.report.scenario.name
        if (by := accepted_by(one.verdict, name, declared)) is not None:
            accepted.append(Accepted(name, by.who, by.reason))
    return compose(project.name, pull_request, job.head_sha, _job(job), found=found, accepted=accepted)


def _left_out(one: JudgedRun, error: NalmError) -> None:
    if isinstance(error, ReportExpiredError):
        return
    if not isinstance(error, ReportUnreadableError):
        raise error
    log.warning("run left out of a comment", run_id=one.run.run_id, reason=error.message)


def run_url(base_url: str, project: str, run_id: str | None) -> str:
    """The page of a run, or of the project."""
    return f"{base_url}/p/{project}" + (f"/runs/{run_id}" if run_id else "")


def _job(row: JobRow | None) -> JobSaid | None:
    return JobSaid(JobState(row.state), row.held, row.message) if row else None
