# SPDX-License-Identifier: Apache-2.0
"""Compares two commits in every series with values of both, without a verdict."""

from __future__ import annotations

from typing import Any

from nalm_core.report.catalogue import Metric
from sqlalchemy.orm import Session

from nalm_server.auth.access.project_models import ProjectRow
from nalm_server.git.commits import service as commits
from nalm_server.results.series.metrics import metrics_of
from nalm_server.views.compare import repository
from nalm_server.views.compare.repository import Figure, SeriesKey


def compare_all(session: Session, project: ProjectRow, *, base: str, head: str) -> dict[str, Any]:
    """schemas.SeriesComparisons as plain values: there are thousands."""
    old, new = commits.resolve(session, project.id, base), commits.resolve(session, project.id, head)
    before, after = repository.figures_of(session, old.id), repository.figures_of(session, new.id)
    both = before.keys() & after.keys()
    keys = sorted(key for key in repository.series_of(session, project.id) if key.series_id in both)
    metrics = metrics_of(session, project.id)
    return {
        "base": commits.ref(old),
        "head": commits.ref(new),
        "series": [
            _compared(metrics[key.metric], key, before[key.series_id], after[key.series_id]) for key in keys
        ],
        "only_base": len(before) - len(both),
        "only_head": len(after) - len(both),
    }


def _compared(metric: Metric, key: SeriesKey, old: Figure, new: Figure) -> dict[str, Any]:
    base, base_low, base_high = old
    head, head_low, head_high = new
    return {
        "scenario": key.scenario,
        "host_class": key.host_class,
        "stage": key.stage,
        "metric": key.metric,
        "source": key.source,
        "base": base,
        "base_low": base_low,
        "base_high": base_high,
        "head": head,
        "head_low": head_low,
        "head_high": head_high,
        "ratio": head / base if base else None,
        "better": metric.better,
        "apart": _apart(old, new),
    }


def _apart(old: Figure, new: Figure) -> bool | None:
    (_, old_low, old_high), (_, new_low, new_high) = old, new
    if old_low is None or old_high is None or new_low is None or new_high is None:
        return None
    return new_low > old_high or new_high < old_low
