# SPDX-License-Identifier: Apache-2.0
"""Links of stored reports, in every metric: a migration entered those of cycles and instructions alone."""

from __future__ import annotations

from collections.abc import Iterator

from nalm_core.report.serialization import parse_report

from nalm_server.auth.access import project_repository as projects
from nalm_server.db.context import Context
from nalm_server.results.links import entry, repository
from nalm_server.results.series import functions_repository
from nalm_server.results.series import repository as series_rows

AT_ONCE = 20


def fill(context: Context, project_id: int) -> Iterator[int]:
    """Enters them again, oldest run first, in small transactions; yields the number of reports read."""
    last = 0
    while True:
        with context.read_sessions() as session:
            found = repository.with_reports(session, project_id, last, AT_ONCE)
        if not found:
            return
        links = {number: entry.found_in(parse_report(kept.json())) for number, kept in found}
        with context.sessions() as session:
            projects.lock(session, project_id)
            for run in repository.still_there(session, list(links)):
                repository.remove(session, run.id)
                of_run = links[run.id]
                place = (run.scenario_id, run.host_class)
                series = series_rows.series_ids(session, *place, entry.series_of(of_run.values))
                functions = functions_repository.series_ids(session, *place, of_run.costliest)
                entry.enter(session, run, of_run, series, functions)
            session.commit()
        last = max(links)
        yield len(found)
