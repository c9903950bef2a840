# SPDX-License-Identifier: Apache-2.0
"""Writes notifications in the transaction of their cause."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime

import structlog
from nalm_core.render.line import cut
from nalm_core.text.commit_name import short
from nalm_core.verdict.verdict import Verdict
from sqlalchemy.orm import Session

from nalm_server.alerts.repository import has_alert
from nalm_server.alerts.weeks.service import text_of_commit
from nalm_server.auth.access import project_repository as project_rows
from nalm_server.auth.access.project_models import ProjectRow
from nalm_server.base.errors import ConflictError, NotFoundError
from nalm_server.git.commits import repository as commits
from nalm_server.git.refs import repository as refs
from nalm_server.jobs import repository as job_rows
from nalm_server.jobs import shared
from nalm_server.jobs.models import JobRow
from nalm_server.jobs.schemas import JobState
from nalm_server.notify import repository
from nalm_server.notify.forges.repository import OF_THE_PAST
from nalm_server.notify.integrations import repository as integrations
from nalm_server.notify.integrations.kinds import FORGES, Event
from nalm_server.notify.integrations.models import IntegrationRow
from nalm_server.notify.messages import TEXT_LIMIT, Message, event_of, is_subscribed, text_of
from nalm_server.notify.models import NotificationRow
from nalm_server.notify.schemas import Notification, NotificationKind, NotificationState
from nalm_server.results.repository import JudgedRun, recovery_of
from nalm_server.worker.kinds import Work
from nalm_server.worker.wake import wake

LOST = (JobState.FAILED, JobState.INVALID)
ENDED = (JobState.DONE, *LOST)
REPORTED = (JobState.QUEUED, *ENDED, JobState.CANCELLED, JobState.SUPERSEDED)
"""States of a job that change what forges show."""
OF_ALERTS = (Event.REGRESSED, Event.RECOVERED, Event.BROKEN)
"""Sent for commits of the default branch by their alert, after its confirmation."""
OPEN_TO_REDELIVERY = (NotificationState.SENT, NotificationState.FAILED, NotificationState.UNSURE)


def run_taken(session: Session, judged: JudgedRun, now: datetime) -> None:
    """A report was judged and stored."""
    run = judged.run
    job = job_rows.find(session, run.job_id) if run.job_id is not None else None
    to_tell = integrations.enabled(session, run.project_id)
    if not to_tell or (job is not None and job.reason in OF_THE_PAST):
        return
    _tell_forges(session, to_tell, run.head_sha, job, now)
    verdict = Verdict.model_validate(judged.verdict.document)
    fixes, recovery = judged.verdict.fixes_sha, recovery_of(judged.verdict)
    event = event_of(verdict, recovery)
    of_an_alert = event in OF_ALERTS or fixes is not None
    requested = job is not None and job.pull_request is not None
    if event is None or (of_an_alert and not requested and has_alert(session, judged)):
        return
    project = project_rows.get(session, run.project_id)
    proposed = job is None and not commits.get(session, run.commit_id).listed
    requests = refs.open_with_heads(session, project.id, [run.head_sha]) if proposed else []
    proposed_by = requests[0].number if requests else None
    message = Message(
        event=event,
        at=now,
        project=project.name,
        text=text_of(project.name, judged.scenario, run.head_sha, verdict, fixes=fixes, recovery=recovery),
        overall=text_of_commit(session, run.commit_id, run.base_sha),
        url=f"/p/{project.name}/runs/{run.run_id}",
        commit=run.head_sha,
        base=run.base_sha,
        branch=None if proposed else _branch(job, project),
        pull_request=job.pull_request if job is not None else proposed_by,
        scenario=judged.scenario,
        run_id=run.run_id,
        job_id=run.job_id,
        verdict=judged.verdict.document,
    )
    _tell_others(session, to_tell, message, f"{event}:{run.run_id}", now)


def alert_moved(session: Session, project_id: int, message: Message, subject: str, now: datetime) -> int:
    """Adds messages about a new state of an alert, once for each subject. Returns the number of messages
    added."""
    return _tell_others(session, integrations.enabled(session, project_id), message, subject, now)


def look_again(
    session: Session,
    project_id: int,
    shas: Sequence[str],
    now: datetime,
    *,
    pull_requests: Sequence[int] = (),
) -> None:
    """Updates what forges show of these commits and pull requests; what they do not show stays so."""
    subjects = [(NotificationKind.STATUS, sha) for sha in shas]
    subjects += [(NotificationKind.COMMENT, str(number)) for number in pull_requests]
    for one in integrations.enabled(session, project_id):
        if one.kind in FORGES:
            for kind, subject in subjects:
                if one.config["statuses" if kind is NotificationKind.STATUS else "comments"]:
                    repository.want_again(session, one.id, kind, subject, now)
            wake(session, Work.NOTIFICATIONS)


def already_measured(session: Session, job: JobRow, pull_request: int, now: datetime) -> None:
    """The pull request's comment is about a job that is over: of another one, or of a head that came back."""
    if job.state not in ENDED:
        return
    for one in integrations.enabled(session, job.project_id):
        if one.kind in FORGES and one.config["comments"]:
            _tell(session, one, NotificationKind.COMMENT, str(pull_request), message=None, now=now)


