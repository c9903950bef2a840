# SPDX-License-Identifier: Apache-2.0
"""The metrics of a project: the catalogue's, and those that its nalm.toml defines."""

from __future__ import annotations

from collections.abc import Iterable

from nalm_core.report.catalogue import METRICS, Better, Metric
from nalm_core.report.own_metrics import OwnMetric
from sqlalchemy.orm import Session

from nalm_server.base.errors import NotFoundError
from nalm_server.results.series import repository


def record(session: Session, project_id: int, measured: Iterable[OwnMetric]) -> None:
    """Stores how a run defines its own metrics. The caller holds the project's lock."""
    for one in measured:
        if one.name not in METRICS:
            repository.record_metric(session, project_id, one)


def metric_named(session: Session, project_id: int, name: str) -> Metric:
    """Needs no query for one of the catalogue. Raises NotFoundError."""
    if name in METRICS:
        return METRICS[name]
    known = metrics_of(session, project_id)
    if name not in known:
        raise NotFoundError(f"There is no metric {name!r}: the metrics are {', '.join(known)}.")
    return known[name]


def better_of(session: Session, project_id: int, name: str) -> Better:
    """The direction of one metric; `lower` for one that is neither in the catalogue nor measured yet."""
    if name in METRICS:
        return METRICS[name].better
    row = repository.find_metric(session, project_id, name)
    return "higher" if row is not None and row.better == "higher" else "lower"


def metrics_of(session: Session, project_id: int) -> dict[str, Metric]:
    """By name; the catalogue's first."""
    own = {
        row.name: Metric(
            name=row.name,
            title=row.name,
            unit=row.unit,
            formula=f"as the project's nalm.toml defines it ({row.source})",
            sentence=f"A metric of the project's nalm.toml, in {row.unit}.",
            better="higher" if row.better == "higher" else "lower",
            scopes=("chain",),
            sources=(row.source,),
        )
        for row in repository.project_metrics(session, project_id)
    }
    return {**METRICS, **own}
