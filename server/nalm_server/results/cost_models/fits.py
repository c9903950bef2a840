# SPDX-License-Identifier: Apache-2.0
"""Fitted cost models: stored when an experiment ends, read by scenario and host class."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime

from nalm_core.experiments.result import FeatureFit
from nalm_core.features.cost_model import CostModel
from sqlalchemy.orm import Session

from nalm_server.results.cost_models import repository
from nalm_server.results.cost_models.models import CostModelRow


@dataclass(frozen=True)
class Origin:
    """Source of a fit."""

    project_id: int
    sha: str
    host_class: str


def keep(session: Session, origin: Origin, fit: FeatureFit, now: datetime) -> None:
    """Stores a fit in place of an earlier one of its commit, unless the fit was refused.

    The caller holds the project's lock.
    """
    if fit.model is None:
        return
    row = repository.find_model(session, origin.project_id, fit.scenario, origin.host_class, origin.sha)
    if row is None:
        row = CostModelRow(
            project_id=origin.project_id, scenario=fit.scenario, host_class=origin.host_class, sha=origin.sha
        )
    row.fitted_at, row.fit = now, fit.model_dump(mode="json")
    repository.add(session, row)


def fit_of(row: CostModelRow) -> FeatureFit:
    return FeatureFit.model_validate(row.fit)


def model_at(session: Session, project_id: int, scenario: str, host_class: str, sha: str) -> CostModel | None:
    row = repository.find_model(session, project_id, scenario, host_class, sha)
    return fit_of(row).model if row is not None else None
