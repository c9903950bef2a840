# SPDX-License-Identifier: Apache-2.0
"""SQL of prices: costs of stages that are features, and commits that made them more expensive."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

from sqlalchemy import Select, Subquery, select
from sqlalchemy.orm import Session, aliased

from nalm_server.git.commits.models import CommitRow
from nalm_server.results.commit_runs_repository import is_step
from nalm_server.results.models import NOTEWORTHY, RunRow, VerdictRow
from nalm_server.results.series.models import ScenarioRow, SeriesRow, SeriesValueRow


class StageCost(NamedTuple):
    """CPP of one stage in one run."""

    scenario: str
    host_class: str
    series_id: int
    stage: str
    commit_id: int
    position: int
    run_number: int
    run_id: str
    features: list[str] | None
    value: float
    low: float | None
    high: float | None


class Slower(NamedTuple):
    """A run judged as regressed, and the stage that pays most."""

    scenario: str
    host_class: str
    stage: str
    commit_id: int
    position: int
    run_id: str
    document: dict[str, Any]


OF_STAGES = (
    SeriesRow.metric == "cpp",
    SeriesRow.stage != "chain",
    SeriesRow.source.not_like("imported:%"),
)
"""A condition: measured series of stages' costs."""


def _stages(project_id: int) -> Select[*tuple[Any, ...]]:
    return (
        select(
            ScenarioRow.name.label("scenario"),
            SeriesRow.host_class,
            SeriesRow.id.label("series_id"),
            SeriesRow.stage,
            RunRow.commit_id,
            CommitRow.position,
            RunRow.id.label("run_number"),
            RunRow.run_id,
            RunRow.features,
            SeriesValueRow.value,
            SeriesValueRow.low,
            SeriesValueRow.high,
        )
        .join_from(SeriesRow, ScenarioRow, ScenarioRow.id == SeriesRow.scenario_id)
        .join(SeriesValueRow, SeriesValueRow.series_id == SeriesRow.id)
        .join(RunRow, RunRow.id == SeriesValueRow.run_id)
        .join(CommitRow, CommitRow.id == RunRow.commit_id)
        .where(
            ScenarioRow.project_id == project_id,
            CommitRow.project_id == project_id,
            CommitRow.listed,
            *OF_STAGES,
        )
    )


def newest_stages(session: Session, project_id: int, last: int | None = None) -> list[StageCost]:
    """Each series' value at the newest commit of the default branch, up to position `last`.

    Searches back from the last commit, series by series, without reading other values.
    """
    commit, run, value = aliased(CommitRow), aliased(RunRow), aliased(SeriesValueRow)
    newest = (
        select(run.id)
        .join_from(commit, run, run.commit_id == commit.id)
        .join(value, (value.run_id == run.id) & (value.series_id == SeriesRow.id))
        .where(commit.project_id == project_id, commit.listed, run.scenario_id == SeriesRow.scenario_id)
        .order_by(commit.position.desc(), run.id.desc())
        .limit(1)
        .correlate(SeriesRow)
    )
    if last is not None:
        newest = newest.where(commit.position <= last)
    found = session.execute(
        _stages(project_id)
        .where(RunRow.id == newest.scalar_subquery(), SeriesValueRow.run_id == newest.scalar_subquery())
        .order_by(ScenarioRow.name, SeriesRow.host_class, SeriesRow.stage)
    )
    return [StageCost._make(row) for row in found]


