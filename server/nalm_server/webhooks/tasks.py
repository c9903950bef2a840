# SPDX-License-Identifier: Apache-2.0
"""Processes stored deliveries. Those that wait for one repository are processed together, until each is
done or put off."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from datetime import timedelta

import structlog

from nalm_server.base.errors import NalmError
from nalm_server.db.context import Context
from nalm_server.git.events import Event, PullRequestChanged
from nalm_server.git.graph import gather
from nalm_server.webhooks import apply, claims, repository
from nalm_server.webhooks.claims import Claimed, renewed
from nalm_server.webhooks.forges import FORGES
from nalm_server.webhooks.forges.claim import read_event
from nalm_server.webhooks.plans.make import make_plan, queries_for
from nalm_server.webhooks.plans.plan import PlanInputs, StoredState
from nalm_server.webhooks.together import Step, apply_together, groups

log = structlog.get_logger()

GRAPH_TRIES = 4
"""After this many tries, a delivery is processed without the repository."""
BODIES_KEPT = timedelta(days=14)


def drain(context: Context) -> None:
    """Processes every delivery that is due. Safe to run concurrently."""
    while claimed := claims.claim(context):
        with renewed(context, claimed):
            _work_all(context, claimed)
    with context.sessions() as session:
        repository.forget_bodies(session, context.clock() - BODIES_KEPT)
        session.commit()


def _work_all(context: Context, claimed: Sequence[Claimed]) -> None:
    """Processes deliveries of one project. A failed one does not delay the others."""
    events: dict[int, Event] = {}
    for one in claimed:
        with _put_off_if_it_fails(context, one):
            events[one.number] = read_event(FORGES[one.forge], one.event, one.body)
    inputs = _inputs(context, claimed[0].project_id, events.values())
    for group in groups((one, events[one.number]) for one in claimed if one.number in events):
        _work_group(context, group, inputs)


def _work_group(context: Context, group: Sequence[tuple[Claimed, Event]], inputs: PlanInputs) -> None:
    """Processes a group in one transaction if possible, otherwise one by one."""
    left = group
    if len(group) > 1:
        steps = list(_planned(context, group, inputs))
        left = [] if _worked_together(context, steps) else [(step.claimed, step.event) for step in steps]
    for claimed, event in left:
        with _put_off_if_it_fails(context, claimed):
            _work(context, claimed, event, inputs)


def _planned(context: Context, group: Sequence[tuple[Claimed, Event]], inputs: PlanInputs) -> Iterator[Step]:
    """Yields those that can be planned and puts the others off."""
    for claimed, event in group:
        with _put_off_if_it_fails(context, claimed):
            plan = make_plan(inputs, event, StoredState(), last_try=_is_last_try(claimed))
            assert isinstance(event, PullRequestChanged)
            yield Step(claimed, event, plan)


def _worked_together(context: Context, steps: Sequence[Step]) -> bool:
    try:
        return not steps or apply_together(context, steps[0].claimed.project_id, steps)
    except Exception:  # processed alone, only the faulty one fails
        log.exception("deliveries are processed one by one", first=steps[0].claimed.number)
        return False


@contextmanager
def _put_off_if_it_fails(context: Context, claimed: Claimed) -> Iterator[None]:
    try:
        yield
    except NalmError as error:
        claims.put_off(context, claimed, error.message)
    except Exception as error:  # one delivery must not stop the others
        log.exception("a delivery could not be processed", delivery=claimed.number)
        said = f"a server error ({type(error).__name__}); the server's log has details"
        claims.put_off(context, claimed, said)


def _inputs(context: Context, project_id: int, events: Collection[Event]) -> PlanInputs:
    inputs = apply.plan_inputs(context, project_id)
    queries = queries_for(inputs.filters, events)
    if queries is None:
        return inputs
    return replace(
        inputs, graph=replace(inputs.graph, gathered=gather(context, inputs.graph.project, queries))
    )


def _work(context: Context, claimed: Claimed, event: Event, inputs: PlanInputs) -> None:
    with apply.planned(context, inputs, event, last_try=_is_last_try(claimed)) as (session, plan):
        row = claims.still_ours(session, [claimed]).get(claimed.number)
        if row is not None:
            now = context.clock()
            job_ids = apply.apply(session, claimed.project_id, event, plan, now)
            claims.complete(session, [(row, plan.reason, job_ids)], now)


def _is_last_try(claimed: Claimed) -> bool:
    return claimed.attempt >= GRAPH_TRIES
