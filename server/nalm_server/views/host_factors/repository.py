# SPDX-License-Identifier: Apache-2.0
"""SQL of runs with their hosts, as they were at that time."""

from __future__ import annotations

from collections.abc import Collection
from datetime import datetime
from typing import Any, NamedTuple

from sqlalchemy import func, select
from sqlalchemy.orm import Session

from nalm_server.jobs.agents.models import HostRow
from nalm_server.jobs.hosts.models import FingerprintRow, HealthRow
from nalm_server.results.models import BuildRow, RunRow
from nalm_server.results.series.models import ScenarioRow, SeriesRow, SeriesValueRow

MOST_RUNS = 20_000
"""Newest runs that are read."""


class FactorRun(NamedTuple):
    """The chain's CPP in one run."""

    scenario_id: int
    host_class: str
    source: str
    head_sha: str
    host_id: int
    host: str
    started_at: datetime
    finished_at: datetime
    compiler: str | None
    value: float


class Sample(NamedTuple):
    """Health of a host."""

    host_id: int
    at: datetime
    load: float | None
    steal: float | None
    temperature: float | None
    frequency: float | None


def newest_run(session: Session, projects: Collection[int]) -> int | None:
    """Number of the run of any kind that came last; None without one."""
    return session.scalar(select(func.max(RunRow.id)).where(RunRow.project_id.in_(projects)))


def runs(session: Session, projects: Collection[int], since: datetime) -> list[FactorRun]:
    """Of commits' own runs in a series, newest first."""
    query = (
        select(
            RunRow.scenario_id,
            RunRow.host_class,
            SeriesRow.source,
            RunRow.head_sha,
            RunRow.host_id,
            HostRow.name,
            RunRow.started_at,
            RunRow.finished_at,
            BuildRow.compiler,
            SeriesValueRow.value,
        )
        .join_from(RunRow, SeriesValueRow, SeriesValueRow.run_id == RunRow.id)
        .join(SeriesRow, SeriesRow.id == SeriesValueRow.series_id)
        .join(ScenarioRow, ScenarioRow.id == RunRow.scenario_id)
        .join(HostRow, HostRow.id == RunRow.host_id)
        .outerjoin(BuildRow, BuildRow.id == RunRow.build_id)
        .where(
            RunRow.project_id.in_(projects),
            RunRow.received_at >= since,
            RunRow.import_id.is_(None),
            SeriesRow.metric == "cpp",
            SeriesRow.stage == "chain",
            SeriesValueRow.value > 0,
        )
        .order_by(RunRow.received_at.desc(), RunRow.id.desc())
        .limit(MOST_RUNS)
    )
    return [FactorRun._make(row) for row in session.execute(query)]


def fingerprints(session: Session, hosts: Collection[int]) -> list[tuple[int, datetime, dict[str, Any]]]:
    """(host, first seen, fingerprint), oldest first."""
    query = select(FingerprintRow.host_id, FingerprintRow.first_seen_at, FingerprintRow.fingerprint)
    found = session.execute(
        query.where(FingerprintRow.host_id.in_(hosts)).order_by(FingerprintRow.first_seen_at)
    )
    return [(host, at, fingerprint) for host, at, fingerprint in found]


def samples(session: Session, hosts: Collection[int], since: datetime) -> list[Sample]:
    """Oldest first."""
    query = select(
        HealthRow.host_id,
        HealthRow.at,
        HealthRow.load,
        HealthRow.steal,
        HealthRow.temperature_celsius,
        HealthRow.frequency_mhz,
    )
    query = query.where(HealthRow.host_id.in_(hosts), HealthRow.at >= since).order_by(HealthRow.at)
    return [Sample._make(row) for row in session.execute(query)]
