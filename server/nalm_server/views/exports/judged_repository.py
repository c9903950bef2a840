# SPDX-License-Identifier: Apache-2.0
"""SQL of exports of findings, cells and trials: read in batches, never whole."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from nalm_core.report.cell import Kind
from nalm_core.report.trials.kinds import UNDER_LOAD
from nalm_core.verdict.verdict import Verdict
from sqlalchemy import Select, or_, select
from sqlalchemy.orm import Session, aliased, undefer

from nalm_server.alerts.models import AlertRow
from nalm_server.campaigns.experiments.models import CellRow
from nalm_server.campaigns.experiments.repository import of_kind
from nalm_server.campaigns.experiments.spec import KIND
from nalm_server.changepoints.models import ChangePointRow
from nalm_server.git.commits.models import CommitRow
from nalm_server.jobs.models import CampaignRow
from nalm_server.results.models import RunRow, VerdictRow
from nalm_server.results.series.models import ScenarioRow, SeriesRow
from nalm_server.self_test.models import TrialRow
from nalm_server.views.exports.repository import BATCH
from nalm_server.views.exports.rows import (
    AlertExport,
    CellExport,
    ChangePointExport,
    RateExport,
    TrialExport,
)


def alerts(session: Session, project_id: int) -> Iterator[AlertExport]:
    """Oldest first."""
    after, fixing = aliased(CommitRow), aliased(CommitRow)
    query = (
        select(AlertRow, CommitRow.sha, CommitRow.author, after.sha, fixing.sha)
        .join(CommitRow, CommitRow.id == AlertRow.commit_id)
        .outerjoin(after, after.id == AlertRow.after_commit_id)
        .outerjoin(fixing, fixing.id == AlertRow.fixed_by_id)
        .where(AlertRow.project_id == project_id)
        .order_by(AlertRow.id)
    )
    for row, sha, author, after_sha, fixed_by in _fetched(session, query):
        fields = {"time": row.created_at, "commit": sha, "author": author, "after": after_sha}
        why = {name: (row.explanation or {}).get(name) for name in ("function", "cause", "detail")}
        remains = max((one["remains"] for one in row.recovery or []), default=None)
        yield _made(
            AlertExport,
            row,
            {**fields, **why, "fixed_by": fixed_by, "remains": remains, "worth": row.severity},
        )


def change_points(session: Session, project_id: int) -> Iterator[ChangePointExport]:
    """Along the first parent."""
    low, high = aliased(CommitRow), aliased(CommitRow)
    query = (
        select(ChangePointRow, CommitRow.sha, low.sha, high.sha, ScenarioRow.name, SeriesRow)
        .join(SeriesRow, SeriesRow.id == ChangePointRow.series_id)
        .join(ScenarioRow, ScenarioRow.id == SeriesRow.scenario_id)
        .join(CommitRow, CommitRow.id == ChangePointRow.commit_id)
        .join(low, low.id == ChangePointRow.low_commit_id)
        .join(high, high.id == ChangePointRow.high_commit_id)
        .where(ScenarioRow.project_id == project_id)
        .order_by(CommitRow.position, ChangePointRow.id)
    )
    for row, sha, low_sha, high_sha, scenario, series in _fetched(session, query):
        fields = {"time": row.detected_at, "commit": sha, "low_commit": low_sha, "high_commit": high_sha}
        of = {name: getattr(series, name) for name in ("host_class", "stage", "metric")}
        yield _made(ChangePointExport, row, {**fields, **of, "scenario": scenario})


def cells(session: Session, project_id: int) -> Iterator[CellExport]:
    """Oldest experiment first, its cells in the order of their upload."""
    query = (
        select(CellRow, CampaignRow.number, *(CampaignRow.spec[name].as_string() for name in ("kind", "sha")))
        .join(CampaignRow, CampaignRow.id == CellRow.campaign_id)
        .where(CampaignRow.project_id == project_id)
        .order_by(CampaignRow.number, CellRow.id)
    )
    for row, number, kind, sha in _fetched(session, query):
        fields = {"experiment": number, "time": row.received_at, "cell": row.name}
        yield _made(CellExport, row, {**fields, "kind": kind, "commit": sha})


def rates(session: Session, project_id: int) -> Iterator[RateExport]:
    """Oldest run first, figures in the order of the report."""
    query = (
        select(RunRow, VerdictRow, ScenarioRow.name)
        .join(VerdictRow, VerdictRow.run_id == RunRow.id)
        .join(ScenarioRow, ScenarioRow.id == RunRow.scenario_id)
        .where(RunRow.project_id == project_id)
        .where(or_(*(ScenarioRow.name.endswith(f":{kind}", autoescape=True) for kind in UNDER_LOAD)))
        .order_by(RunRow.id)
        .options(undefer(VerdictRow.document))
    )
    for run, verdict, scenario in _fetched(session, query):
        origin = {
            "time": run.received_at,
            "commit": run.head_sha,
            "base": run.base_sha,
            "scenario": scenario,
            "run_outcome": verdict.outcome,
        }
        for change in Verdict.model_validate(verdict.document).metrics:
            figures = change.model_dump(
                include={"metric", "stage", "unit", "outcome", "ratio", "low", "high", "reason"}
            )
            sides = {"of_base": change.base, "of_head": change.head}
            yield _made(RateExport, run, {**origin, **figures, **sides})


def under_load(session: Session, project_id: int, kind: Kind) -> Iterator[CampaignRow]:
    """Experiments of a kind that is measured under load, oldest first."""
    query = (
        select(CampaignRow)
        .where(CampaignRow.project_id == project_id, CampaignRow.kind == KIND, of_kind(kind))
        .order_by(CampaignRow.number)
    )
    for (row,) in _fetched(session, query):
        yield row


def trials(session: Session, project_id: int) -> Iterator[TrialExport]:
    """In the order in which they were measured."""
    query = select(TrialRow).where(TrialRow.project_id == project_id)
    for (row,) in _fetched(session, query.order_by(TrialRow.measured_at, TrialRow.id)):
        yield _made(TrialExport, row, {"time": row.measured_at})


def _fetched(session: Session, query: Select[*tuple[Any, ...]]) -> Iterator[Any]:
    yield from session.execute(query.execution_options(yield_per=BATCH))


def _made(kind: Any, row: object, fields: dict[str, Any]) -> Any:
    """Columns of the row by name, and the given fields."""
    return kind(**{name: fields[name] if name in fields else getattr(row, name) for name in kind._fields})
