# SPDX-License-Identifier: Apache-2.0
"""Work.CONTROLS: each project's next control is queued when it is due."""

from __future__ import annotations

from functools import partial

from nalm_server.auth.access import project_repository as projects
from nalm_server.db.context import Context
from nalm_server.self_test import control_repository, controls
from nalm_server.worker.for_each import each

EVERY_SECONDS = 300.0


def drain(context: Context) -> None:
    """Queues a control for each project that is due."""
    now = context.clock()
    with context.read_sessions() as session:
        due = [
            number
            for number in control_repository.projects_with_controls(session)
            if controls.is_due(session, projects.get(session, number), now)
        ]
    each("control", due, partial(_queue, context))


def _queue(context: Context, project_id: int) -> None:
    with context.sessions() as session:
        controls.queue(session, project_id, context.clock())
        session.commit()
