# SPDX-License-Identifier: Apache-2.0
"""SQL of what experiments found at a commit."""

from __future__ import annotations

from typing import Any

from nalm_core.report.cell import Kind
from sqlalchemy import select
from sqlalchemy.orm import Session

from nalm_server.campaigns.experiments.models import ExperimentRow


def results(session: Session, commit_id: int, kind: Kind) -> list[tuple[int, str | None, dict[str, Any]]]:
    """(experiment, host class, nalm_core.experiments.result) of each that has a result, newest first."""
    found = session.execute(
        select(ExperimentRow.id, ExperimentRow.host_class, ExperimentRow.result)
        .where(
            ExperimentRow.commit_id == commit_id,
            ExperimentRow.kind == kind,
            ExperimentRow.result.is_not(None),
        )
        .order_by(ExperimentRow.id.desc())
    )
    return [(number, host_class, result) for number, host_class, result in found]
