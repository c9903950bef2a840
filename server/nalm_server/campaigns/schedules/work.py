# SPDX-License-Identifier: Apache-2.0
"""Work.SCHEDULE: measures due schedules, once for any number of missed times."""

from __future__ import annotations

from datetime import datetime, timedelta
from functools import partial

from nalm_core.text.commit_name import short
from sqlalchemy.orm import Session

from nalm_server.auth.access import project_repository as projects
from nalm_server.base.errors import NalmError
from nalm_server.campaigns.schedules import repository
from nalm_server.campaigns.schedules.cron import parse
from nalm_server.campaigns.schedules.models import ScheduleRow
from nalm_server.campaigns.schedules.pairs import Compared, Nothing, find_pairs
from nalm_server.db.context import Context
from nalm_server.git.commits.order import record
from nalm_server.git.graph import AddressError, GraphError
from nalm_server.git.refs import repository as refs
from nalm_server.jobs import repository as job_rows
from nalm_server.jobs import service as jobs
from nalm_server.jobs.approvals import OWN
from nalm_server.jobs.schemas import JobReason
from nalm_server.worker.for_each import each

TRIED_AGAIN = timedelta(minutes=5)
"""Pause after a failed read of the repository, unless the schedule's next time is earlier."""
RELEASES_SEEN = 20
EVERY_SECONDS = 30.0


def drain(context: Context) -> None:
    """Runs each schedule that is due."""
    with context.read_sessions() as session:
        due = repository.due(session, context.clock())
    each("schedule", due, partial(_run, context))


def _run(context: Context, schedule_id: int) -> None:
    with context.read_sessions() as session:
        seen = repository.get(session, schedule_id)
        if seen is None:
            return
        project = projects.get(session, seen.project_id)
        releases = [tag.sha for tag in refs.tags(session, project.id, RELEASES_SEEN)]
    found: list[Compared] | Nothing | NalmError
    try:
        found = find_pairs(context, project, seen.against, seen.last_sha, releases)
    except NalmError as error:
        found = error
    now = context.clock()
    with context.sessions() as session:
        row = repository.lock_free(session, schedule_id)
        if row is None or not row.enabled or _stands_on(row) != _stands_on(seen):
            return  # another worker ran it, or it was changed meanwhile
        _settle(session, row, found, now)
        session.commit()


def _stands_on(row: ScheduleRow) -> tuple[object, ...]:
    return row.next_at, row.against, row.last_sha, row.scenarios


def _settle(
    session: Session, row: ScheduleRow, found: list[Compared] | Nothing | NalmError, now: datetime
) -> None:
    row.next_at = parse(row.cron).after(now)
    if isinstance(found, NalmError):
        row.message = found.message
        if isinstance(found, GraphError) and not isinstance(found, AddressError):
            row.next_at = min(row.next_at, now + TRIED_AGAIN)
        return
    row.last_at = now
    if isinstance(found, Nothing):
        row.message, row.last_sha = found.why, found.tip.sha
        return
    projects.lock(session, row.project_id)
    row.message = " ".join(_measured(session, row, pair, now) for pair in found)
    row.last_sha = found[-1].head.sha


def _measured(session: Session, row: ScheduleRow, found: Compared, now: datetime) -> str:
    """Queues a pair, unless it was measured; what is to be said about it."""
    head = found.head
    commit = record(session, row.project_id, head.sha, head.parent, head, read=True)
    pair = f"{short(found.head.sha)} against {short(found.base)}"
    known = job_rows.same(
        session, commit.id, found.base, JobReason.SCHEDULE, scenarios=row.scenarios, only_host=None
    )
    if known is not None:
        return f"Nothing changed: job {known.id} ({known.state}) is already of {pair}."
    job = jobs.enqueue(
        session,
        commit,
        found.base,
        reason=JobReason.SCHEDULE,
        why=f"schedule {row.name}",
        now=now,
        scenarios=row.scenarios,
        origin=OWN,
    )
    return f"Job {job.id}: {pair}."
