# SPDX-License-Identifier: Apache-2.0
"""The scale of NCPP: the cost model at the reference, with features added later."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from nalm_core.features.cost_model import CostModel, Expected
from nalm_core.features.ncpp import Ncpp, normalise
from nalm_core.text.commit_name import short
from sqlalchemy.orm import Session

from nalm_server.auth.access.project_models import ProjectRow
from nalm_server.features import reference, repository
from nalm_server.results.cost_models.fits import model_at
from nalm_server.results.series.values import Figure, Figures

NOT_RECORDED = "the run is from before feature sets were recorded: measure the commit again"


@dataclass(frozen=True)
class Scale:
    """Scale of one scenario on one host class."""

    model: CostModel | None
    missing: str | None
    """Why there is no model, and what to do."""
    came_at: Mapping[str, Expected]
    """By feature added after the reference: its price, in cycles per packet, when it was added."""
    reference: str | None = None
    """Commit of the model."""

    def ncpp(
        self, value: float, interval: tuple[float | None, float | None], features: Sequence[str] | None
    ) -> Ncpp | str:
        """NCPP of a chain's CPP, or why there is none."""
        if self.model is None:
            return self.missing or ""
        if features is None:
            return NOT_RECORDED
        return normalise(value, interval, features, self.model, self.came_at)


def scale_of(session: Session, project: ProjectRow, scenario: str, host_class: str) -> Scale:
    commit = reference.commit_of(session, project)
    if commit is None:
        return Scale(
            None,
            f"Project {project.name!r} has no reference commit: set one with `nalm-server reference "
            f"{project.name} COMMIT`.",
            {},
        )
    model = model_at(session, project.id, scenario, host_class, commit.sha)
    if model is None:
        return Scale(
            None,
            f"No cost model of scenario {scenario!r} was fitted at the reference {short(commit.sha)} on "
            f"host class {host_class!r}: measure its features there in an experiment.",
            {},
        )
    came_at: dict[str, Expected] = {}
    for merge in repository.merges(session, project.id):
        of_scale = (merge.scenario, merge.host_class) == (scenario, host_class)
        if of_scale and merge.position > commit.position and len(merge.added) == 1 and not merge.removed:
            came_at.setdefault(merge.added[0], merge.expected)
    return Scale(model, None, came_at, commit.sha)


def normalised(
    scale: Scale, cpp: Figures, run_ids: Mapping[int, str], features: Mapping[str, list[str]]
) -> Figures:
    """NCPP for each CPP of the chain, if there is one. run_ids: by run number; features: by run id."""
    ncpp = {
        number: _figure(scale, figure, features.get(run_ids[number]))
        for number, figure in cpp.get("chain", {}).items()
        if number in run_ids
    }
    return {"chain": {number: one for number, one in ncpp.items() if one is not None}}


def _figure(scale: Scale, cpp: Figure, features: Sequence[str] | None) -> Figure | None:
    value, low, high, source = cpp
    found = scale.ncpp(value, (low, high), features)
    return None if isinstance(found, str) else (found.value, found.low, found.high, source)