def jobs_moved(session: Session, jobs: Sequence[JobRow], now: datetime) -> None:
    """Jobs of one project changed their state."""
    reported = [job for job in jobs if job.state in REPORTED and job.reason not in OF_THE_PAST]
    if not reported:
        return
    to_tell = integrations.enabled(session, reported[0].project_id)
    if not to_tell:
        return
    for job in reported:
        _job_moved(session, to_tell, job, now)


def _job_moved(session: Session, to_tell: Sequence[IntegrationRow], job: JobRow, now: datetime) -> None:
    _tell_forges(session, to_tell, job.head_sha, job, now)
    if job.state not in LOST:
        return
    project = project_rows.get(session, job.project_id)
    message = Message(
        event=Event.FAILED,
        at=now,
        project=project.name,
        text=cut(
            f"{project.name} {short(job.head_sha)}: job {job.id} {job.state}: {job.message or ''}", TEXT_LIMIT
        ),
        url=f"/p/{project.name}",
        commit=job.head_sha,
        base=job.base_sha,
        branch=_branch(job, project),
        pull_request=job.pull_request,
        scenario=None,
        run_id=None,
        job_id=job.id,
        verdict=None,
    )
    _tell_others(session, to_tell, message, f"failed:job-{job.id}-{job.fence}", now)


def _branch(job: JobRow | None, project: ProjectRow) -> str | None:
    """None: a pull request. The default branch, if no job says another one."""
    if job is not None and job.pull_request is not None:
        return None
    return (job.branch if job is not None else None) or project.default_branch


def _tell_forges(
    session: Session, to_tell: Sequence[IntegrationRow], sha: str, job: JobRow | None, now: datetime
) -> None:
    ended = job is not None and job.state in ENDED
    for one in to_tell:
        if one.kind not in FORGES:
            continue
        if one.config["statuses"]:
            _tell(session, one, NotificationKind.STATUS, sha, message=None, now=now)
        if one.config["comments"] and job is not None and ended:
            for number in shared.requests_of(session, job):
                _tell(session, one, NotificationKind.COMMENT, str(number), message=None, now=now)


def _tell_others(
    session: Session, to_tell: Sequence[IntegrationRow], message: Message, subject: str, now: datetime
) -> int:
    """Returns the number of new messages."""
    return sum(
        _tell(session, one, NotificationKind.MESSAGE, subject, message=message, now=now)
        for one in to_tell
        if one.kind not in FORGES and is_subscribed(message, one.events, one.branches, one.scenarios)
    )


def _tell(
    session: Session,
    integration: IntegrationRow,
    kind: NotificationKind,
    subject: str,
    *,
    message: Message | None,
    now: datetime,
) -> bool:
    """Adds a message once; marks a status or comment as changed. True: it is new."""
    added = repository.add_once(
        session,
        {
            "project_id": integration.project_id,
            "integration_id": integration.id,
            "kind": kind,
            "subject": subject,
            "payload": message.model_dump(mode="json") if message else None,
            "state": NotificationState.WAITING,
            "requested": 1,
            "tries": 0,
            "next_try_at": now,
            "request_id": structlog.contextvars.get_contextvars().get("request_id"),
            "created_at": now,
            "updated_at": now,
        },
    )
    if not added and message is None:
        repository.want_again(session, integration.id, kind, subject, now)
    wake(session, Work.NOTIFICATIONS)
    return added


def list_notifications(
    session: Session,
    project_id: int,
    states: Sequence[NotificationState] | None,
    limit: int,
    below: int | None,
) -> list[Notification]:
    return [_shown(row, name) for row, name in repository.page(session, project_id, states, limit, below)]


def redeliver(session: Session, project_id: int, number: int, now: datetime) -> None:
    """Sends it again at a person's request: a message may then arrive twice."""
    row = repository.find(session, project_id, number)
    if row is None:
        raise NotFoundError(f"The project has no notification {number}.")
    if row.state not in OPEN_TO_REDELIVERY:
        raise ConflictError(f"Notification {number} is {row.state}: it is sent without a retry.")
    _again(row, now)
    wake(session, Work.NOTIFICATIONS)


def _again(row: NotificationRow, now: datetime) -> None:
    row.state = NotificationState.WAITING
    row.tries = 0
    row.requested += 1
    row.next_try_at = row.updated_at = now
    row.sent_digest = None


def _shown(row: NotificationRow, integration: str) -> Notification:
    return Notification(
        id=row.id,
        integration=integration,
        kind=NotificationKind(row.kind),
        subject=row.subject,
        state=NotificationState(row.state),
        tries=row.tries,
        next_try_at=row.next_try_at if row.state == NotificationState.WAITING else None,
        last_error=row.last_error,
        created_at=row.created_at,
        updated_at=row.updated_at,
    )
