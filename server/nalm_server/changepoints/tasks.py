# SPDX-License-Identifier: Apache-2.0
"""Work.JUDGEMENT: waiting looks; then their change points are weighed, project by project."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial

import structlog

from nalm_server.auth.access import project_repository as projects
from nalm_server.changepoints import looks_repository as looks
from nalm_server.changepoints import measured_line, significance, storage
from nalm_server.changepoints import measured_line_repository as lines
from nalm_server.changepoints.linked_levels import CYCLES, linked_levels
from nalm_server.changepoints.look import LINKED, Looked, look
from nalm_server.changepoints.models import LookRow
from nalm_server.db.context import Context
from nalm_server.results.links import other_levels
from nalm_server.worker.for_each import each
from nalm_server.worker.kinds import Work
from nalm_server.worker.wake import wake

EVERY_SECONDS = 30.0
REST_SECONDS = 1.0
"""A look reads a whole history: one for all the reports of a burst, not one for each."""

log = structlog.get_logger()


def drain(context: Context) -> None:
    """Runs all waiting looks without a claim, each once, then settles their projects. A look that is
    requested again meanwhile is in the next run."""
    row: LookRow | None = None
    while (row := _claim(context, row)) is not None:
        try:
            _look(context, row)
            other_levels.store(context, row.scenario_id, row.host_class, CYCLES)
        except Exception:
            log.exception("history could not be judged", scenario=row.scenario_id, host_class=row.host_class)
    with context.read_sessions() as session:
        waiting = looks.unsettled_projects(session)
    each("change points of project", waiting, partial(significance.settle, context))


def _claim(context: Context, after: LookRow | None) -> LookRow | None:
    with context.sessions() as session:
        row = looks.claim(session, context.clock(), after)
        session.commit()
    return row


def _look(context: Context, request: LookRow) -> None:
    """Reads and judges without a writer's lock; later changes wait for the next look. Stores the result under
    the project's lock, like the weighing, so that nothing unweighed counts as weighed."""
    with context.read_sessions() as session:
        expected = lines.expected(session, request.scenario_id)
        series = lines.series(session, request.scenario_id, request.host_class)
        there = measured_line.load(session, request.scenario_id, request.host_class, expected, series)
        levels = linked_levels(session, request.scenario_id, request.host_class, series)
        looked = look(session, there, series, request.blocks or [], levels)
    now = context.clock()
    with context.sessions() as session:
        project_id = looks.project_of(session, request.scenario_id)
        if project_id is None:
            return
        projects.lock(session, project_id)
        row = looks.lock(session, request.scenario_id, request.host_class)
        if _overtaken(row, request):
            return
        old_news = request.judged == looks.OLD_NEWS or _first_on_levels(request.blocks, looked)
        storage.store(session, looked, now, old_news=old_news)
        looks.CLAIM.release(row)
        row.judged, row.judged_at = request.requested, now
        row.blocks, row.cuts, row.settled = looked.digests, looked.cuts, False
        row.host_steps = storage.host_steps(row.host_steps or [], looked)
        for solution in levels.values():
            solution.store(session)
        if row.requested > request.requested:  # the worker that this woke may have found the claim
            wake(session, Work.JUDGEMENT)
        session.commit()


def _first_on_levels(known: Sequence[str] | None, looked: Looked) -> bool:
    """True once after an upgrade: levels show changes of long ago better than the values judged before."""
    begins = [any(one.startswith(LINKED) for one in digests) for digests in (known or [], looked.digests)]
    return bool(known) and begins == [False, True]


def _overtaken(row: LookRow, request: LookRow) -> bool:
    """Another look was stored meanwhile, or a look at everything was requested."""
    return row.judged != request.judged or row.blocks != request.blocks