def stage_line(session: Session, project_id: int, stage: str, limit: int) -> list[StageCost]:
    """All series of the stage, along the first parent: the newest `limit` values."""
    named = session.execute(
        select(SeriesRow.id, ScenarioRow.name, SeriesRow.host_class)
        .join(ScenarioRow, ScenarioRow.id == SeriesRow.scenario_id)
        .where(ScenarioRow.project_id == project_id, SeriesRow.stage == stage, *OF_STAGES)
    )
    series = {number: (scenario, host_class) for number, scenario, host_class in named}
    last = _last_with(project_id, list(series), limit)
    found = session.execute(
        select(
            SeriesValueRow.series_id,
            RunRow.commit_id,
            last.c.position,
            RunRow.id,
            RunRow.run_id,
            RunRow.features,
            SeriesValueRow.value,
            SeriesValueRow.low,
            SeriesValueRow.high,
        )
        .join_from(last, RunRow, RunRow.commit_id == last.c.id)
        .join(SeriesValueRow, SeriesValueRow.run_id == RunRow.id)
        .where(SeriesValueRow.series_id.in_(series))
        .order_by(last.c.position.desc(), RunRow.id.desc())
        .limit(limit)
    )
    costs = [StageCost(*series[number], number, stage, *shown) for number, *shown in found]
    return costs[::-1]


def _last_with(project_id: int, series: Sequence[int], limit: int) -> Subquery:
    """The last commits with a value of these series, searched back from the last commit."""
    commit, run, value = aliased(CommitRow), aliased(RunRow), aliased(SeriesValueRow)
    has_value = (
        select(run.id)
        .join(value, value.run_id == run.id)
        .where(run.commit_id == commit.id, value.series_id.in_(series))
        .limit(1)  # keeps the subquery to one commit, and to the commits shown
        .correlate(commit)
        .scalar_subquery()
    )
    return (
        select(commit.id, commit.position)
        .where(commit.project_id == project_id, commit.listed, has_value.is_not(None))
        .order_by(commit.position.desc(), commit.id.desc())
        .limit(limit)
        .subquery()
    )


def chains(session: Session, run_numbers: Sequence[int]) -> dict[int, dict[str, float]]:
    """By run: CPP and rate of the chain."""
    found = session.execute(
        select(SeriesValueRow.run_id, SeriesRow.metric, SeriesValueRow.value)
        .join(SeriesRow, SeriesRow.id == SeriesValueRow.series_id)
        .where(
            SeriesValueRow.run_id.in_(run_numbers),
            SeriesRow.stage == "chain",
            SeriesRow.metric.in_(("cpp", "pps")),
        )
    )
    by_run: dict[int, dict[str, float]] = {}
    for number, metric, value in found:
        by_run.setdefault(number, {})[metric] = value
    return by_run


def run_numbers(session: Session, run_ids: Sequence[str]) -> dict[str, int]:
    found = session.execute(select(RunRow.run_id, RunRow.id).where(RunRow.run_id.in_(run_ids)))
    return {row.run_id: row.id for row in found}


def slower(session: Session, project_id: int, stages: Sequence[str], after: int) -> list[Slower]:
    """Commits' own regressions for which these stages pay, at positions after `after`, oldest first. Of a
    commit's runs in one history, the newest."""
    found = session.execute(
        select(
            ScenarioRow.name,
            RunRow.host_class,
            VerdictRow.stage,
            RunRow.commit_id,
            CommitRow.position,
            RunRow.run_id,
            VerdictRow.document,
        )
        .join_from(VerdictRow, RunRow, RunRow.id == VerdictRow.run_id)
        .join(CommitRow, CommitRow.id == RunRow.commit_id)
        .join(ScenarioRow, ScenarioRow.id == RunRow.scenario_id)
        .where(
            RunRow.project_id == project_id,
            NOTEWORTHY,
            is_step(),
            VerdictRow.outcome == "regressed",
            VerdictRow.stage.in_(stages),
            CommitRow.position > after,
        )
        .order_by(CommitRow.position, RunRow.id)
    )
    all_runs = map(Slower._make, found)
    return list({(one.scenario, one.host_class, one.stage, one.commit_id): one for one in all_runs}.values())


def commits(session: Session, ids: Sequence[int]) -> dict[int, CommitRow]:
    return {row.id: row for row in session.scalars(select(CommitRow).where(CommitRow.id.in_(ids)))}
