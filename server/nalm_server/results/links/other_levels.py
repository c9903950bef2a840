# SPDX-License-Identifier: Apache-2.0
"""Stores the levels of series that are not searched: eIPC, latency, own metrics.

A page that shows them would otherwise solve the whole history first. They are written again after some
further runs, a few seconds at a time; what a page solves meanwhile is an extension by these runs.
"""

from __future__ import annotations

from time import thread_time

from nalm_server.db.context import Context
from nalm_server.results.links import known_levels, repository
from nalm_server.results.links.graph import keep, kept
from nalm_server.results.links.linked import solutions

Series = tuple[str, str]
"""(metric, stage)."""
MOST_SECONDS = 5.0
"""CPU time after which the rest waits for the next run: a first solution of a long history takes long."""


def store(context: Context, scenario_id: int, host_class: str, searched: str) -> None:
    """searched: the metric whose levels are stored by its search."""
    key = ("other levels", scenario_id, host_class)
    with context.read_sessions() as session:
        runs, _ = repository.last_run(session, scenario_id)
        stored: dict[Series, int] = kept(session, key) or {}
        if runs < known_levels.STORE_FROM or not _due(stored, runs):
            return
        every = repository.linked_series(session, scenario_id, host_class)
    stored = {one: stored.get(one, 0) for one in every if one[0] != searched}
    begun = thread_time()
    for metric, stage in _due(stored, runs):
        with context.read_sessions() as session:
            found = solutions(session, scenario_id, host_class, metric, stages=[stage])
        with context.sessions() as session:
            for one in found:
                one.store(session)
            session.commit()
        stored[metric, stage] = runs
        if thread_time() - begun > MOST_SECONDS:
            break
    with context.read_sessions() as session:
        keep(session, key, stored, len(stored))


def _due(stored: dict[Series, int], runs: int) -> list[Series]:
    """Series with so many more runs than when they were stored; of none known, any."""
    found = [one for one, at in stored.items() if runs - at >= known_levels.STORE_EVERY]
    return found if stored else [("", "")]
