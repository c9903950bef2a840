# SPDX-License-Identifier: Apache-2.0
"""Regressions and their fixes, after commits came onto the default branch or a forced push dropped them."""

from __future__ import annotations

from collections.abc import Sequence

from sqlalchemy.orm import Session

from nalm_server.git.commits.models import CommitRow
from nalm_server.results import fixes, outcome_repository


def line_changed(session: Session, commits: Sequence[CommitRow]) -> None:
    """Matches again in every scenario in which one of them moved. The caller holds the project's lock."""
    for scenario_id in outcome_repository.moved_scenarios(session, [row.id for row in commits]):
        fixes.refresh(session, scenario_id)
