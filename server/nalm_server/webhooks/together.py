# SPDX-License-Identifier: Apache-2.0
"""Deliveries about different pull requests, applied in one transaction with as many statements as one."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from nalm_server.auth.access import project_repository as projects
from nalm_server.db.context import Context
from nalm_server.git.events import Event, PullRequestChanged
from nalm_server.webhooks import apply, claims, repository
from nalm_server.webhooks.claims import Claimed
from nalm_server.webhooks.plans.plan import Plan

AT_ONCE = 25
"""Deliveries per transaction. The transaction blocks other writers of the project, on SQLite all writers."""


@dataclass(frozen=True)
class Step:
    """A delivery and its plan."""

    claimed: Claimed
    event: PullRequestChanged
    plan: Plan


def groups(deliveries: Iterable[tuple[Claimed, Event]]) -> Iterator[list[tuple[Claimed, Event]]]:
    """Groups in order. A group of several is of pull requests with different numbers and heads."""
    group: list[tuple[Claimed, Event]] = []
    taken: set[int | str] = set()
    for claimed, event in deliveries:
        names = _names(event)
        if group and (not names or not taken or names & taken or len(group) == AT_ONCE):
            yield group
            group, taken = [], set()
        group.append((claimed, event))
        taken |= names
    if group:
        yield group


def _names(event: Event) -> set[int | str]:
    """Keys of an event. Events with a common key are never in one group; an event without keys is alone."""
    return {event.number, event.head_sha} if isinstance(event, PullRequestChanged) else set()


def apply_together(context: Context, project_id: int, steps: Sequence[Step]) -> bool:
    """False: nothing was done, because the order matters. Deliveries that others claimed are skipped."""
    with context.sessions() as session:
        repository.commit_without_waiting(session)
        projects.lock(session, project_id)
        rows = claims.still_ours(session, [step.claimed for step in steps])
        ours = [step for step in steps if step.claimed.number in rows]
        if not ours:
            return True
        now = context.clock()
        plans = [(step.event, step.plan) for step in ours]
        job_ids = apply.apply_pull_requests(session, project_id, plans, now)
        if job_ids is None:
            return False
        done = [
            (rows[step.claimed.number], step.plan.reason, ids)
            for step, ids in zip(ours, job_ids, strict=True)
        ]
        claims.complete(session, done, now)
        session.commit()
    return True
