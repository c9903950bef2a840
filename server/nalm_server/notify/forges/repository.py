# SPDX-License-Identifier: Apache-2.0
"""SQL of what forges show. Backfills and bisects measure the past, confirmations known changes, controls nalm
itself: forges do not show them."""

from __future__ import annotations

from sqlalchemy import Select, and_, select
from sqlalchemy.orm import Session, undefer

from nalm_server.alerts.dropping import DROPPED
from nalm_server.alerts.models import AlertMoveRow, AlertRow
from nalm_server.campaigns.confirmation.repository import KIND as CONFIRMATION
from nalm_server.git.commits.models import CommitRow
from nalm_server.git.refs import repository as refs
from nalm_server.jobs.models import CampaignRow, JobRow
from nalm_server.jobs.repository import NOT_FOR_COMMIT
from nalm_server.jobs.schemas import JobReason
from nalm_server.notify.forges.alert_status import Known
from nalm_server.results.models import RunRow, VerdictRow
from nalm_server.results.series.models import ScenarioRow

OF_THE_PAST = (JobReason.BACKFILL, *NOT_FOR_COMMIT)


def _newest(query: Select[JobRow], session: Session) -> JobRow | None:
    query = query.where(JobRow.reason.not_in(OF_THE_PAST)).order_by(JobRow.id.desc()).limit(1)
    return session.scalars(query).one_or_none()


def newest_job_of_commit(session: Session, project_id: int, sha: str) -> JobRow | None:
    query = (
        select(JobRow)
        .join(CommitRow, CommitRow.id == JobRow.commit_id)
        .where(CommitRow.project_id == project_id, CommitRow.sha == sha)
    )
    return _newest(query, session)


def newest_job_of_pull_request(session: Session, project_id: int, number: int) -> JobRow | None:
    """The newest of its present head and base, its own before that of another one, which measured the same;
    else its newest of any head."""
    own = select(JobRow).where(JobRow.project_id == project_id, JobRow.pull_request == number)
    request = refs.find_pull_request(session, project_id, number)
    if request is None or request.base_sha is None:
        return _newest(own, session)
    present = own.where(JobRow.head_sha == request.head_sha, JobRow.base_sha == request.base_sha)
    shared = (
        select(JobRow)
        .join(CommitRow, CommitRow.id == JobRow.commit_id)
        .where(CommitRow.project_id == project_id, CommitRow.sha == request.head_sha)
        .where(JobRow.base_sha == request.base_sha, JobRow.reason == JobReason.PULL_REQUEST)
        .where(JobRow.pull_request != number)
    )
    return _newest(present, session) or _newest(shared, session) or _newest(own, session)


def newest_verdicts(
    session: Session, project_id: int, sha: str, job_id: int | None
) -> list[tuple[str, RunRow, VerdictRow]]:
    """Of the job, or without one of uploads for the commit: each scenario's newest, by name."""
    query = (
        select(ScenarioRow.name, RunRow, VerdictRow)
        .join(RunRow, RunRow.scenario_id == ScenarioRow.id)
        .join(VerdictRow, VerdictRow.run_id == RunRow.id)
        .join(CommitRow, CommitRow.id == RunRow.commit_id)
        .where(CommitRow.project_id == project_id, CommitRow.sha == sha)
        .where(RunRow.job_id == job_id)
        .order_by(ScenarioRow.name, RunRow.received_at, RunRow.id)
        .options(undefer(VerdictRow.document))
    )
    newest = {name: (name, run, verdict) for name, run, verdict in session.execute(query)}
    return list(newest.values())


def known(session: Session, project_id: int, sha: str) -> list[Known]:
    """The fate of each series that moved at the commit in a pair; none if a forced push dropped it."""
    query = (
        select(AlertMoveRow.scenario, AlertMoveRow.fate, AlertRow.state, CampaignRow.state)
        .join(CommitRow, CommitRow.id == AlertMoveRow.commit_id)
        .outerjoin(AlertRow, AlertRow.id == AlertMoveRow.alert_id)
        .outerjoin(CampaignRow, and_(CampaignRow.kind == CONFIRMATION, CampaignRow.number == AlertRow.id))
        .where(CommitRow.project_id == project_id, CommitRow.sha == sha, AlertMoveRow.source == "pair")
        .where(AlertRow.reason.is_distinct_from(DROPPED))
        .order_by(AlertMoveRow.id)
    )
    return [Known(*row) for row in session.execute(query)]
