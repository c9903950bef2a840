# SPDX-License-Identifier: Apache-2.0
"""What a project's variants measured of the practices that the advice names."""

from __future__ import annotations

from collections.abc import Iterator

from nalm_core.experiments.practices import Effect, Practices, practices
from nalm_core.experiments.result import AblationResult
from nalm_core.report.cell import Kind
from sqlalchemy.orm import Session

from nalm_server.auth.access.project_models import ProjectRow
from nalm_server.features import variants
from nalm_server.features.experiment_repository import of_project


def known(session: Session, project: ProjectRow) -> Practices:
    """Of each variant and chain, the newest comparison side by side; otherwise scenarios of the newest
    measured commit. Raises NotFoundError if nothing has been measured."""
    scenarios = list(variants.effects(session, project))
    return practices([*_side_by_side(session, project), *scenarios])


def _side_by_side(session: Session, project: ProjectRow) -> Iterator[Effect]:
    for document in of_project(session, project.id, Kind.ABLATION):
        for one in AblationResult.model_validate(document).contributions:
            for compared in one.chains:
                yield Effect(
                    variant=one.name,
                    tuning=one.tuning,
                    chain=compared.chain,
                    ratio=compared.ratio_cpp,
                    low=compared.low,
                    high=compared.high,
                    p_value=compared.p_value,
                    side_by_side=True,
                    stages_off=compared.stages_base,
                    stages_on=compared.stages_head,
                )
