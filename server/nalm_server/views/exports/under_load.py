# SPDX-License-Identifier: Apache-2.0
"""Rows of experiments under load, from the results that their jobs stored."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import datetime
from statistics import fmean
from typing import Any

from nalm_core.rates.experiments.load_experiments import CoresResult, FlowsResult, QueueResult, RolesResult
from nalm_core.report.cell import Kind
from sqlalchemy.orm import Session

from nalm_server.campaigns.experiments.spec import result_of, spec_of
from nalm_server.views.exports import judged_repository
from nalm_server.views.exports.rows import (
    CoreCountExport,
    FlowShareExport,
    QueueLoadExport,
    RoleSplitExport,
)

_Origin = tuple[int, datetime, str, str | None]
"""The first columns of every row: experiment, time, commit, host class."""


def core_counts(session: Session, project_id: int) -> Iterator[CoreCountExport]:
    """Oldest experiment first, fewest lcores first."""
    for origin, document in _results(session, project_id, Kind.CORES):
        for answer in CoresResult.model_validate(document).tables.values():
            pps = {one.lcores: fmean(one.rates) for one in answer.rates}
            for point in answer.points:
                figures = (point.measured, point.fitted, point.residual)
                yield CoreCountExport(*origin, answer.chain, point.lcores, pps[point.lcores], *figures)


def queue_loads(session: Session, project_id: int) -> Iterator[QueueLoadExport]:
    """Oldest experiment first, loads as measured."""
    for origin, document in _results(session, project_id, Kind.QUEUE):
        for name, answer in QueueResult.model_validate(document).tables.items():
            for load in answer.loads:
                yield QueueLoadExport(*origin, name, answer.arrivals, **load.model_dump())


def flow_shares(session: Session, project_id: int) -> Iterator[FlowShareExport]:
    """Oldest experiment first, by design and share."""
    for origin, document in _results(session, project_id, Kind.FLOWS):
        for name, answer in FlowsResult.model_validate(document).tables.items():
            for design, one in answer.designs.items():
                for point in one.points:
                    of = (name, design, one.scenario, float(answer.pps))
                    yield FlowShareExport(*origin, *of, **point.model_dump())


def role_splits(session: Session, project_id: int) -> Iterator[RoleSplitExport]:
    """Oldest experiment first, splits as nalm.toml has them."""
    for origin, document in _results(session, project_id, Kind.ROLES):
        for name, answer in RolesResult.model_validate(document).tables.items():
            for split in answer.splits:
                yield RoleSplitExport(*origin, name, **split.model_dump())


def _results(session: Session, project_id: int, kind: Kind) -> Iterator[tuple[_Origin, Any]]:
    """Each experiment with its result."""
    for campaign in judged_repository.under_load(session, project_id, kind):
        result = result_of(campaign)
        if result.document is not None:
            time = campaign.finished_at or campaign.updated_at
            yield (campaign.number, time, spec_of(campaign).sha, result.host_class), result.document
