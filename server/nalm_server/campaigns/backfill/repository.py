# SPDX-License-Identifier: Apache-2.0
"""SQL of backfills: their steps, and existing results."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence

from sqlalchemy import func, select
from sqlalchemy.orm import Session

from nalm_server.campaigns.kind import StepState
from nalm_server.campaigns.models import StepRow
from nalm_server.git.commits.models import CommitRow
from nalm_server.results.models import RunRow, VerdictRow
from nalm_server.results.series.models import ScenarioRow

VALID = ("same", "improved", "regressed", "inconclusive", "broken")
"""Outcomes that count as results; an invalid run is measured again."""


def waiting(session: Session, campaign_id: int, limit: int) -> list[StepRow]:
    """Oldest first."""
    return list(
        session.scalars(
            select(StepRow)
            .where(StepRow.campaign_id == campaign_id, StepRow.state == StepState.WAITING)
            .order_by(StepRow.ordinal)
            .limit(limit)
        )
    )


def counts(session: Session, campaign_ids: Sequence[int]) -> dict[int, dict[str, int]]:
    """Number of steps of each backfill by state."""
    by_campaign: dict[int, dict[str, int]] = defaultdict(dict)
    for campaign_id, state, number in session.execute(
        select(StepRow.campaign_id, StepRow.state, func.count())
        .where(StepRow.campaign_id.in_(campaign_ids))
        .group_by(StepRow.campaign_id, StepRow.state)
    ):
        by_campaign[campaign_id][state] = number
    return by_campaign


def measured(session: Session, project_id: int, steps: Sequence[StepRow]) -> set[tuple[str, str, str]]:
    """(base, head, scenario) of steps with a result in a series."""
    found = session.execute(
        select(RunRow.base_sha, RunRow.head_sha, ScenarioRow.name)
        .join(CommitRow, CommitRow.id == RunRow.commit_id)
        .join(VerdictRow, VerdictRow.run_id == RunRow.id)
        .join(ScenarioRow, ScenarioRow.id == RunRow.scenario_id)
        .where(
            CommitRow.project_id == project_id,
            CommitRow.sha.in_([step.head_sha for step in steps]),
            VerdictRow.outcome.in_(VALID),
            ~RunRow.beside,
        )
    )
    return {(base, head, scenario) for base, head, scenario in found if base is not None}
