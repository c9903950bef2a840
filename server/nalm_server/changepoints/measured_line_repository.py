# SPDX-License-Identifier: Apache-2.0
"""SQL of a look's input: runs along the first parent, their hosts, their values."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from datetime import datetime
from fnmatch import fnmatchcase
from typing import Any, NamedTuple

from nalm_core.report.catalogue import SEARCHED_UNDER_LOAD, SHIPPED
from nalm_core.report.outcome import VALID
from sqlalchemy import ColumnElement, or_, select
from sqlalchemy.orm import Session

from nalm_server.alerts.rules.models import ExpectationRow
from nalm_server.git.commits.models import CommitRow
from nalm_server.jobs.hosts.models import FingerprintRow
from nalm_server.jobs.models import JobRow
from nalm_server.jobs.schemas import JobReason
from nalm_server.results.models import BuildRow, ReportRow, RunRow, VerdictRow
from nalm_server.results.series.models import ProjectMetricRow, ScenarioRow, SeriesRow, SeriesValueRow
from nalm_server.results.series.repository import by_series

OF_HISTORY = (JobReason.PUSH, JobReason.SCHEDULE, JobReason.BACKFILL, JobReason.PERSON)
"""Jobs whose runs make the history. Others are made because of a suspicion, which would bias it."""
SEARCHED = ("cpp", "ipp", *SEARCHED_UNDER_LOAD)
MOST_OWN = 24
"""Own metrics of a scenario whose histories are searched: those that make alerts first."""
NEAR = 10
"""Number of runs on one side of a change point among which a run of the other side's host is searched."""


class LineRun(NamedTuple):
    run: int
    commit: int
    sha: str
    position: int
    host: int
    received_at: datetime
    compiler: str | None
    added: list[str]
    removed: list[str]


class SeriesName(NamedTuple):
    metric: str
    stage: str
    source: str

    @property
    def own(self) -> bool:
        return self.metric not in SEARCHED


def runs(session: Session, scenario_id: int, host_class: str) -> list[LineRun]:
    """Valid runs of the default branch, along the first parent."""
    found = session.execute(
        select(
            RunRow.id,
            RunRow.commit_id,
            CommitRow.sha,
            CommitRow.position,
            RunRow.host_id,
            RunRow.received_at,
            BuildRow.compiler,
            VerdictRow.features_added,
            VerdictRow.features_removed,
        )
        .join(CommitRow, CommitRow.id == RunRow.commit_id)
        .join(VerdictRow, VerdictRow.run_id == RunRow.id)
        .outerjoin(BuildRow, BuildRow.id == RunRow.build_id)
        .outerjoin(JobRow, JobRow.id == RunRow.job_id)
        .where(
            RunRow.scenario_id == scenario_id,
            RunRow.host_class == host_class,
            RunRow.import_id.is_(None),
            CommitRow.listed,
            VerdictRow.outcome.in_(VALID),
            _of_history(),
        )
        .order_by(CommitRow.position, CommitRow.id, RunRow.id)
    )
    return [LineRun._make(row) for row in found]


def histories_of(session: Session, commit_ids: Collection[int]) -> list[tuple[int, str]]:
    """(scenario, host class) of the histories that have runs of these commits."""
    found = session.execute(
        select(RunRow.scenario_id, RunRow.host_class)
        .join(VerdictRow, VerdictRow.run_id == RunRow.id)
        .outerjoin(JobRow, JobRow.id == RunRow.job_id)
        .where(RunRow.commit_id.in_(commit_ids), RunRow.import_id.is_(None))
        .where(VerdictRow.outcome.in_(VALID), _of_history())
        .distinct()
        .order_by(RunRow.scenario_id, RunRow.host_class)
    )
    return [(scenario_id, host_class) for scenario_id, host_class in found]


class SideRun(NamedTuple):
    run: int
    host: int


