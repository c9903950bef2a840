# SPDX-License-Identifier: Apache-2.0
"""Packed lines, kept in memory while what they are made of is the same.

Runs, commits, change points and releases are read for each request: they are the state that an answer is
kept for. Values and comparisons of stored runs, which take most of the time, never change: their numbers are
enough.
"""

from __future__ import annotations

import marshal
from collections.abc import Iterator
from hashlib import sha256
from typing import Any

from pydantic_core import to_json
from sqlalchemy.orm import Session

from nalm_server.auth.access.project_models import ProjectRow
from nalm_server.base.answer_cache import cache_of
from nalm_server.changepoints import service as judgement
from nalm_server.results.links import repository as links
from nalm_server.results.series import repository as series
from nalm_server.views.history import chart_lines, columns
from nalm_server.views.history.chart_lines import LinesRequest, Prepared
from nalm_server.views.history.scenario_data import NCPP
from nalm_server.views.history.service import metric_for

PLAIN = 2
"""Version of marshal's format without references: equal values have equal bytes."""


def packed(session: Session, project: ProjectRow, request: LinesRequest) -> bytes:
    """schemas.LineColumns as JSON. Raises as chart_lines.lines does."""
    prepared = chart_lines.prepare(session, project, request)

    def make() -> bytes:
        return to_json(columns.packed(chart_lines.lines(session, project, request, prepared)))

    if request.branches or request.history.functions or NCPP in request.metrics:
        return make()
    parts = marshal.dumps(list(_state(session, project, request, prepared)), PLAIN)
    return cache_of(session).get(("lines", project.id, sha256(parts).digest()), make)


def _state(session: Session, project: ProjectRow, request: LinesRequest, prepared: Prepared) -> Iterator[Any]:
    """All that tells one answer from another, as values of Python's own types."""
    yield repr(request)
    yield [metric_for(session, project, name, request.history).model_dump_json() for name in request.metrics]
    yield [(tag.name, tag.sha) for tag in prepared.tags]
    for one in prepared.shown.commits.values():
        at = None if one.committed_at is None else one.committed_at.timestamp()
        yield one.id, one.position, one.sha, one.parent_sha, one.subject, at
    for target in prepared.targets:
        scenario, host_class = target.scenario, target.host_class
        yield scenario.name, list(scenario.stages), host_class
        if host_class is None:
            continue
        runs = prepared.shown.histories[scenario.id]
        yield [list(column) for column in vars(runs).values()]
        since = min(runs.run_number, default=0)
        numbers = sorted(series.series_of_metrics(session, scenario.id, host_class, request.metrics))
        yield series.numbers_of_values(session, numbers, since)
        yield [one.model_dump_json() for one in judgement.of_history(session, project.id, numbers)]
        yield repr(judgement.segments(session, scenario.id, host_class))
        if request.history.linked:
            yield links.last_run(session, scenario.id)
            yield links.numbers_of_links(session, scenario.id, request.metrics)
