# SPDX-License-Identifier: Apache-2.0
"""Cost of every scenario at one commit: the chain's figures of its newest run on each host class."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from nalm_core.report.trials.kinds import split_name
from sqlalchemy import select
from sqlalchemy.orm import Session

from nalm_server.auth.access.project_models import ProjectRow
from nalm_server.base.errors import NotFoundError
from nalm_server.git.commits.models import CommitRow
from nalm_server.git.commits.service import resolve
from nalm_server.results.models import RunRow
from nalm_server.results.series.models import ScenarioRow, SeriesRow, SeriesValueRow
from nalm_server.results.series.values import Value


@dataclass(frozen=True)
class Measured:
    """One scenario on one host class."""

    scenario: ScenarioRow
    host_class: str
    run_id: str
    features: list[str] | None
    figures: dict[str, Value] = field(default_factory=dict)
    """By metric, of the chain."""
    units: list[float] = field(default_factory=list)
    """CPP of each independent unit: a launch, or a layout of code."""
    rates: list[float] = field(default_factory=list)
    """Packets/s of each of these units."""


Place = tuple[str, str]
"""Scenario and host class."""


@dataclass(frozen=True)
class NoDropRate:
    run_id: str
    pps: float


def at_commit(
    session: Session, project: ProjectRow, revision: str | None
) -> tuple[CommitRow, list[Measured]]:
    """The commit, by default the newest measured one, and its scenarios by name.

    Raises NotFoundError.
    """
    row = _furthest(session, project.id) if revision is None else resolve(session, project.id, revision)
    if row is None:
        raise NotFoundError(f"Nothing has been measured in project {project.name!r} yet.")
    newest = _newest_runs(session, row.id)
    found = {run.id: Measured(scenario, run.host_class, run.run_id, run.features) for run, scenario in newest}
    values = session.execute(
        select(SeriesValueRow, SeriesRow.metric, SeriesRow.source)
        .join(SeriesRow, SeriesRow.id == SeriesValueRow.series_id)
        .where(SeriesValueRow.run_id.in_(found), SeriesRow.stage == "chain")
    )
    for value, metric, source in values:
        one = found[value.run_id]
        one.figures[metric] = Value(value=value.value, low=value.low, high=value.high, source=source)
        if metric == "cpp":
            one.units.extend(value.units or value.launches or [])
        elif metric == "pps":
            one.rates.extend(value.units or value.launches or [])
    return row, [one for one in found.values() if "cpp" in one.figures]


def no_drop_rates(session: Session, commit: CommitRow) -> dict[Place, NoDropRate]:
    """Of the newest run of rates of each scenario on each host class that found one."""
    rows = session.execute(
        select(ScenarioRow.name, RunRow.host_class, RunRow.run_id, SeriesValueRow.value)
        .join(SeriesRow, SeriesRow.scenario_id == ScenarioRow.id)
        .join(SeriesValueRow, SeriesValueRow.series_id == SeriesRow.id)
        .join(RunRow, RunRow.id == SeriesValueRow.run_id)
        .where(
            RunRow.commit_id == commit.id,
            RunRow.import_id.is_(None),
            SeriesRow.metric == "ndr_pps",
            SeriesRow.stage == "chain",
        )
        .order_by(RunRow.received_at, RunRow.id)
    )
    return {(split_name(name)[0], host): NoDropRate(run_id, pps) for name, host, run_id, pps in rows}


def _newest_runs(session: Session, commit_id: int) -> Sequence[tuple[RunRow, ScenarioRow]]:
    """For each scenario and host class, by the scenario's name."""
    rows = session.execute(
        select(RunRow, ScenarioRow)
        .join(ScenarioRow, ScenarioRow.id == RunRow.scenario_id)
        .where(
            RunRow.commit_id == commit_id,
            RunRow.import_id.is_(None),
            select(SeriesValueRow.run_id).where(SeriesValueRow.run_id == RunRow.id).exists(),
        )
        .order_by(ScenarioRow.name, RunRow.host_class, RunRow.received_at, RunRow.id)
    )
    newest = {(scenario.id, run.host_class): (run, scenario) for run, scenario in rows}
    return list(newest.values())


def _furthest(session: Session, project_id: int) -> CommitRow | None:
    return session.scalars(
        select(CommitRow)
        .join(RunRow, RunRow.commit_id == CommitRow.id)
        .where(
            CommitRow.project_id == project_id,
            CommitRow.listed,
            select(SeriesValueRow.run_id).where(SeriesValueRow.run_id == RunRow.id).exists(),
        )
        .order_by(CommitRow.position.desc(), CommitRow.id.desc())
        .limit(1)
    ).first()
