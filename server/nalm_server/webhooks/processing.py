# SPDX-License-Identifier: Apache-2.0
"""From an event to its commits and jobs: planned outside a transaction, applied in one."""

from __future__ import annotations

from collections.abc import Callable

from sqlalchemy.orm import Session

from nalm_server.auth.access import project_repository as projects
from nalm_server.db.context import Context
from nalm_server.git.branch_filters import repository as watches
from nalm_server.git.branch_filters.filters import watching
from nalm_server.git.events import Event
from nalm_server.git.graph import Graph
from nalm_server.webhooks import apply, repository
from nalm_server.webhooks.plans.make import make_plan
from nalm_server.webhooks.plans.plan import Plan, Scene

Finish = Callable[[Session, Plan, Callable[[], list[int]]], None]
"""Called in the transaction, under the project's lock; calls its last argument to apply the plan."""


def follow(
    context: Context,
    scene: Scene,
    event: Event,
    finish: Finish,
    *,
    last_try: bool = False,
) -> None:
    """Raises GraphError or UnknownRevisionError if the plan cannot be made, or not yet."""
    while not _followed(context, scene, event, finish, last_try=last_try):
        continue  # the stored state has changed since the plan was made


def scene_of(context: Context, project_id: int) -> Scene:
    """The project's present state."""
    with context.read_sessions() as session:
        project = projects.get(session, project_id)
        row, most = watches.find(session, project_id), context.settings.fork_pull_requests
        watched = watching(project, row, most)
    return Scene(watched, Graph(context, project))


def _followed(context: Context, scene: Scene, event: Event, finish: Finish, *, last_try: bool) -> bool:
    project_id = scene.graph.project.id
    with context.read_sessions() as session:
        before = apply.stored(session, project_id, event)
    plan = make_plan(scene, event, before, last_try=last_try)
    with context.sessions() as session:
        repository.commit_without_waiting(session)
        projects.lock(session, project_id)
        if apply.stored(session, project_id, event) != before:
            return False
        now = context.clock()
        finish(session, plan, lambda: apply.apply(session, project_id, event, plan, now))
        session.commit()
    return True
