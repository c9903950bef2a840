# SPDX-License-Identifier: Apache-2.0
"""Plans an event outside a transaction and writes its commits, jobs, branches, tags and pull requests in one.
Idempotent."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import replace
from datetime import datetime

from nalm_core.text.plain_text import plain
from sqlalchemy.orm import Session

from nalm_server.alerts import dropping
from nalm_server.alerts.rules import expectations
from nalm_server.auth.access import project_repository as projects
from nalm_server.db.context import Context
from nalm_server.git.branch_filters import repository as settings
from nalm_server.git.branch_filters.filters import branch_filters_of
from nalm_server.git.commits.models import CommitRow
from nalm_server.git.commits.order import Sighting, record, record_all, unlist
from nalm_server.git.events import (
    BranchDeleted,
    BranchPushed,
    Event,
    MergeGroupChanged,
    PullRequestChanged,
    TagDeleted,
    TagPushed,
)
from nalm_server.git.graph import Graph, GraphCommit
from nalm_server.git.refs import repository as refs
from nalm_server.git.refs import service as ref_service
from nalm_server.jobs import repository as job_rows
from nalm_server.jobs import service as jobs
from nalm_server.jobs import shared, superseding
from nalm_server.jobs.approvals import Origin
from nalm_server.jobs.models import JobRow
from nalm_server.jobs.service import PullRequestHead
from nalm_server.webhooks import repository
from nalm_server.webhooks.plans.make import make_plan
from nalm_server.webhooks.plans.plan import Measurement, Plan, PlanInputs, StoredState

RELEASES_SEEN = 20
PATHS_LENGTH = 20_000
"""A commit's paths are stored up to this length: searches find it by these."""
SKIPPED = "touches nothing that is measured"


def plan_inputs(context: Context, project_id: int) -> PlanInputs:
    """The project's present state."""
    with context.read_sessions() as session:
        project = projects.get(session, project_id)
        most = context.settings.fork_pull_requests
        filters = branch_filters_of(project, settings.find(session, project_id), most)
    return PlanInputs(filters, Graph(context, project))


@contextmanager
def planned(
    context: Context, inputs: PlanInputs, event: Event, *, last_try: bool = False
) -> Iterator[tuple[Session, Plan]]:
    """Yields the event's plan in a transaction that holds the project's lock, and commits it.

    Raises GraphError or UnknownRevisionError if the plan cannot be made, or not yet.
    """
    project_id = inputs.graph.project.id
    while True:
        with context.read_sessions() as session:
            before = stored(session, project_id, event)
        plan = replace(
            make_plan(inputs, event, before, last_try=last_try), paths=dict(inputs.graph.read_paths)
        )
        with context.sessions() as session:
            repository.commit_without_waiting(session)
            projects.lock(session, project_id)
            if stored(session, project_id, event) != before:
                continue  # the stored state has changed since the plan was made
            yield session, plan
            session.commit()
            return


def stored(session: Session, project_id: int, event: Event) -> StoredState:
    """Returns the stored state that a plan depends on."""
    match event:
        case BranchPushed(branch=name):
            row = refs.find_branch(session, project_id, name)
            return StoredState(branch=row.sha if row and row.deleted_at is None else None)
        case TagPushed():
            return StoredState(tags=tuple(tag.sha for tag in refs.tags(session, project_id, RELEASES_SEEN)))
        case PullRequestChanged(number=number):
            request = refs.find_pull_request(session, project_id, number)
            return StoredState(request_changed_at=request.changed_at if request else None)
    return StoredState()


def apply(session: Session, project_id: int, event: Event, plan: Plan, now: datetime) -> list[int]:
    """Returns the numbers of the plan's jobs. The caller holds the project's lock."""
    if plan.late:
        return []
    if isinstance(event, PullRequestChanged):
        made = apply_pull_requests(session, project_id, [(event, plan)], now)
        assert made is not None, "the order of a single plan cannot matter"
        return made[0]
    commits = _record(session, project_id, [plan])
    if isinstance(event, BranchPushed) and plan.listed:
        dropping.returned(session, project_id, now)
    job_ids = [_enqueue(session, commits[one.sha], one, event, now) for one in plan.measurements]
    _move_refs(session, project_id, event, plan, now)
    _drop(session, project_id, event, plan, now)
    return job_ids


