# SPDX-License-Identifier: Apache-2.0
"""SQL of fitted cost models."""

from __future__ import annotations

from sqlalchemy import select
from sqlalchemy.orm import Session

from nalm_server.git.commits.models import CommitRow
from nalm_server.results.cost_models.models import CostModelRow


def find_model(
    session: Session, project_id: int, scenario: str, host_class: str, sha: str
) -> CostModelRow | None:
    return session.scalars(
        select(CostModelRow).where(
            CostModelRow.project_id == project_id,
            CostModelRow.scenario == scenario,
            CostModelRow.host_class == host_class,
            CostModelRow.sha == sha,
        )
    ).one_or_none()


def models(session: Session, project_id: int) -> list[tuple[CostModelRow, CommitRow]]:
    """All fits with their commits, along the first parent."""
    found = session.execute(
        select(CostModelRow, CommitRow)
        .join(CommitRow, CommitRow.sha == CostModelRow.sha)
        .where(CostModelRow.project_id == project_id, CommitRow.project_id == project_id)
        .order_by(CommitRow.position, CostModelRow.id)
    )
    return [(model, commit) for model, commit in found]


def add(session: Session, row: CostModelRow) -> None:
    session.add(row)
    session.flush()
