# SPDX-License-Identifier: Apache-2.0
"""Processes stored deliveries. Those that wait for one repository are processed together, until each is
done or put off."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from datetime import timedelta

import structlog
from sqlalchemy.orm import Session

from nalm_server.base.errors import NalmError
from nalm_server.db.context import Context
from nalm_server.git.events import Event, PullRequestChanged
from nalm_server.git.graph import gather
from nalm_server.webhooks import claims, repository
from nalm_server.webhooks.claim_heartbeat import renewed
from nalm_server.webhooks.claims import Claimed
from nalm_server.webhooks.forges import FORGES
from nalm_server.webhooks.graph_queries import queries_for
from nalm_server.webhooks.parsing import read
from nalm_server.webhooks.plans.make import make_plan
from nalm_server.webhooks.plans.plan import Plan, Scene, Stored
from nalm_server.webhooks.processing import follow, scene_of
from nalm_server.webhooks.together import Step, apply_together, groups

log = structlog.get_logger()

GRAPH_TRIES = 4
"""After this many tries, a delivery is processed without the repository."""
BODIES_KEPT = timedelta(days=14)


def drain(context: Context) -> None:
    """Processes every delivery that is due. Safe to run concurrently."""
    while claimed := claims.claim(context):
        with renewed(context, [(one.number, one.attempt) for one in claimed]):
            _work_all(context, claimed)
    with context.sessions() as session:
        repository.forget_bodies(session, context.clock() - BODIES_KEPT)
        session.commit()


def _work_all(context: Context, claimed: Sequence[Claimed]) -> None:
    """Processes deliveries of one project. A failed one does not delay the others."""
    events: dict[int, Event] = {}
    for one in claimed:
        with _put_off_if_it_fails(context, one):
            events[one.number] = read(FORGES[one.forge], one.event, one.body)
    scene = _scene(context, claimed[0].project_id, events.values())
    for group in groups((one, events[one.number]) for one in claimed if one.number in events):
        _work_group(context, group, scene)


def _work_group(context: Context, group: Sequence[tuple[Claimed, Event]], scene: Scene) -> None:
    """Processes a group in one transaction if possible, otherwise one by one."""
    left = group
    if len(group) > 1:
        steps = list(_planned(context, group, scene))
        left = [] if _worked_together(context, steps) else [(step.claimed, step.event) for step in steps]
    for claimed, event in left:
        with _put_off_if_it_fails(context, claimed):
            _work(context, claimed, event, scene)


def _planned(context: Context, group: Sequence[tuple[Claimed, Event]], scene: Scene) -> Iterator[Step]:
    """Yields those that can be planned and puts the others off."""
    for claimed, event in group:
        with _put_off_if_it_fails(context, claimed):
            plan = make_plan(scene, event, Stored(), last_try=_is_last_try(claimed))
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


def _scene(context: Context, project_id: int, events: Collection[Event]) -> Scene:
    scene = scene_of(context, project_id)
    queries = queries_for(scene.watched, events)
    if queries is None:
        return scene
    return replace(scene, graph=replace(scene.graph, gathered=gather(context, scene.graph.project, queries)))


def _work(context: Context, claimed: Claimed, event: Event, scene: Scene) -> None:
    def finish(session: Session, plan: Plan, applied: Callable[[], list[int]]) -> None:
        row = claims.still_ours(session, [claimed]).get(claimed.number)
        if row is not None:
            claims.complete(session, [(row, plan.reason, applied())], context.clock())

    follow(context, scene, event, finish, last_try=_is_last_try(claimed))


def _is_last_try(claimed: Claimed) -> bool:
    return claimed.attempt >= GRAPH_TRIES
