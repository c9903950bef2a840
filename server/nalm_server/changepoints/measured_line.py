# SPDX-License-Identifier: Apache-2.0
"""The commits of a history, one measurement each, in any order of arrival."""

from __future__ import annotations

from bisect import bisect_left
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from itertools import groupby
from typing import Any

from nalm_core.changepoints.cuts import Measured
from nalm_core.report.offered_load import load_of
from nalm_core.report.run_report import Host
from sqlalchemy.orm import Session

from nalm_server.changepoints import measured_line_repository as repository
from nalm_server.changepoints.measured_line_repository import LineRun, SeriesName
from nalm_server.results.series.entry import CHAIN


@dataclass(frozen=True, slots=True)
class LineCommit:
    commit: int
    sha: str
    runs: tuple[int, ...]
    """Runs of one host, the one that measured the commit most often."""
    measured: Measured


@dataclass(frozen=True)
class Line:
    commits: list[LineCommit]
    environments: dict[int, Host]


class _Environments:
    """A host's fingerprint at the time of a run."""

    def __init__(self, fingerprints: list[tuple[int, int, datetime, dict[str, Any]]]) -> None:
        self.hosts = {number: Host.model_validate(one) for number, _, _, one in fingerprints}
        self._of_host: dict[int, list[tuple[datetime, int]]] = {}
        for number, host, at, _ in fingerprints:
            self._of_host.setdefault(host, []).append((at, number))

    def at(self, host: int, when: datetime) -> int | None:
        return next((n for at, n in reversed(self._of_host.get(host, [])) if at <= when), None)


def load(
    session: Session,
    scenario_id: int,
    host_class: str,
    expected: Mapping[int, str],
    series: Mapping[int, SeriesName],
) -> Line:
    """expected: reason of a declared change, by position of a commit, measured or not. series: of the
    scenario on the host class."""
    found = repository.runs(session, scenario_id, host_class)
    loads = _loads(session, series)
    fingerprints = repository.fingerprints(session, {one.host for one in found})
    environments = _Environments(fingerprints)
    declared = _declared(sorted({one.position for one in found}), expected)
    commits = [
        _commit(list(of_commit), environments, declared, loads)
        for _, of_commit in groupby(found, key=lambda one: one.commit)
    ]
    commits = _with_known_loads(commits)
    return Line(commits, environments.hosts)


def _loads(session: Session, series: Mapping[int, SeriesName]) -> dict[int, str]:
    """By run: the scenario's load. Empty if there was only one."""
    chains = {
        number: load_of(one.source)
        for number, one in series.items()
        if (one.metric, one.stage) == ("cpp", CHAIN)
    }
    if len(set(chains.values())) < 2:
        return {}
    return {run: chains[number] for number, run in repository.runs_of_series(session, chains)}


def _with_known_loads(commits: Sequence[LineCommit]) -> list[LineCommit]:
    """A commit in which nothing was measured has the load of the one before."""
    last: dict[int, str | None] = {}
    found = []
    for one in commits:
        measured = one.measured
        last[measured.host] = measured.load or last.get(measured.host)
        found.append(replace(one, measured=replace(measured, load=last[measured.host])))
    return found


def _declared(measured: Sequence[int], expected: Mapping[int, str]) -> dict[int, str]:
    """By measured position: a declaration in a commit without a measurement applies to the next one."""
    found = {}
    for position in sorted(one for one in expected if measured and one >= measured[0]):
        at = bisect_left(measured, position)
        if at < len(measured):
            found[measured[at]] = expected[position]
    return found


def _commit(
    runs: list[LineRun], environments: _Environments, expected: Mapping[int, str], loads: Mapping[int, str]
) -> LineCommit:
    times = Counter(one.host for one in runs)
    host = min(times, key=lambda one: (-times[one], one))
    there = [one for one in runs if one.host == host]
    last = max(there, key=lambda one: (one.received_at, one.run))
    return LineCommit(
        last.commit,
        last.sha,
        tuple(one.run for one in there),
        Measured(
            host=host,
            environment=environments.at(host, last.received_at),
            compiler=last.compiler,
            added=tuple(sorted({name for one in runs for name in one.added})),
            removed=tuple(sorted({name for one in runs for name in one.removed})),
            expected=expected.get(last.position),
            load=loads.get(last.run),
        ),
    )
