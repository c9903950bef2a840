# SPDX-License-Identifier: Apache-2.0
"""Functions of reports from before histories of functions existed."""

from __future__ import annotations

from collections.abc import Iterator

from nalm_core.report.outcome import VALID
from nalm_core.report.serialization import parse_report

from nalm_server.auth.access import project_repository as projects
from nalm_server.db.context import Context
from nalm_server.results import functions, repository
from nalm_server.results.series import functions_repository

AT_ONCE = 20


def fill(context: Context, project_id: int) -> Iterator[int]:
    """Adds missing entries, oldest run first, in small transactions; yields the number of reports read."""
    last = 0
    while True:
        with context.read_sessions() as session:
            found = repository.uncounted(session, project_id, VALID, after=last, limit=AT_ONCE)
        if not found:
            return
        counted = {run_id: functions.counted(parse_report(kept.json())) for run_id, kept in found}
        with context.sessions() as session:
            projects.lock(session, project_id)
            for run in repository.still_uncounted(session, list(counted)):
                of_run = counted[run.id]
                begun = functions.costliest(of_run)
                series = functions_repository.series_ids(session, run.scenario_id, run.host_class, begun)
                functions.enter(session, run, of_run, series)
            session.commit()
        last = max(counted)
        yield len(found)
