# SPDX-License-Identifier: Apache-2.0
"""Takes active backfills further: reads the range once, then keeps some jobs of it in the queue."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from functools import partial

from sqlalchemy.orm import Session

from nalm_server.auth.access import project_repository as projects
from nalm_server.base.errors import NalmError
from nalm_server.campaigns.backfill import repository
from nalm_server.campaigns.backfill.models import BackfillRow, BackfillStepRow
from nalm_server.campaigns.backfill.schemas import BackfillState, StepState
from nalm_server.db.context import Context
from nalm_server.git.commits import repository as commits
from nalm_server.git.graph import CommitInfo
from nalm_server.jobs import approvals, commit_range
from nalm_server.jobs import service as jobs
from nalm_server.jobs.schemas import OPEN, JobReason, JobState
from nalm_server.worker.for_each import each

OPEN_JOBS = 50
"""So many jobs of one backfill are in the queue at once, however long its range."""


def drain(context: Context) -> None:
    """Each active one as far as it goes now."""
    with context.read_sessions() as session:
        active = repository.active_ids(session, context.clock())
    each("backfill", active, partial(_work_on, context))


def _work_on(context: Context, backfill_id: int) -> None:
    with context.read_sessions() as session:
        found = repository.find(session, backfill_id)
    if found is not None and found.state == BackfillState.PLANNING:
        _plan(context, found)
    while _refill(context, backfill_id):
        pass


def pairs(first: str, line: Sequence[CommitInfo], every: int) -> list[tuple[str, str]]:
    """(base, head) of each step: every n-th commit against the one before it; the last is always in."""
    heads = [info.sha for info in line[every - 1 :: every]]
    if not heads or heads[-1] != line[-1].sha:
        heads.append(line[-1].sha)
    return list(zip([first, *heads], heads, strict=False))


def _plan(context: Context, backfill: BackfillRow) -> None:
    with context.read_sessions() as session:
        project = projects.get(session, backfill.project_id)
    steps: list[tuple[str, str]] = []
    error = None
    try:
        found = commit_range.line(context, project, backfill.first_sha, backfill.last_sha)
        commit_range.make_known(context, project, found)
        steps = pairs(backfill.first_sha, found, backfill.every)
    except NalmError as said:
        error = said
    now = context.clock()
    with context.sessions() as session:
        row = repository.lock(session, backfill.id)
        if row is None or row.state != BackfillState.PLANNING:
            return
        row.updated_at = now
        if error is None:
            repository.add_steps(session, row.id, steps)
            row.state, row.message = BackfillState.RUNNING, None
        elif not commit_range.put_off(row, error, now):
            row.state, row.finished_at = BackfillState.FAILED, now
        session.commit()


def _refill(context: Context, backfill_id: int) -> bool:
    """True if there may be more to do at once: steps that needed no job."""
    with context.sessions() as session:
        row = repository.lock(session, backfill_id, wait=False)
        if row is None or row.state != BackfillState.RUNNING:
            return False
        more = _refilled(session, row, context.clock())
        session.commit()
    return more


def _refilled(session: Session, row: BackfillRow, now: datetime) -> bool:
    repository.settle(session, row.id)
    open_jobs = repository.counts(session, [row.id]).get(row.id, {}).get(StepState.QUEUED, 0)
    steps = repository.waiting(session, row.id, OPEN_JOBS - open_jobs) if open_jobs < OPEN_JOBS else []
    if steps:
        projects.lock(session, row.project_id)
        measured = repository.measured(session, row.project_id, steps)
        for step in steps:
            _queue(session, row, step, measured, now)
    elif not open_jobs:
        row.state, row.finished_at = BackfillState.DONE, now
    row.updated_at = now
    session.flush()
    return any(step.state != StepState.QUEUED for step in steps)


def _queue(
    session: Session,
    row: BackfillRow,
    step: BackfillStepRow,
    measured: set[tuple[str, str, str]],
    now: datetime,
) -> None:
    there = {scenario for base, head, scenario in measured if (base, head) == (step.base_sha, step.head_sha)}
    missing = None if row.scenarios is None else [one for one in row.scenarios if one not in there]
    commit = commits.find(session, row.project_id, step.head_sha)
    if commit is None or missing == [] or (missing is None and there):
        step.state = StepState.REUSED if commit is not None else StepState.FAILED
        return
    job = jobs.enqueue(
        session,
        commit,
        step.base_sha,
        reason=JobReason.BACKFILL,
        why=f"backfill {row.id}",
        now=now,
        origin=approvals.origin_on_line(session, commit, row.last_sha),
        requested_by=row.requested_by,
        scenarios=missing,
        backfill_id=row.id,
    )
    step.job_id = job.id
    step.state = StepState.QUEUED
    if job.state not in OPEN:  # measured for another backfill, in vain
        step.state = StepState.DONE if job.state == JobState.DONE else StepState.FAILED