def runs_beside(session: Session, series_id: int, place: int, *, later: bool) -> list[SideRun]:
    """Runs with a value in the series and a report, nearest first: from the place on, or up to it."""
    order = (CommitRow.position, RunRow.id) if later else (CommitRow.position.desc(), RunRow.id.desc())
    found = session.execute(
        select(RunRow.id, RunRow.host_id)
        .join(SeriesValueRow, SeriesValueRow.run_id == RunRow.id)
        .join(CommitRow, CommitRow.id == RunRow.commit_id)
        .join(ReportRow, ReportRow.run_id == RunRow.id)
        .outerjoin(JobRow, JobRow.id == RunRow.job_id)
        .where(
            SeriesValueRow.series_id == series_id,
            CommitRow.listed,
            CommitRow.position >= place if later else CommitRow.position <= place,
            ReportRow.expired_at.is_(None),
            _of_history(),
        )
        .order_by(*order)
        .limit(NEAR)
    )
    return [SideRun._make(row) for row in found]


def _of_history() -> ColumnElement[bool]:
    return or_(JobRow.id.is_(None), JobRow.reason.in_(OF_HISTORY))


def fingerprints(session: Session, hosts: Collection[int]) -> list[tuple[int, int, datetime, dict[str, Any]]]:
    """(id, host, first seen, fingerprint), oldest first."""
    found = session.execute(
        select(
            FingerprintRow.id,
            FingerprintRow.host_id,
            FingerprintRow.first_seen_at,
            FingerprintRow.fingerprint,
        )
        .where(FingerprintRow.host_id.in_(hosts))
        .order_by(FingerprintRow.first_seen_at, FingerprintRow.id)
    )
    return [(number, host, at, fingerprint) for number, host, at, fingerprint in found]


def expected(session: Session, scenario_id: int) -> dict[int, str]:
    """By position of a commit, the reason of a declared change of the scenario's CPP."""
    found = session.execute(
        select(CommitRow.position, ExpectationRow.scenario, ExpectationRow.reason, ScenarioRow.name)
        .join(ScenarioRow, ScenarioRow.project_id == ExpectationRow.project_id)
        .join(CommitRow, CommitRow.id == ExpectationRow.commit_id)
        .where(ScenarioRow.id == scenario_id, ExpectationRow.metric == "cpp", CommitRow.listed)
        .order_by(ExpectationRow.id)
    )
    return {position: reason for position, pattern, reason, name in found if fnmatchcase(name, pattern)}


def series(session: Session, scenario_id: int, host_class: str) -> dict[int, SeriesName]:
    """By id: measured series of the searched metrics, and of at most MOST_OWN own ones."""
    defined = (
        select(ProjectMetricRow.name)
        .join(ScenarioRow, ScenarioRow.project_id == ProjectMetricRow.project_id)
        .where(ScenarioRow.id == scenario_id)
    )
    found = session.execute(
        select(SeriesRow.id, SeriesRow.metric, SeriesRow.stage, SeriesRow.source)
        .where(
            SeriesRow.scenario_id == scenario_id,
            SeriesRow.host_class == host_class,
            or_(SeriesRow.metric.in_((*SEARCHED, *SHIPPED)), SeriesRow.metric.in_(defined)),
            SeriesRow.source.not_like("imported:%"),
        )
        .order_by(SeriesRow.gates.desc(), SeriesRow.id)
    )
    by_id = {number: SeriesName(metric, stage, source) for number, metric, stage, source in found}
    left_out = [number for number, name in by_id.items() if name.own][MOST_OWN:]
    return {number: by_id[number] for number in sorted(by_id.keys() - set(left_out))}


def runs_of_series(session: Session, series_ids: Collection[int]) -> list[tuple[int, int]]:
    """(series, run) of all values."""
    found = session.execute(
        select(SeriesValueRow.series_id, SeriesValueRow.run_id).where(
            SeriesValueRow.series_id.in_(series_ids)
        )
    )
    return [(number, run) for number, run in found]


def values(
    session: Session, series_ids: Collection[int], run_numbers: Sequence[int]
) -> Iterable[tuple[int, Sequence[int], Sequence[float]]]:
    """(series, runs, values) of these runs, possibly of others between them, too."""
    if not run_numbers:
        return []
    table = SeriesValueRow.__table__.c
    between = table.run_id.between(min(run_numbers), max(run_numbers))
    conditions = (table.series_id.in_(series_ids), between)
    return by_series(session, conditions, (table.run_id, table.value))
