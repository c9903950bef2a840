# SPDX-License-Identifier: Apache-2.0
"""Jobs as the API shows them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict
from datetime import datetime
from itertools import pairwise

from sqlalchemy.orm import Session

from nalm_server.auth.access.project_repository import name_of as project_name
from nalm_server.auth.access.roles import Role
from nalm_server.auth.access.service import require_project
from nalm_server.auth.tokens.principal import Principal
from nalm_server.git.commits import repository as commits
from nalm_server.jobs import approval_repository as approvals
from nalm_server.jobs import ports, repository, service
from nalm_server.jobs import queue_repository as queue
from nalm_server.jobs.agents.matching import why_waiting
from nalm_server.jobs.models import JobRow
from nalm_server.jobs.repository import Beside
from nalm_server.jobs.schemas import Job, JobDetail, JobOrder, JobState, Transition


def list_jobs(
    session: Session,
    caller: Principal,
    *,
    project: str | None,
    host: str | None,
    states: Sequence[JobState] | None,
    order: JobOrder = JobOrder.NEWEST,
    limit: int,
) -> list[Job]:
    """Jobs of one project, or of all that the caller may read; of one host, if it is their last."""
    project_id = require_project(session, caller, project, Role.READER).id if project else None
    found = repository.list_jobs(
        session, caller, project_id=project_id, host=host, states=states, order=order, limit=limit
    )
    outcomes = ports.outcomes.call(session, [row.id for row, _ in found])
    places = _places(session, [row for row, _ in found])
    return [_described(row, beside, outcomes, places) for row, beside in found]


def get_job(session: Session, job_id: int, now: datetime) -> JobDetail:
    row = service.require(session, job_id)
    moves = [Transition.model_validate(one) for one in repository.transitions(session, row.id)]
    commit = commits.get(session, row.commit_id)
    request_reason = moves[0].reason if moves else None
    approval = (
        approvals.find(session, row.project_id, row.head_sha, row.fork) if row.fork is not None else None
    )
    beside = Beside(
        project_name(session, row.project_id),
        commit.subject,
        commit.author,
        request_reason,
        approval.approved_at if approval else None,
        approval.approved_by if approval else None,
    )
    return JobDetail(
        **dict(_described(row, beside, ports.outcomes.call(session, [row.id]), _places(session, [row]))),
        budget_seconds=row.budget_seconds,
        log_tail=row.log_tail,
        transitions=moves,
        retries=[
            one
            for before, one in pairwise(moves)
            if one.state is JobState.QUEUED and before.state is not JobState.QUEUED
        ],
        waiting=why_waiting(session, row, now),
        run_ids=ports.run_ids.call(session, row.id),
    )


def _places(session: Session, rows: Sequence[JobRow]) -> dict[int, int]:
    """Of those that wait for a host."""
    waiting = [row.id for row in rows if row.state == JobState.QUEUED and row.held is None]
    return queue.places(session, waiting) if waiting else {}


def _described(
    row: JobRow, beside: Beside, outcomes: Mapping[int, dict[str, int]], places: Mapping[int, int]
) -> Job:
    fields = asdict(beside) | {"outcomes": outcomes.get(row.id, {}), "queue_position": places.get(row.id)}
    return Job(**fields, **{name: getattr(row, name) for name in Job.model_fields if name not in fields})
