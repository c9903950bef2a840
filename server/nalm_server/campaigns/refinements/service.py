# SPDX-License-Identifier: Apache-2.0
"""Refinements for people: list, show, cancel."""

from __future__ import annotations

from collections.abc import Sequence

from sqlalchemy.orm import Session

from nalm_server.campaigns import repository as campaigns
from nalm_server.campaigns.backfill import repository as steps_repository
from nalm_server.campaigns.backfill.schemas import Progress
from nalm_server.campaigns.refinements.kind import REFINEMENT, RefinementSpec
from nalm_server.campaigns.refinements.schemas import RefinedPair, Refinement
from nalm_server.campaigns.resource import Resource, common
from nalm_server.jobs.models import CampaignRow


def _briefs(session: Session, project: str, rows: Sequence[CampaignRow]) -> list[Refinement]:
    counts = steps_repository.counts(session, [row.id for row in rows])
    return [_refinement(project, row, counts.get(row.id, {})) for row in rows]


def _detail(session: Session, project: str, row: CampaignRow) -> Refinement:
    counts = steps_repository.counts(session, [row.id]).get(row.id, {})
    pairs = [RefinedPair.model_validate(step.detail) for step in campaigns.steps(session, row.id)]
    return _refinement(project, row, counts).model_copy(update={"pairs": pairs})


def _refinement(project: str, row: CampaignRow, counts: dict[str, int]) -> Refinement:
    states = {name: counts.get(name, 0) for name in Progress.model_fields if name != "total"}
    return Refinement(
        **common(row, Refinement, project),
        margin=RefinementSpec.model_validate(row.spec).margin,
        progress=Progress(total=sum(counts.values()), **states),
        pairs=[],
    )


REFINEMENTS = Resource(REFINEMENT.name, _briefs, _detail)