def apply_pull_requests(
    session: Session, project_id: int, steps: Sequence[tuple[PullRequestChanged, Plan]], now: datetime
) -> list[list[int]] | None:
    """Applies several plans with as many statements as one; no two are of the same pull request or head.

    Returns None and changes nothing if their order matters: an open job of one measures another's head, or
    one comes late.
    """
    rows = refs.pull_requests_by_number(session, project_id, {event.number for event, _ in steps})
    if any(event.is_late(rows[event.number].changed_at) for event, _ in steps if event.number in rows):
        return None
    open_jobs = job_rows.open_of_pull_requests(session, project_id, [event.number for event, _ in steps])
    of_heads = {event.head_sha: event.number for event, _ in steps}
    if any(of_heads.get(job.head_sha, job.pull_request) != job.pull_request for job in open_jobs):
        return None
    commits = _record(session, project_id, [plan for _, plan in steps])
    heads = [_head(commits, one) for _, plan in steps for one in plan.measurements]
    queued = iter(jobs.enqueue_pull_requests(session, heads, now))
    made = [[next(queued).id for _ in plan.measurements] for _, plan in steps]
    changes = [(event, plan.base) for event, plan in steps]
    ref_service.change_pull_requests(session, project_id, rows, changes, now)
    for event, _ in steps:
        _expect(session, project_id, event, now)
    drops = list(_dropped(open_jobs, [event for event, _ in steps]))
    superseding.drop_all(session, shared.pass_on(session, drops, now), now)
    return made


def _dropped(
    open_jobs: Sequence[JobRow], events: Sequence[PullRequestChanged]
) -> Iterator[tuple[JobRow, str]]:
    """Jobs of pull requests that moved or ended, each with the reason."""
    by_number = {event.number: event for event in events}
    for job in open_jobs:
        event = by_number[job.pull_request or 0]
        if event.state != "open":
            yield job, f"pull request {event.number} was {event.state}"
        elif job.head_sha != event.head_sha:
            yield job, f"pull request {event.number} was pushed to"


def _record(session: Session, project_id: int, plans: Sequence[Plan]) -> dict[str, CommitRow]:
    """Records the commits of all plans."""
    rows = record_all(session, project_id, (it for plan in plans for it in _sightings(plan)))
    for sha in (sha for plan in plans for sha in plan.untouched):
        rows[sha].skipped = SKIPPED
    for (old, new), paths in ((pair, paths) for plan in plans for pair, paths in plan.paths.items()):
        row = rows.get(new)
        if row is not None and row.paths is None and row.parent_sha == old:
            row.paths = plain("\n".join(paths)[:PATHS_LENGTH])
    return rows


def _sightings(plan: Plan) -> Iterator[Sighting]:
    for known in plan.commits:
        read = isinstance(known.info, GraphCommit)
        yield Sighting(known.sha, known.parent, known.info, plan.listed, read)
    for sha in [*plan.untouched, *(one.sha for one in plan.measurements)]:
        yield Sighting(sha, listed=plan.listed)


def _head(commits: Mapping[str, CommitRow], measurement: Measurement) -> PullRequestHead:
    return PullRequestHead(
        commits[measurement.sha],
        measurement.base,
        measurement.why,
        fork=measurement.fork,
        pull_request=measurement.pull_request,
        branch=measurement.branch,
    )


def _enqueue(
    session: Session, commit: CommitRow, measurement: Measurement, event: Event, now: datetime
) -> int:
    job = jobs.enqueue(
        session,
        commit,
        measurement.base,
        reason=measurement.reason,
        why=measurement.why,
        now=now,
        origin=Origin(measurement.fork),
        pull_request=measurement.pull_request,
        branch=measurement.branch or (event.branch if isinstance(event, BranchPushed) else None),
    )
    return job.id


def _move_refs(session: Session, project_id: int, event: Event, plan: Plan, now: datetime) -> None:
    match event:
        case BranchPushed(branch=name) if plan.new_tip:
            refs.place_branch(session, project_id, name, plan.new_tip, now)
        case TagPushed(tag=name) if plan.new_tip:
            refs.place_tag(session, project_id, name, plan.new_tip, now)
        case BranchDeleted(name):
            refs.delete(session, refs.find_branch(session, project_id, name), now)
        case TagDeleted(name):
            refs.delete(session, refs.find_tag(session, project_id, name), now)


def _expect(session: Session, project_id: int, request: PullRequestChanged, now: datetime) -> None:
    """A merged request's declarations, and what was accepted of its head, apply to its merge commit, or
    without one to its head."""
    if request.state != "merged":
        return
    accepted = expectations.triaged(session, project_id, request.head_sha)
    if not (accepted or expectations.declares(request.body)):
        return
    merged = record(session, project_id, request.merged_as or request.head_sha, None, listed=False)
    expectations.record_request(session, merged, request.body or "", request.author, now)
    expectations.inherit(session, merged, accepted, now)


def _drop(session: Session, project_id: int, event: Event, plan: Plan, now: datetime) -> None:
    """Drops jobs of commits that no branch has any more, and of merge groups that left the queue; commits
    that left the default branch also leave its line, with their alerts."""
    match event:
        case MergeGroupChanged(number=number, waiting=False, head_sha=head):
            own = refs.find_pull_request(session, project_id, number)
            if own is None or own.head_sha != head:
                jobs.supersede(session, project_id, why=plan.reason, now=now, pull_request=number, head=head)
        case _ if plan.dropped:
            jobs.supersede(session, project_id, why=dropping.DROPPED, now=now, shas=plan.dropped)
            if plan.listed:
                dropping.dropped(session, unlist(session, project_id, plan.dropped), now)
