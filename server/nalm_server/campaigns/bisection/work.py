# SPDX-License-Identifier: Apache-2.0
"""Takes active bisects further: reads their range once, then looks what their jobs came to."""

from __future__ import annotations

from functools import partial

from nalm_server.auth.access import project_repository as projects
from nalm_server.base.errors import NalmError
from nalm_server.campaigns.bisection import kind, repository
from nalm_server.campaigns.bisection.models import BisectRow
from nalm_server.campaigns.bisection.schemas import BisectState
from nalm_server.db.context import Context
from nalm_server.jobs import commit_range
from nalm_server.worker.for_each import each


def drain(context: Context) -> None:
    """Each active one as far as it goes now."""
    with context.read_sessions() as session:
        active = repository.active_ids(session, context.clock())
    each("bisect", active, partial(_work_on, context))


def _work_on(context: Context, bisect_id: int) -> None:
    with context.read_sessions() as session:
        found = repository.find(session, bisect_id)
    if found is not None and found.state == BisectState.PLANNING:
        _plan(context, found)
    with context.sessions() as session:
        bisect = repository.lock(session, bisect_id, wait=False)
        if bisect is not None and bisect.state == BisectState.RUNNING:
            kind.advance(session, bisect, context.clock())
        session.commit()


def _plan(context: Context, bisect: BisectRow) -> None:
    with context.read_sessions() as session:
        project = projects.get(session, bisect.project_id)
    try:
        found = commit_range.line(context, project, bisect.good_sha, bisect.bad_sha)
        commit_range.make_known(context, project, found)
    except NalmError as error:
        _planned(context, bisect.id, None, error)
        return
    _planned(context, bisect.id, [bisect.good_sha, *(one.sha for one in found)], None)


def _planned(context: Context, bisect_id: int, shas: list[str] | None, error: NalmError | None) -> None:
    now = context.clock()
    with context.sessions() as session:
        row = repository.lock(session, bisect_id)
        if row is None or row.state != BisectState.PLANNING:
            return
        row.updated_at = now
        if error is None:
            row.commits, row.state, row.message = shas, BisectState.RUNNING, None
        elif not commit_range.put_off(row, error, now):
            row.state, row.finished_at = BisectState.FAILED, now
        session.commit()
