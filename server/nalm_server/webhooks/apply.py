# SPDX-License-Identifier: Apache-2.0
"""Writes a plan: commits, jobs, branches, tags, pull requests. Twice is as good as once."""

from __future__ import annotations

from datetime import datetime

from sqlalchemy.orm import Session

from nalm_server.alerts.rules import expectations
from nalm_server.git.commits.models import CommitRow
from nalm_server.git.commits.order import record
from nalm_server.git.events import (
    BranchDeleted,
    BranchPushed,
    Event,
    MergeGroupChanged,
    PullRequestChanged,
    TagDeleted,
    TagPushed,
)
from nalm_server.git.refs import repository as refs
from nalm_server.git.refs import service as ref_service
from nalm_server.jobs import service as jobs
from nalm_server.jobs.approvals import Origin
from nalm_server.webhooks.plans.plan import Measurement, Plan, Stored

RELEASES_SEEN = 20
SKIPPED = "touches nothing that is measured"


def stored(session: Session, project_id: int, event: Event) -> Stored:
    """What a plan stands on."""
    match event:
        case BranchPushed(branch=name):
            row = refs.find_branch(session, project_id, name)
            return Stored(branch=row.sha if row and row.deleted_at is None else None)
        case TagPushed():
            return Stored(tags=tuple(tag.sha for tag in refs.tags(session, project_id, RELEASES_SEEN)))
    return Stored()


def apply(session: Session, project_id: int, event: Event, plan: Plan, now: datetime) -> list[int]:
    """The numbers of its jobs. The caller holds the project's lock."""
    commits = {
        known.sha: record(session, project_id, known.sha, known.parent, known.info, listed=plan.listed)
        for known in plan.commits
    }
    for sha in plan.untouched:
        record(session, project_id, sha, None, listed=plan.listed).skipped = SKIPPED
    made = []
    for one in plan.measurements:
        commit = commits.get(one.sha) or record(session, project_id, one.sha, None, listed=plan.listed)
        made.append(_enqueue(session, commit, one, now))
    _move_refs(session, project_id, event, plan, now)
    _drop(session, project_id, event, plan, now)
    return made


def _enqueue(session: Session, commit: CommitRow, measurement: Measurement, now: datetime) -> int:
    job = jobs.enqueue(
        session,
        commit,
        measurement.base,
        reason=measurement.reason,
        why=measurement.why,
        now=now,
        origin=Origin(measurement.fork),
        pull_request=measurement.pull_request,
    )
    return job.id


def _move_refs(session: Session, project_id: int, event: Event, plan: Plan, now: datetime) -> None:
    match event:
        case BranchPushed(branch=name) if plan.place:
            refs.place_branch(session, project_id, name, plan.place, now)
        case TagPushed(tag=name) if plan.place:
            refs.place_tag(session, project_id, name, plan.place, now)
        case BranchDeleted(name):
            refs.delete(session, refs.find_branch(session, project_id, name), now)
        case TagDeleted(name):
            refs.delete(session, refs.find_tag(session, project_id, name), now)
        case PullRequestChanged():
            ref_service.change_pull_request(session, project_id, event, plan.base, now)
            _expect(session, project_id, event, now)


def _expect(session: Session, project_id: int, request: PullRequestChanged, now: datetime) -> None:
    """What a merged request declares holds for its merge commit, or without one for its head."""
    if request.state == "merged" and expectations.declares(request.body):
        merged = record(session, project_id, request.merged_as or request.head_sha, None, listed=False)
        expectations.record_request(session, merged, request.body or "", request.author, now)


def _drop(session: Session, project_id: int, event: Event, plan: Plan, now: datetime) -> None:
    """Jobs of commits that no branch has any more, of a pull request that moved or ended, of a queue left."""
    match event:
        case PullRequestChanged(number=number, state="open", head_sha=head):
            why = f"pull request {number} was pushed to"
            jobs.supersede(session, project_id, why=why, now=now, pull_request=number, keep=head)
        case PullRequestChanged(number=number, state=state):
            why = f"pull request {number} was {state}"
            jobs.supersede(session, project_id, why=why, now=now, pull_request=number)
        case MergeGroupChanged(number=number, waiting=False):
            own = refs.find_pull_request(session, project_id, number)
            keep = own.head_sha if own else None
            jobs.supersede(session, project_id, why=plan.reason, now=now, pull_request=number, keep=keep)
        case _ if plan.dropped:
            jobs.supersede(session, project_id, why="dropped by a force push", now=now, shas=plan.dropped)
