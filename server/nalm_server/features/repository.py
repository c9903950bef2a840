# SPDX-License-Identifier: Apache-2.0
"""SQL of feature sets: cost models, prices of merges, costs of runs."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

from nalm_core.features.cost_model import Expected
from nalm_core.report.defaults import CONFIDENCE
from sqlalchemy import select
from sqlalchemy.orm import Session

from nalm_server.git.commits.models import CommitRow
from nalm_server.results.commit_runs_repository import is_step
from nalm_server.results.models import PRICED, RunRow, VerdictRow
from nalm_server.results.series.models import ScenarioRow, SeriesRow, SeriesValueRow


class ChainCost(NamedTuple):
    """Cost of the chain in a commit's newest run, cycles per packet."""

    commit_id: int
    run_id: str
    features: list[str] | None
    """None in runs from before revision 0013."""
    value: float
    low: float | None
    high: float | None


class Merge(NamedTuple):
    """A run that measured a change of features."""

    scenario: str
    host_class: str
    commit_id: int
    position: int
    run_id: str
    added: list[str]
    removed: list[str]
    price: float
    """Cycles per packet of all features added, minus those removed."""
    document: dict[str, Any]
    """The verdict."""

    @property
    def interval(self) -> tuple[float, float] | None:
        """Of the price. None in verdicts of older versions."""
        split = self.document.get("feature_split") or {}
        low, high = split.get("features_low"), split.get("features_high")
        return None if low is None or high is None else (low, high)

    @property
    def expected(self) -> Expected:
        """The price with its interval."""
        low, high = self.interval or (None, None)
        level = (self.document.get("feature_split") or {}).get("features_level") or CONFIDENCE
        return Expected(value=self.price, low=low, high=high, level=level)


def merges(session: Session, project_id: int) -> list[Merge]:
    """Runs with a price, along the first parent, each commit's newest last."""
    found = session.execute(
        select(
            ScenarioRow.name,
            RunRow.host_class,
            RunRow.commit_id,
            CommitRow.position,
            RunRow.run_id,
            VerdictRow.features_added,
            VerdictRow.features_removed,
            VerdictRow.price_cycles_per_packet,
            VerdictRow.document,
        )
        .join_from(VerdictRow, RunRow, RunRow.id == VerdictRow.run_id)
        .join(CommitRow, CommitRow.id == RunRow.commit_id)
        .join(ScenarioRow, ScenarioRow.id == RunRow.scenario_id)
        .where(RunRow.project_id == project_id, PRICED, is_step())
        .order_by(CommitRow.position, RunRow.received_at, RunRow.id)
    )
    return [Merge._make(row) for row in found]


def chain_costs(
    session: Session, scenario_id: int, host_class: str, commit_ids: Sequence[int]
) -> dict[int, ChainCost]:
    """By commit: its newest run with a value."""
    found = session.execute(
        select(
            RunRow.commit_id,
            RunRow.run_id,
            RunRow.features,
            SeriesValueRow.value,
            SeriesValueRow.low,
            SeriesValueRow.high,
        )
        .join_from(SeriesValueRow, RunRow, RunRow.id == SeriesValueRow.run_id)
        .join(SeriesRow, SeriesRow.id == SeriesValueRow.series_id)
        .where(
            SeriesRow.scenario_id == scenario_id,
            SeriesRow.host_class == host_class,
            SeriesRow.metric == "cpp",
            SeriesRow.stage == "chain",
            SeriesRow.source.not_like("imported:%"),
            RunRow.commit_id.in_(commit_ids),
        )
        .order_by(RunRow.received_at, RunRow.id)
    )
    return {row.commit_id: row for row in map(ChainCost._make, found)}


def run_features(session: Session, scenario_id: int, host_class: str) -> dict[str, list[str]]:
    """By run id: the features of head, if they were recorded."""
    found = session.execute(
        select(RunRow.run_id, RunRow.features).where(
            RunRow.scenario_id == scenario_id, RunRow.host_class == host_class, RunRow.features.is_not(None)
        )
    )
    return {run_id: features for run_id, features in found if features is not None}


def commits_of(session: Session, project_id: int, shas: Sequence[str]) -> dict[str, CommitRow]:
    found = session.scalars(
        select(CommitRow).where(CommitRow.project_id == project_id, CommitRow.sha.in_(shas))
    )
    return {row.sha: row for row in found}
